// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces locations in MLIR's text by comments (places.h).
//
// A location may be a name around another one, fused, or a call site; its place is the first file
// and line in it, which is where the operation was written.
#include "places.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/string.h"

typedef struct span {
    const char *at;
    size_t length;
} span_t;

typedef struct alias {
    span_t name, value; // "#loc12" and what follows " = "
} alias_t;

typedef struct aliases {
    alias_t *all;
    size_t count, capacity;
} aliases_t;

static bool is_of_name(char c)
{
    return kiln_is_alphanumeric(c) || c == '_';
}

static span_t name_at(const char *at, const char *end)
{
    span_t name = {at, 1}; // '#'
    while (at + name.length < end && is_of_name(at[name.length]))
        name.length++;
    return name;
}

// "#loc12 = loc(…)"
static bool is_alias(const char *line, const char *end, alias_t *out)
{
    static const char IS[] = " = loc(";
    if (line == end || *line != '#')
        return false;
    out->name = name_at(line, end);
    out->value.at = line + out->name.length;
    out->value.length = (size_t)(end - out->value.at);
    return out->value.length > sizeof IS && memcmp(out->value.at, IS, sizeof IS - 1) == 0;
}

static bool read_aliases(const char *text, aliases_t *out)
{
    for (const char *line = text; *line;) {
        const char *end = strchrnul(line, '\n');
        alias_t alias;
        if (is_alias(line, end, &alias)) {
            if (!KILN_ARRAY_RESERVE(&out->all, &out->capacity, out->count + 1))
                return false;
            out->all[out->count++] = alias;
        }
        line = *end ? end + 1 : end;
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const span_t *x = &((const alias_t *)a)->name, *y = &((const alias_t *)b)->name;
    const size_t shorter = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->at, y->at, shorter);
    return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

// Skips a string; `at` is behind its first quote. Returns what follows the last one.
static const char *string_end(const char *at, const char *end)
{
    while (at < end && *at != '"')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

// Appends FILE:LINE; false if the location has none.
static bool append_place(const aliases_t *aliases, span_t location, int depth, kiln_string_t *out)
{
    enum { DEEPEST = 64 };
    const char *end = location.at + location.length;
    for (const char *at = location.at; at < end && depth < DEEPEST; at++) {
        if (*at == '"') {
            const char *after = string_end(at + 1, end);
            if (after + 1 < end && *after == ':' && after[1] >= '0' && after[1] <= '9') {
                kiln_string_append_bytes(out, at + 1, (size_t)(after - at) - 2);
                kiln_string_append_bytes(out, after, 1 + strspn(after + 1, "0123456789"));
                return true;
            }
            at = after - 1;
        } else if (*at == '#') {
            const alias_t key = {.name = name_at(at, end)};
            const alias_t *found = bsearch(&key, aliases->all, aliases->count, sizeof key, by_name);
            if (found && append_place(aliases, found->value, depth + 1, out))
                return true;
        }
    }
    return false;
}

// The end of "loc(…)" at `at`; NULL if there is none.
static const char *location_end(const char *at, const char *end)
{
    int depth = 0;
    for (at += strlen("loc"); at < end; at++) {
        if (*at == '"')
            at = string_end(at + 1, end) - 1;
        depth += (*at == '(') - (*at == ')');
        if (*at == ')' && depth == 0)
            return at + 1;
    }
    return NULL;
}

static void write_line(const aliases_t *aliases, const char *line, const char *end,
                       kiln_string_t *out)
{
    span_t last = {NULL, 0};
    const size_t begin = out->length;
    for (const char *at = line; at < end;) {
        const char *after =
            end - at > 5 && memcmp(at, " loc(", 5) == 0 ? location_end(at + 1, end) : NULL;
        if (after) {
            last = (span_t){at, (size_t)(after - at)};
            at = after;
        } else if (*at == '"') {
            const char *next = string_end(at + 1, end);
            kiln_string_append_bytes(out, at, (size_t)(next - at));
            at = next;
        } else {
            kiln_string_append_char(out, *at++);
        }
    }
    kiln_string_t place = {0};
    if (last.at && out->length > begin && append_place(aliases, last, 0, &place))
        kiln_string_appendf(out, "  // %s", place.data);
    out->failed |= place.failed;
    kiln_string_free(&place);
    kiln_string_append_char(out, '\n');
}

char *kiln_places_text(const char *text)
{
    aliases_t aliases = {0};
    kiln_string_t out = {0};
    kiln_string_append(&out, "");
    if (!read_aliases(text, &aliases)) {
        free(aliases.all);
        kiln_string_free(&out);
        return NULL;
    }
    if (aliases.count)
        qsort(aliases.all, aliases.count, sizeof *aliases.all, by_name);
    for (const char *line = text; *line;) {
        const char *end = strchrnul(line, '\n');
        alias_t alias;
        if (!is_alias(line, end, &alias))
            write_line(&aliases, line, end, &out);
        line = *end ? end + 1 : end;
    }
    free(aliases.all);
    return kiln_string_take(&out);
}
