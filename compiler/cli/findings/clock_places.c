// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the source lines of the clock's findings.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "clock_rules.h"

static const char *base_of(const char *path)
{
    return kiln_path_base(path);
}

// Splits "directory/file:12"; the line is 0 without one.
static unsigned split_place(const char *place, size_t *out_file_length)
{
    const char *colon = strrchr(place, ':');
    *out_file_length = colon ? (size_t)(colon - place) : strlen(place);
    return colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

static bool is_own_file(const kiln_clock_search_t *search, const char *place, size_t length)
{
    const char *own = base_of(search->name);
    const size_t own_length = strlen(own);
    return length >= own_length && memcmp(place + length - own_length, own, own_length) == 0;
}

static char *line_of(const char *text, unsigned line)
{
    for (; text && line > 1; line--) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text && line ? strndup(text, strcspn(text, "\n")) : NULL;
}

void kiln_clock_set_place(const kiln_clock_search_t *search, const kiln_sim_line_t *line,
                          kiln_found_t *found)
{
    size_t length;
    found->line = split_place(line->source, &length);
    found->column = line->column;
    if (!found->line)
        return;
    const bool own = is_own_file(search, line->source, length);
    found->file = own ? strdup(search->name) : strndup(line->source, length);
    found->source_line = own ? line_of(search->source, found->line) : NULL;
}

bool kiln_clock_is_at(const kiln_found_t *found, const kiln_sim_line_t *line)
{
    size_t length;
    const unsigned number = split_place(line->source, &length);
    if (!found->file || !number || number != found->line)
        return false;
    const char *own = base_of(found->file);
    const size_t own_length = strlen(own);
    return length >= own_length && memcmp(line->source + length - own_length, own, own_length) == 0;
}

void kiln_clock_set_declaration(const kiln_clock_search_t *search, kiln_found_t *found)
{
    const size_t length = strlen(search->kernel);
    unsigned line = 1;
    const char *begin = search->source;
    for (const char *at = begin; at && *at; at++) {
        if (*at == '\n') {
            line++;
            begin = at + 1;
        }
        const bool starts = at == begin || (!kiln_is_alphanumeric(at[-1]) && at[-1] != '_');
        if (!starts || strncmp(at, search->kernel, length) != 0 || at[length] != '(')
            continue;
        found->file = strdup(search->name);
        found->line = line;
        found->column = (unsigned)(at - begin) + 1;
        found->source_line = strndup(begin, strcspn(begin, "\n"));
        return;
    }
    if (search->count)
        kiln_clock_set_place(search, &search->lines[0], found);
}
