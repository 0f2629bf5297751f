// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completions of the command for bash, zsh and fish: verbs, flags, and the words that a flag's value may be. What is neither is a file.
//
// What is easily got wrong: bash parts words at '=', so what stands before the cursor in --emit=t are the three words --emit, = and t.
#include <string.h>

#include "pages_write.h"

static kiln_flag_t flags[KILN_PAGE_FLAGS]; // of the page at hand

// Text inside of '…' of a shell; the characters of `hidden` get a backslash besides.
static void put_quoted(FILE *out, const char *text, const char *hidden)
{
    for (; *text; text++) {
        if (strchr(hidden, *text))
            fputc('\\', out);
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
}

// The first clause of what a flag does.
static void put_short(FILE *out, const char *text, const char *hidden)
{
    char clause[120];
    snprintf(clause, sizeof clause, "%.*s", (int)strcspn(text, ";(:"), text);
    size_t length = strlen(clause);
    while (length && clause[length - 1] == ' ')
        clause[--length] = '\0';
    put_quoted(out, clause, hidden);
}

void kiln_complete_bash(FILE *out)
{
    const kiln_page_t *page;
    fputs("# bash completion of kiln, made by kiln pages\n"
          "_kiln()\n"
          "{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} flags= "
          "values=\n"
          "    if [ \"$word\" = = ]; then\n"
          "        word=\n"
          "    elif [ \"$before\" = = ]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '--help --version",
          out);
    for (size_t i = 0; (page = kiln_page(i)); i++)
        fprintf(out, " %s", page->verb);
    fputs("' -- \"$word\"))\n"
          "        return\n"
          "    fi\n"
          "    case $verb in\n",
          out);
    for (size_t i = 0; (page = kiln_page(i)); i++) {
        size_t count = kiln_page_flags(page, flags);
        fprintf(out, "    %s)\n        flags='", page->verb);
        for (size_t j = 0; j < count; j++)
            if (flags[j].name)
                fprintf(out, "%s--%s%s", j ? " " : "", flags[j].name, *flags[j].value && !flags[j].may_lack ? "=" : "");
            else
                fprintf(out, " -%c%s", flags[j].letter, flags[j].value);
        fputs("'\n        case $before in\n", out);
        for (size_t j = 0; j < count; j++)
            if (*flags[j].words)
                fprintf(out, "        --%s) values='%s' ;;\n", flags[j].name, flags[j].words);
        fputs("        esac\n        ;;\n", out);
    }
    fputs("    esac\n"
          "    if [ -n \"$values\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
          "    elif [[ $word == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
          "        if [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "        compopt -o filenames 2>/dev/null\n"
          "    fi\n"
          "}\n"
          "complete -F _kiln kiln\n",
          out);
}

void kiln_complete_zsh(FILE *out)
{
    const kiln_page_t *page;
    fputs("#compdef kiln\n"
          "# zsh completion of kiln, made by kiln pages\n"
          "local -a verbs\n"
          "verbs=(\n",
          out);
    for (size_t i = 0; (page = kiln_page(i)); i++) {
        fprintf(out, "    '%s:", page->verb);
        put_short(out, page->what, ":");
        fputs("'\n", out);
    }
    fputs(")\n"
          "if (( CURRENT == 2 )); then\n"
          "    _describe verb verbs\n"
          "    return\n"
          "fi\n"
          "local verb=$words[2]\n"
          "shift words\n"
          "(( CURRENT-- ))\n"
          "case $verb in\n",
          out);
    for (size_t i = 0; (page = kiln_page(i)); i++) {
        size_t count = kiln_page_flags(page, flags);
        fprintf(out, "%s)\n    _arguments -S", page->verb);
        for (size_t j = 0; j < count; j++) {
            const kiln_flag_t *flag = &flags[j];
            if (flag->name)
                fprintf(out, " \\\n        '*--%s%s[", flag->name, !*flag->value ? "" : flag->may_lack ? "=-" : "=");
            else
                fprintf(out, " \\\n        '-%c%s[", flag->letter, flag->value);
            put_short(out, flag->what, "[]\\");
            fputs("]", out);
            if (flag->name && *flag->value) {
                fputs(flag->may_lack ? "::" : ":", out);
                put_quoted(out, *flag->words ? flag->name : flag->value, ":\\");
                fputs(*flag->words ? ":(" : ":_files", out);
                fputs(flag->words, out);
                fputs(*flag->words ? ")" : "", out);
            }
            fputs("'", out);
        }
        fputs(" \\\n        '*:file:_files'\n    ;;\n", out);
    }
    fputs("esac\n", out);
}

void kiln_complete_fish(FILE *out)
{
    const kiln_page_t *page;
    fputs("# fish completion of kiln, made by kiln pages\n", out);
    for (size_t i = 0; (page = kiln_page(i)); i++) {
        fprintf(out, "complete -c kiln -n __fish_use_subcommand -f -a %s -d '", page->verb);
        put_short(out, page->what, "\\");
        fputs("'\n", out);
    }
    for (size_t i = 0; (page = kiln_page(i)); i++) {
        size_t count = kiln_page_flags(page, flags);
        for (size_t j = 0; j < count; j++) {
            const kiln_flag_t *flag = &flags[j];
            fprintf(out, "complete -c kiln -n '__fish_seen_subcommand_from %s'", page->verb);
            if (flag->name)
                fprintf(out, " -l %s", flag->name);
            if (flag->name && flag->letter)
                fprintf(out, " -s %c", flag->letter);
            if (!flag->name)
                fprintf(out, " -o %c%s", flag->letter, flag->value);
            else if (*flag->words)
                fprintf(out, "%s -a '%s'", flag->may_lack ? "" : " -x", flag->words);
            else if (*flag->value && !flag->may_lack)
                fputs(" -r", out);
            fputs(" -d '", out);
            put_short(out, flag->what, "\\");
            fputs("'\n", out);
        }
    }
}
