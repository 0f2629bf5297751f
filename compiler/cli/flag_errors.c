// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A flag's line is found in the text of the verb's help, which every verb has; so there is no second table to keep.
#include "flag_errors.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

enum { CONTINUED = 8 }; // blanks before a line that goes on with the one above

// Does a line, "  -D, --define=NAME=VALUE  what it does", tell of this flag?
static bool tells(const char *line, const char *flag)
{
    size_t length = strlen(flag);
    if (strncmp(line, "  ", 2) != 0 || strspn(line, " ") >= CONTINUED)
        return false;
    line += strspn(line, " ");
    if (line[0] == '-' && line[1] != '-' && line[1] && strncmp(line + 2, ", ", 2) == 0) {
        if (length == 2 && strncmp(line, flag, 2) == 0)
            return true;
        line += 4;
    }
    return strncmp(line, flag, length) == 0 && strchr(" =[\n", line[length]);
}

// Returns how many lines there are; with no stream it only counts them.
static int show_lines(const char *flag, kiln_usage_fn usage, FILE *to)
{
    int count = 0;
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return 0;
    usage(stream);
    fclose(stream);
    bool shown = false;
    for (char *line = text, *end; line && *line; line = end) {
        end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        shown = tells(line, flag) || (shown && strspn(line, " ") >= CONTINUED);
        count += shown;
        if (shown && to)
            fprintf(to, "%.*s", (int)(end - line), line);
    }
    free(text);
    return count;
}

void kiln_flag_help(const char *name, kiln_usage_fn usage)
{
    char flag[64];
    snprintf(flag, sizeof flag, "--%s", name);
    show_lines(flag, usage, stderr);
}

static const struct option *row_of(const struct option *rows, int value)
{
    for (; rows->name; rows++)
        if (rows->val == value)
            return rows;
    return NULL;
}

static int point_to_help(char **argv)
{
    fprintf(stderr, "`kiln %s --help` shows all flags\n", argv[0]);
    return 2;
}

static int unknown(const char *word, char **argv, const struct option *rows, kiln_usage_fn usage)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    if (strncmp(name, "--", 2) != 0) {
        fprintf(stderr, "kiln: error: there is no flag '%s'\n", name);
        return point_to_help(argv);
    }
    kiln_suggestion_t near = kiln_suggestion(name + 2);
    size_t beginning = 0;
    for (const struct option *row = rows; row->name; row++) {
        kiln_suggestion_consider(&near, row->name);
        beginning += strncmp(row->name, name + 2, strlen(name + 2)) == 0;
    }
    if (beginning > 1) {
        fprintf(stderr, "kiln: error: '%s' is the beginning of several flags\n", name);
        for (const struct option *row = rows; row->name; row++)
            if (strncmp(row->name, name + 2, strlen(name + 2)) == 0)
                kiln_flag_help(row->name, usage);
        return 2;
    }
    fprintf(stderr, "kiln: error: there is no flag '%s'", name);
    if (near.best)
        fprintf(stderr, "; did you mean '--%s'?", near.best);
    fprintf(stderr, "\n");
    if (near.best)
        kiln_flag_help(near.best, usage);
    return point_to_help(argv);
}

int kiln_flag_refuse(int flag, char **argv, const struct option *rows, kiln_usage_fn usage)
{
    const char *word = argv[optind - 1];
    bool is_long = strncmp(word, "--", 2) == 0;
    char letter[3] = {'-', (char)(flag == '?' ? optopt : flag), '\0'};
    const struct option *row = row_of(rows, flag == '?' ? optopt : flag);
    // getopt gives no letter for a long flag that it does not know, and the letter where it does not know that.
    if (flag == '?' && (!optopt || (!is_long && !row && strlen(word) > 2)))
        return unknown(optopt ? letter : word, argv, rows, usage);
    if (flag == '?' && !is_long && !row && !show_lines(letter, usage, NULL))
        return unknown(letter, argv, rows, usage);
    if (flag == '?')
        fprintf(stderr, "kiln: error: '%s' %s\n", word, strchr(word, '=') ? "takes no value" : "wants a value");
    else if (*word == '-' || !row)
        fprintf(stderr, "kiln: error: '%s' is not what this flag wants\n", word);
    else
        fprintf(stderr, "kiln: error: '--%s %s' is not what this flag wants\n", row->name, word);
    if (row)
        kiln_flag_help(row->name, usage);
    else
        show_lines(letter, usage, stderr);
    return 2;
}
