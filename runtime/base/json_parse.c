// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses JSON text into jansson's values: RFC 8259 with an object or an array at the top level and
// unique keys.
//
// jansson's own parser is not used because it does not handle allocation failures: if memory runs
// out within a long string, jansson 2.14 aborts. Its value functions do not.
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "base/string.h"

enum { MAX_DEPTH = 256 };

typedef struct parser {
    const char *name, *text, *next, *end;
    int depth;
    kiln_status_t failure;
} parser_t;

static json_t *value(parser_t *p);

// Fails with an error that names the line and column of `at`.
static json_t *fail(parser_t *p, const char *at, const char *what)
{
    unsigned line = 1, column = 1;
    if (p->failure)
        return NULL;
    for (const char *c = p->text; c < at; c++) {
        line += *c == '\n';
        column =
            *c == '\n' ? 1 : column + (((unsigned char)*c & 0xc0) != 0x80); // characters of UTF-8
    }
    p->failure =
        kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "invalid JSON: %s", what),
                       p->name, line, column);
    return NULL;
}

// Returns the new value, or records an allocation failure.
static json_t *made(parser_t *p, json_t *json)
{
    if (!json && !p->failure)
        p->failure = kiln_status_out_of_memory();
    return json;
}

// Skips blanks and returns the next character without consuming it; 0 at the end.
static char peek(parser_t *p)
{
    while (p->next < p->end && strchr(" \t\r\n", *p->next) && *p->next)
        p->next++;
    return p->next < p->end ? *p->next : '\0';
}

static bool accept(parser_t *p, char c)
{
    if (peek(p) != c || p->next == p->end)
        return false;
    p->next++;
    return true;
}

// Strings -----------------------------------------------------------------------------------------

static bool hexadecimal(parser_t *p, unsigned *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++, p->next++) {
        const char c = p->next < p->end ? *p->next : '\0';
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            fail(p, p->next, "expected four hexadecimal digits");
            return false;
        }
        *out = *out << 4 | (unsigned)digit;
    }
    return true;
}

static void append_utf8(kiln_string_t *out, unsigned code)
{
    const unsigned char bytes[4] = {
        (unsigned char)(code >> 18 | 0xf0), (unsigned char)((code >> 12 & 0x3f) | 0x80),
        (unsigned char)((code >> 6 & 0x3f) | 0x80), (unsigned char)((code & 0x3f) | 0x80)};
    if (code >= 0x10000) {
        kiln_string_append_bytes(out, bytes, 4);
    } else if (code >= 0x800) {
        kiln_string_append_char(out, (char)(code >> 12 | 0xe0));
        kiln_string_append_bytes(out, bytes + 2, 2);
    } else if (code >= 0x80) {
        kiln_string_append_char(out, (char)(code >> 6 | 0xc0));
        kiln_string_append_bytes(out, bytes + 3, 1);
    } else {
        kiln_string_append_char(out, (char)code);
    }
}

// Parses what follows "\u".
static void unicode_escape(parser_t *p, const char *begin, kiln_string_t *out)
{
    unsigned code, low;
    if (!hexadecimal(p, &code))
        return;
    if (code >= 0xd800 && code < 0xdc00) { // the first unpaired surrogate
        if (p->end - p->next < 2 || p->next[0] != '\\' || p->next[1] != 'u') {
            fail(p, begin, "unpaired surrogate");
            return;
        }
        p->next += 2;
        if (!hexadecimal(p, &low))
            return;
        code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
                                             : 0xdc00;
    }
    if (code == 0 || (code >= 0xdc00 && code < 0xe000))
        fail(p, begin, code ? "unpaired surrogate" : "\\u0000 is not allowed");
    else
        append_utf8(out, code);
}

static void escape(parser_t *p, const char *begin, kiln_string_t *out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char c = p->next < p->end ? *p->next++ : '\0';
    const char *letter = c ? strchr(letters, c) : NULL;
    if (letter)
        kiln_string_append_char(out, meanings[letter - letters]);
    else if (c == 'u')
        unicode_escape(p, begin, out);
    else
        fail(p, begin, "invalid escape");
}

// Parses from after the opening quote to after the closing one. The caller frees `out`, also after
// a failure.
static bool string(parser_t *p, kiln_string_t *out)
{
    const char *begin = p->next - 1;
    kiln_string_append(out, "");
    while (!p->failure && p->next < p->end && *p->next != '"') {
        const char *at = p->next;
        while (p->next < p->end && (unsigned char)*p->next >= ' ' && *p->next != '"' &&
               *p->next != '\\')
            p->next++;
        kiln_string_append_bytes(out, at, (size_t)(p->next - at));
        at = p->next;
        if (at < p->end && (unsigned char)*at < ' ')
            fail(p, at, "control character in a string");
        else if (at < p->end && *at == '\\')
            p->next++, escape(p, at, out);
    }
    if (!p->failure && p->next == p->end)
        fail(p, begin, "unterminated string");
    if (!p->failure && out->failed)
        p->failure = kiln_status_out_of_memory();
    if (!p->failure && !kiln_string_is_utf8(out->data, out->length))
        fail(p, begin, "string is not UTF-8");
    p->next += !p->failure;
    return !p->failure;
}

// Numbers and words -------------------------------------------------------------------------------

static size_t digits(parser_t *p)
{
    const char *begin = p->next;
    while (p->next < p->end && *p->next >= '0' && *p->next <= '9')
        p->next++;
    return (size_t)(p->next - begin);
}

static json_t *real(parser_t *p, const char *begin, const char *text)
{
    const double number = kiln_real_parse(text, NULL);
    return isfinite(number) ? made(p, json_real(number)) : fail(p, begin, "number is too large");
}

static json_t *number(parser_t *p)
{
    const char *begin = p->next;
    bool is_real = false;
    p->next += *p->next == '-';
    const char *first = p->next;
    const size_t count = digits(p);
    if (count == 0 || (count > 1 && *first == '0'))
        return fail(p, begin, "expected a value");
    if (p->next < p->end && *p->next == '.') {
        is_real = true;
        p->next++;
        if (!digits(p))
            return fail(p, p->next, "expected a digit");
    }
    if (p->next < p->end && (*p->next == 'e' || *p->next == 'E')) {
        is_real = true;
        p->next++;
        if (p->next < p->end && (*p->next == '+' || *p->next == '-'))
            p->next++;
        if (!digits(p))
            return fail(p, p->next, "expected a digit");
    }
    char *text = strndup(begin, (size_t)(p->next - begin)); // strtoll needs a terminated string
    if (!text)
        return made(p, NULL);
    json_t *json;
    if (is_real) {
        json = real(p, begin, text);
    } else {
        errno = 0;
        const long long integer = strtoll(text, NULL, 10);
        json = errno ? fail(p, begin, "integer does not fit in 64 bits")
                     : made(p, json_integer(integer));
    }
    free(text);
    return json;
}

static json_t *word(parser_t *p)
{
    const char *begin = p->next;
    while (p->next < p->end && *p->next >= 'a' && *p->next <= 'z')
        p->next++;
    const size_t length = (size_t)(p->next - begin);
    if (length == 4 && strncmp(begin, "true", 4) == 0)
        return json_true();
    if (length == 5 && strncmp(begin, "false", 5) == 0)
        return json_false();
    if (length == 4 && strncmp(begin, "null", 4) == 0)
        return json_null();
    return fail(p, begin, begin == p->end ? "unexpected end of input" : "expected a value");
}

// Objects and arrays ------------------------------------------------------------------------------

// Parses one member; the object takes ownership.
static void member(parser_t *p, json_t *object)
{
    kiln_string_t key = {0};
    peek(p);
    const char *begin = p->next;
    if (!accept(p, '"'))
        fail(p, p->next, "expected a quoted key");
    else if (string(p, &key)) {
        if (json_object_get(object, key.data))
            fail(p, begin, "duplicate key");
        else if (!accept(p, ':'))
            fail(p, p->next, "expected ':'");
        json_t *json = p->failure ? NULL : value(p);
        if (json && json_object_set_new_nocheck(object, key.data, json) && !p->failure)
            p->failure = kiln_status_out_of_memory();
    }
    kiln_string_free(&key);
}

static void element(parser_t *p, json_t *array)
{
    json_t *json = value(p);
    if (json && json_array_append_new(array, json) && !p->failure)
        p->failure = kiln_status_out_of_memory();
}

// Parses a list after its opening bracket. Takes ownership of `json`, which may be NULL.
static json_t *list(parser_t *p, json_t *json, void (*one)(parser_t *, json_t *), char last)
{
    made(p, json);
    if (!p->failure && !accept(p, last)) {
        do
            one(p, json);
        while (!p->failure && accept(p, ','));
        if (!p->failure && !accept(p, last))
            fail(p, p->next, last == '}' ? "expected ',' or '}'" : "expected ',' or ']'");
    }
    if (p->failure) {
        json_decref(json);
        return NULL;
    }
    return json;
}

static json_t *value(parser_t *p)
{
    const char c = peek(p);
    kiln_string_t text = {0};
    json_t *json;
    if (p->depth == MAX_DEPTH)
        return fail(p, p->next, "nested more than 256 deep");
    p->depth++;
    switch (c) {
    case '{':
        p->next++;
        json = list(p, json_object(), member, '}');
        break;
    case '[':
        p->next++;
        json = list(p, json_array(), element, ']');
        break;
    case '"':
        p->next++;
        json = string(p, &text) ? made(p, json_stringn_nocheck(text.data, text.length)) : NULL;
        break;
    default:
        json = c == '-' || (c >= '0' && c <= '9') ? number(p) : word(p);
    }
    kiln_string_free(&text);
    p->depth--;
    return json;
}

kiln_status_t kiln_json_parse(const char *name, const char *text, size_t length, json_t **out_json)
{
    parser_t p = {.name = name, .text = text, .next = text, .end = text + length};
    const char first = peek(&p);
    *out_json = first == '{' || first == '[' ? value(&p) : fail(&p, p.next, "expected '{' or '['");
    peek(&p);
    if (!p.failure && p.next < p.end)
        fail(&p, p.next, "unexpected text after the value");
    if (p.failure) {
        json_decref(*out_json);
        *out_json = NULL;
    }
    return p.failure;
}
