// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rejects input that must not reach a parser: binary data, and MLIR text on which MLIR's recursive
// parser, printer and destructors would overflow the stack or take exponential time.
//
// Brackets are not the only nesting: an alias (#a1 = [#a0, #a0]) nests the aliases that it uses,
// and a chain of a hundred of these doubles in size a hundred times when printed or walked. So each
// alias has a depth and a size.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/number.h"
#include "driver/compile_internal.h"

enum { MAX_SIZE = 1 << 20, MAX_NUMBER = 4096 };

typedef struct alias {
    const char *name; // including the sigil; points into the text
    size_t length;
    uint32_t depth, size;
} alias_t;

typedef struct scan {
    const kiln_source_t *source;
    const char *at, *end;
    alias_t *aliases; // a hash table with open addressing; its size is a power of two
    size_t capacity, count;
    size_t open;       // the alias that is being defined, or SIZE_MAX
    uint32_t brackets; // currently open
} scan_t;

static kiln_status_t refuse(const scan_t *scan, const char *at, const char *what)
{
    unsigned line = 1, column = 1;
    for (const char *p = scan->source->text; p < at; p++) {
        column = *p == '\n' ? 1 : column + 1;
        line += *p == '\n';
    }
    return kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", what),
                          scan->source->name, line, column);
}

static kiln_status_t check_encoding(const scan_t *scan)
{
    static const struct {
        const char *bytes, *what;
    } marks[] = {{"\xef\xbb\xbf", "the file begins with a byte order mark; save it without one"},
                 {"\xff\xfe", "the file is UTF-16; save it as UTF-8"},
                 {"\xfe\xff", "the file is UTF-16; save it as UTF-8"}};
    size_t length = scan->source->length;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (length >= strlen(marks[i].bytes) &&
            memcmp(scan->at, marks[i].bytes, strlen(marks[i].bytes)) == 0)
            return refuse(scan, scan->at, marks[i].what);
    const char *nul = length ? memchr(scan->at, '\0', length) : NULL;
    return nul ? refuse(scan, nul, "unexpected NUL byte in a text file") : KILN_OK;
}

// Aliases -----------------------------------------------------------------------------------------

static size_t slot_of(const scan_t *scan, const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    size_t slot = hash & (scan->capacity - 1);
    while (scan->aliases[slot].name && (scan->aliases[slot].length != length ||
                                        memcmp(scan->aliases[slot].name, name, length) != 0))
        slot = (slot + 1) & (scan->capacity - 1);
    return slot;
}

static bool grow(scan_t *scan)
{
    if (scan->count * 2 < scan->capacity)
        return true;
    scan_t larger = *scan;
    larger.capacity = scan->capacity ? scan->capacity * 2 : 256;
    larger.aliases = calloc(larger.capacity, sizeof *larger.aliases);
    if (!larger.aliases)
        return false;
    for (size_t i = 0; i < scan->capacity; i++)
        if (scan->aliases[i].name)
            larger.aliases[slot_of(&larger, scan->aliases[i].name, scan->aliases[i].length)] =
                scan->aliases[i];
    free(scan->aliases);
    *scan = larger;
    return true;
}

static bool is_word(char c)
{
    return kiln_is_alphanumeric(c) || c == '_' || c == '$' || c == '.';
}

// Names with a sigil may contain a dash, even in "#a->".
static void skip_name(scan_t *scan)
{
    for (scan->at++; scan->at < scan->end && (is_word(*scan->at) || *scan->at == '-'); scan->at++)
        continue;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && kiln_is_blank(*at))
        at++;
    return at;
}

// Records that something of this depth and size occurs here, and adds it to the alias that is being
// defined, if any.
static kiln_status_t nest(scan_t *scan, const char *at, uint32_t depth, uint32_t size)
{
    depth += scan->brackets;
    if (depth > KILN_DEPTH_LIMIT)
        return refuse(scan, at,
                      "nested more than " KILN_LIMIT_TEXT(KILN_DEPTH_LIMIT) " levels deep");
    if (scan->open == SIZE_MAX)
        return KILN_OK;
    alias_t *alias = &scan->aliases[scan->open];
    alias->depth = depth > alias->depth ? depth : alias->depth;
    alias->size += size;
    return alias->size <= MAX_SIZE
               ? KILN_OK
               : refuse(scan, at, "this alias expands to more than 1048576 attributes or types");
}

// A name with a sigil: a definition or a use.
static kiln_status_t take_name(scan_t *scan)
{
    const char *name = scan->at;
    skip_name(scan);
    size_t length = (size_t)(scan->at - name);
    const char *next = skip_blanks(scan->at, scan->end);
    bool defines = scan->brackets == 0 && next + 1 < scan->end && *next == '=' && next[1] != '=';
    if (defines) {
        if (!grow(scan))
            return kiln_status_out_of_memory();
        scan->open = slot_of(scan, name, length);
        scan->count += !scan->aliases[scan->open].name;
        scan->aliases[scan->open] = (alias_t){name, length, 1, 1};
        return KILN_OK;
    }
    const alias_t *alias = scan->capacity ? &scan->aliases[slot_of(scan, name, length)] : NULL;
    return alias && alias->name ? nest(scan, name, alias->depth, alias->size) : KILN_OK;
}

// Words that crash or stall MLIR's parser.
static kiln_status_t take_word(scan_t *scan)
{
    const char *word = scan->at;
    while (scan->at < scan->end && is_word(*scan->at))
        scan->at++;
    size_t length = (size_t)(scan->at - word);
    if (length > MAX_NUMBER && kiln_is_digit(*word)) // the parser takes quadratic time
        return refuse(scan, word, "number has more than 4096 digits");
    if (length == 10 &&
        (memcmp(word, "affine_map", 10) == 0 || memcmp(word, "affine_set", 10) == 0))
        return refuse(scan, word, "affine maps and sets are not supported in tt and ttg");
    // A dense array of index crashes the parser of MLIR 22.
    const char *type = scan->at < scan->end ? skip_blanks(scan->at + 1, scan->end) : scan->end;
    if (length == 5 && memcmp(word, "array", 5) == 0 && scan->at < scan->end && *scan->at == '<' &&
        scan->end - type >= 5 && memcmp(type, "index", 5) == 0)
        return refuse(scan, word, "arrays of index are not supported");
    return KILN_OK;
}

static void skip_string(scan_t *scan)
{
    for (scan->at++; scan->at < scan->end && *scan->at != '"' && *scan->at != '\n'; scan->at++)
        if (*scan->at == '\\' && scan->at + 1 < scan->end)
            scan->at++;
    scan->at += scan->at < scan->end;
}

static kiln_status_t check_nesting(scan_t *scan)
{
    while (scan->at < scan->end) {
        char c = *scan->at;
        bool is_arrow = c == '-' && scan->at + 1 < scan->end && scan->at[1] == '>';
        if (c == '"') {
            skip_string(scan);
        } else if (c == '/' && scan->at + 1 < scan->end && scan->at[1] == '/') {
            const char *line_end = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
            scan->at = line_end ? line_end : scan->end;
        } else if (c == '#' || c == '!') {
            KILN_TRY(take_name(scan));
        } else if (c == '%' || c == '^' || c == '@') {
            skip_name(scan);
        } else if (is_arrow) {
            scan->at += 2;
        } else if (is_word(c)) {
            KILN_TRY(take_word(scan));
        } else {
            scan->brackets += strchr("([{<", c) != NULL;
            scan->brackets -= strchr(")]}>", c) && scan->brackets;
            if (strchr("([{<", c))
                KILN_TRY(nest(scan, scan->at, 1, 1));
            else if (c == '\n' && scan->brackets == 0)
                scan->open = SIZE_MAX;
            scan->at++;
        }
    }
    return KILN_OK;
}

// Whether the text consists of blanks and comments only.
static bool is_empty(const scan_t *scan)
{
    const char *at = scan->at;
    while ((at = skip_blanks(at, scan->end)) < scan->end) {
        if (scan->end - at < 2 || at[0] != '/' || at[1] != '/')
            return false;
        const char *line_end = memchr(at, '\n', (size_t)(scan->end - at));
        at = line_end ? line_end : scan->end;
    }
    return true;
}

bool kiln_source_is_bytecode(const kiln_source_t *source)
{
    static const char magic[] = "ML\xefR";
    return (source->stage == KILN_STAGE_TT || source->stage == KILN_STAGE_TTG) &&
           source->length >= 4 && memcmp(source->text, magic, 4) == 0;
}

kiln_status_t kiln_compile_check_source(const kiln_source_t *source)
{
    scan_t scan = {.source = source,
                   .at = source->text,
                   .end = source->text + source->length,
                   .open = SIZE_MAX};
    KILN_TRY(check_encoding(&scan));
    if (source->stage == KILN_STAGE_TILE) // its parser counts levels itself
        return KILN_OK;
    if (is_empty(&scan))
        return refuse(&scan, scan.at, "the file is empty; expected a module with a public tt.func");
    kiln_status_t status = check_nesting(&scan);
    free(scan.aliases);
    return status;
}
