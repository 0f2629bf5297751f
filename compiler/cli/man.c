// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Man pages: kiln(1) with verbs, environment and exit codes, and one for each verb, kiln-run(1).
//
// What is easily got wrong: a line of roff may not begin with '.' or '\'', and '-' of a flag is written \-.
#include "kiln/kiln.h"
#include "pages_write.h"

// Text as roff has it; a newline begins a paragraph.
static void put(FILE *out, const char *text)
{
    for (bool begins = true; *text; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        begins = *text == '\n';
        switch (*text) {
        case '\\':
            fputs("\\e", out);
            break;
        case '-':
            fputs("\\-", out);
            break;
        case '\'':
            fputs("\\(aq", out);
            break;
        case '`':
            fputs("\\(ga", out);
            break;
        case '^':
            fputs("\\(ha", out);
            break;
        case '~':
            fputs("\\(ti", out);
            break;
        case '\n':
            if (text[1] != '\n')
                fputs("\n.PP\n", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void put_head(FILE *out, const char *title, const char *name, const char *what)
{
    fprintf(out, ".\\\" made by kiln pages\n.TH %s 1 \"\" \"Kiln %s\" \"Kiln\"\n.ad l\n.SH NAME\n", title,
            kiln_version());
    put(out, name);
    fputs(" \\- ", out);
    put(out, what);
    fputs("\n.SH SYNOPSIS\n.B ", out);
}

static void put_item(FILE *out, const char *form, const char *what, const char *more)
{
    fputs(".TP\n\\fB", out);
    put(out, form);
    fputs("\\fR\n", out);
    put(out, what);
    if (*more) {
        fputs(" (", out);
        put(out, more);
        fputc(')', out);
    }
    fputc('\n', out);
}

static void put_upper(const char *from, char *to, size_t size)
{
    size_t i = 0;
    for (; from[i] && i + 1 < size; i++)
        to[i] = (char)(from[i] >= 'a' && from[i] <= 'z' ? from[i] - 'a' + 'A' : from[i]);
    to[i] = '\0';
}

void kiln_man_verb(FILE *out, const kiln_page_t *page)
{
    static kiln_flag_t flags[KILN_PAGE_FLAGS];
    size_t count = kiln_page_flags(page, flags);
    char name[64], title[64];
    snprintf(name, sizeof name, "kiln-%s", page->verb);
    put_upper(name, title, sizeof title);
    put_head(out, title, name, page->what);
    fprintf(out, "kiln %s\n", page->verb);
    put(out, page->operands);
    fputs("\n.SH DESCRIPTION\n", out);
    put(out, page->text);
    fputc('\n', out);
    const char *form, *what;
    for (size_t i = 0; kiln_page_operand(page, i, &form, &what); i++) {
        fputs(i ? "" : ".SH OPERANDS\n", out);
        put_item(out, form, what, "");
    }
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < count; i++) {
        char shape[192];
        if (i && flags[i].group != flags[i - 1].group)
            fprintf(out, ".SS %s\n", kiln_group_titles[flags[i].group]);
        kiln_flag_form(&flags[i], "", shape, sizeof shape);
        put_item(out, shape, flags[i].what, flags[i].more);
    }
    fputs(".SH EXIT STATUS\n", out);
    put(out, kiln_exit_codes);
    fputs("\n.SH SEE ALSO\n.BR kiln (1)\n", out);
}

void kiln_man_command(FILE *out)
{
    put_head(out, "KILN", "kiln",
             "compile, tune and run tile programs on AMD Instinct gfx942, or on a simulator of it");
    fputs("kiln\n.I VERB\n[\\fIARGUMENT\\fR ...]\n.SH DESCRIPTION\n", out);
    put(out,
        "Each verb has a page of its own. `kiln VERB --help` tells the same; `kiln --version` tells the versions.");
    fputs("\n.SH VERBS\n", out);
    const kiln_page_t *page;
    for (size_t i = 0; (page = kiln_page(i)); i++)
        fprintf(out, ".TP\n.BR kiln\\-%s (1)\n%s\n", page->verb, page->what);
    fputs(".SH ENVIRONMENT\n", out);
    put(out, "A flag wins over its variable.");
    fputc('\n', out);
    const kiln_environment_row_t *row;
    for (size_t i = 0; (row = kiln_environment_row(i)); i++) {
        char more[512];
        snprintf(more, sizeof more, "%s%s%s; %s", row->values, *row->otherwise ? "; by default " : "", row->otherwise,
                 row->flag);
        put_item(out, row->variable, row->help, more);
    }
    fputs(".SH EXIT STATUS\n", out);
    put(out, kiln_exit_codes);
    fputs("\n.SH SEE ALSO\n", out);
    for (size_t i = 0; (page = kiln_page(i)); i++)
        fprintf(out, ".BR kiln\\-%s (1)%s\n", page->verb, kiln_page(i + 1) ? "," : "");
}
