// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a verb's help: description, operands, flags by group, in two columns. Forms that do not
// fit the left column get their own line.
#include <string.h>

#include "pages.h"

enum { LEFT = 32, WIDTH = 110 };

// Prints a text wrapped to WIDTH, indented by `column`, where the cursor is.
static void print_wrapped(FILE *stream, const char *text, int column)
{
    int at = column;
    while (*text) {
        if (*text == '\n') {
            fprintf(stream, "\n%*s", column, "");
            at = column;
            text++;
            continue;
        }
        int word = (int)strcspn(text, " \n");
        if (at > column && at + 1 + word > WIDTH) {
            fprintf(stream, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', stream);
            at++;
        }
        fprintf(stream, "%.*s", word, text);
        at += word;
        text += word + (text[word] == ' ');
    }
    fputc('\n', stream);
}

static void print_row(FILE *stream, const char *form, const char *what)
{
    if ((int)strlen(form) + 4 > LEFT)
        fprintf(stream, "  %s\n%*s", form, LEFT, "");
    else
        fprintf(stream, "  %-*s", LEFT - 2, form);
    print_wrapped(stream, what, LEFT);
}

void kiln_flag_print(FILE *stream, const kiln_flag_t *flag)
{
    char form[192], what[1024];
    kiln_flag_form(flag, "    ", form, sizeof form);
    snprintf(what, sizeof what, "%s%s%s%s", flag->what, *flag->more ? " (" : "", flag->more,
             *flag->more ? ")" : "");
    print_row(stream, form, what);
}

int kiln_usage(FILE *stream, const char *verb)
{
    static kiln_words_t words;
    kiln_words_begin(&words, verb);
    fprintf(stream, "usage: kiln %s%s%s\n\n", verb, *words.page->operands ? " " : "",
            words.page->operands);
    print_wrapped(stream, words.page->text, 0);
    const char *form, *what;
    for (size_t i = 0; kiln_page_operand(words.page, i, &form, &what); i++) {
        if (i == 0)
            fputc('\n', stream);
        print_row(stream, form, what);
    }
    for (size_t i = 0; i < words.count; i++) {
        if (i == 0 || words.flags[i].group != words.flags[i - 1].group)
            fputc('\n', stream);
        if (i && words.flags[i].group != words.flags[i - 1].group)
            fprintf(stream, "%s:\n", kiln_group_titles[words.flags[i].group]);
        kiln_flag_print(stream, &words.flags[i]);
    }
    return stream == stdout ? 0 : 2;
}
