// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a verb's help: description, operands, flags by group, in two columns, and examples. Forms
// that do not fit the left column get their own line.
//
// Note that flags of the simulator and warnings outnumber a verb's own, so --help only names them,
// and --help=sim and --help=warnings describe them.
#include <string.h>

#include "base/string.h"
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

// The groups of each topic, as bits. Without one, what a verb's users need most.
static const struct {
    const char *topic, *title;
    unsigned groups;
} topics[] = {
    {"sim", "Simulator", 1u << KILN_GROUP_SIM},
    {"warnings", "Warnings", 1u << KILN_GROUP_WARNINGS},
    {"all", NULL, (1u << KILN_GROUP_COUNT) - 1},
};
enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

static void print_flags(FILE *stream, const kiln_words_t *words, unsigned groups)
{
    for (size_t i = 0; i < words->count; i++) {
        const kiln_flag_t *flag = &words->flags[i];
        if (!(groups & 1u << flag->group))
            continue;
        if (i == 0 || flag->group != words->flags[i - 1].group)
            fprintf(stream, "%s%s%s", i ? "\n" : "", i ? kiln_group_titles[flag->group] : "",
                    i ? ":\n" : "");
        kiln_flag_print(stream, flag);
    }
}

// "Simulator (kiln run --help=sim): --check, --trace, …"
static void print_names(FILE *stream, const kiln_words_t *words, size_t topic)
{
    kiln_string_t names = {0};
    for (size_t i = 0; i < words->count; i++) {
        const kiln_flag_t *flag = &words->flags[i];
        if (!(topics[topic].groups & 1u << flag->group))
            continue;
        if (!names.length)
            kiln_string_appendf(&names, "%s (--help=%s):", topics[topic].title,
                                topics[topic].topic);
        kiln_string_append(&names, flag->name ? " --" : " -");
        if (!flag->name)
            kiln_string_append_char(&names, flag->letter);
        kiln_string_append(&names, flag->name ? flag->name : flag->value);
    }
    if (names.length && !names.failed) {
        fputc('\n', stream);
        print_wrapped(stream, names.data, 0);
    }
    kiln_string_free(&names);
}

static void print_examples(FILE *stream, const kiln_page_t *page)
{
    const char *command, *what;
    for (size_t i = 0; kiln_page_example(page, i, &command, &what); i++) {
        fputs(i ? "" : "\nExamples:\n", stream);
        fprintf(stream, "  # %s\n  %s\n", what, command);
    }
}

static void print_head(FILE *stream, const kiln_page_t *page)
{
    fprintf(stream, "usage: kiln %s%s%s\n\n", page->verb, *page->operands ? " " : "",
            page->operands);
    print_wrapped(stream, page->text, 0);
    fputc('\n', stream);
    const char *form, *what;
    bool has_operands = false;
    for (size_t i = 0; kiln_page_operand(page, i, &form, &what); i++) {
        has_operands = true;
        print_row(stream, form, what);
    }
    if (has_operands)
        fputc('\n', stream);
}

int kiln_usage(FILE *stream, const char *verb)
{
    static kiln_words_t words;
    kiln_words_begin(&words, verb);
    const char *wanted = kiln_help_topic();
    size_t topic = 0;
    while (topic < TOPIC_COUNT && !(wanted && strcmp(wanted, topics[topic].topic) == 0))
        topic++;
    const bool is_part = topic < TOPIC_COUNT && topics[topic].title;
    if (is_part) {
        fprintf(stream, "kiln %s:\n", verb);
        print_flags(stream, &words, topics[topic].groups);
        return 0;
    }
    print_head(stream, words.page);
    unsigned groups = topics[TOPIC_COUNT - 1].groups;
    for (size_t i = 0; topic == TOPIC_COUNT && topics[i].title; i++)
        groups &= ~topics[i].groups;
    print_flags(stream, &words, groups);
    for (size_t i = 0; topic == TOPIC_COUNT && topics[i].title; i++)
        print_names(stream, &words, i);
    print_examples(stream, words.page);
    return stream == stdout ? 0 : 2;
}
