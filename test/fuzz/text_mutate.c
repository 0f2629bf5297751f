// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutates program text (text_mutate.h): lines, blocks, tokens, types and values.
#include "text_mutate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PIECES = 8192 };

typedef struct span {
    size_t at, length;
} span_t;

typedef struct text {
    char *data;
    size_t size, room;
    uint64_t random;
} text_t;

static unsigned draw(text_t *text, size_t bound)
{
    text->random = text->random * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)((text->random >> 33) % bound);
}

// Replaces a span by `with`, which must not be part of the text.
static bool replace(text_t *text, span_t span, const char *with, size_t length)
{
    if (text->size - span.length + length > text->room)
        return false;
    char *at = text->data + span.at;
    memmove(at + length, at + span.length, text->size - span.at - span.length);
    memcpy(at, with, length);
    text->size = text->size - span.length + length;
    return true;
}

// The same for a part of the text itself.
static bool replace_by_copy(text_t *text, span_t span, span_t with)
{
    char *copy = malloc(with.length + 1);
    if (!copy)
        return false;
    memcpy(copy, text->data + with.at, with.length);
    bool done = replace(text, span, copy, with.length);
    free(copy);
    return done;
}

// Pieces ------------------------------------------------------------------------------------------

static size_t find_lines(const char *data, size_t size, span_t lines[MAX_PIECES])
{
    size_t count = 0;
    for (size_t at = 0; at < size && count < MAX_PIECES;) {
        const char *end = memchr(data + at, '\n', size - at);
        size_t length = end ? (size_t)(end - data) - at + 1 : size - at;
        lines[count++] = (span_t){at, length};
        at += length;
    }
    return count;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

// Numbers, words, and names with their sigil. The x between a shape's sizes belongs to neither
// side.
static size_t find_tokens(const char *data, size_t from, size_t to, span_t tokens[MAX_PIECES])
{
    size_t count = 0;
    for (size_t at = from; at < to && count < MAX_PIECES;) {
        size_t start = at;
        if (isdigit((unsigned char)data[at])) {
            while (at < to && isdigit((unsigned char)data[at]))
                at++;
            tokens[count++] = (span_t){start, at - start};
            if (at + 1 < to && data[at] == 'x' && is_word(data[at + 1]))
                at++;
        } else if (is_word(data[at]) ||
                   (data[at] && strchr("%#@!", data[at]) && at + 1 < to && is_word(data[at + 1]))) {
            at++;
            while (at < to && is_word(data[at]))
                at++;
            tokens[count++] = (span_t){start, at - start};
        } else {
            at++;
        }
    }
    return count;
}

static bool same(const char *data, span_t a, span_t b)
{
    return a.length == b.length && memcmp(data + a.at, data + b.at, a.length) == 0;
}

// Chooses some lines, or a block with everything between its braces.
static span_t choose_lines(text_t *text, const char *data, size_t size)
{
    static span_t lines[MAX_PIECES];
    size_t count = find_lines(data, size, lines);
    if (!count)
        return (span_t){0, 0};
    size_t first = draw(text, count), last = first;
    int depth = 0;
    for (size_t i = first; i < count && i < first + 200; i++) {
        for (size_t c = lines[i].at; c < lines[i].at + lines[i].length; c++)
            depth += (data[c] == '{') - (data[c] == '}');
        if (depth <= 0) {
            last = i;
            break;
        }
    }
    if (last == first && draw(text, 2))
        last = first + draw(text, 4);
    if (last >= count)
        last = count - 1;
    return (span_t){lines[first].at, lines[last].at + lines[last].length - lines[first].at};
}

static span_t choose_gap(text_t *text)
{
    span_t lines = choose_lines(text, text->data, text->size);
    return (span_t){lines.at, 0};
}

// Mutations ---------------------------------------------------------------------------------------

static bool remove_lines(text_t *text)
{
    return replace(text, choose_lines(text, text->data, text->size), "", 0);
}

static bool copy_lines(text_t *text)
{
    span_t lines = choose_lines(text, text->data, text->size);
    return replace_by_copy(text, choose_gap(text), lines);
}

static bool replace_lines(text_t *text)
{
    span_t lines = choose_lines(text, text->data, text->size);
    return replace_by_copy(text, choose_lines(text, text->data, text->size), lines);
}

// Replaces every token equal to `old` within [from, to) by `with`.
static bool replace_all(text_t *text, span_t old, const char *with, size_t from, size_t to)
{
    static span_t tokens[MAX_PIECES];
    char copy[128], word[128];
    if (old.length >= sizeof copy || strlen(with) >= sizeof word)
        return false;
    memcpy(copy, text->data + old.at, old.length);
    strcpy(word, with);
    size_t count = find_tokens(text->data, from, to, tokens);
    bool done = false;
    for (size_t i = count; i-- > 0;) // from the end, so that earlier positions stay valid
        if (tokens[i].length == old.length &&
            memcmp(text->data + tokens[i].at, copy, old.length) == 0)
            done |= replace(text, tokens[i], word, strlen(word));
    return done;
}

// The line that contains a position.
static span_t line_of(const text_t *text, size_t at)
{
    size_t from = at, to = at;
    while (from > 0 && text->data[from - 1] != '\n')
        from--;
    while (to < text->size && text->data[to] != '\n')
        to++;
    return (span_t){from, to - from};
}

static bool replace_somewhere(text_t *text, span_t old, const char *with)
{
    span_t line = line_of(text, old.at);
    switch (draw(text, 4)) {
    case 0:
        return replace(text, old, with, strlen(with));
    case 1:
        return replace_all(text, old, with, line.at, line.at + line.length);
    default:
        return replace_all(text, old, with, 0, text->size);
    }
}

static bool change_number(text_t *text, span_t token)
{
    static const char *const values[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "4",
                                         "5",
                                         "7",
                                         "8",
                                         "15",
                                         "16",
                                         "17",
                                         "31",
                                         "32",
                                         "33",
                                         "63",
                                         "64",
                                         "65",
                                         "100",
                                         "127",
                                         "128",
                                         "256",
                                         "512",
                                         "1024",
                                         "2048",
                                         "4096",
                                         "65536",
                                         "1048576",
                                         "2097152",
                                         "2147483647",
                                         "2147483648",
                                         "4294967295",
                                         "4294967296",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "-1",
                                         "-2147483648"};
    char digits[24] = "", result[32];
    if (token.length >= sizeof digits)
        return false;
    memcpy(digits, text->data + token.at, token.length);
    unsigned long long value = strtoull(digits, NULL, 10);
    unsigned kind = draw(text, 8);
    if (kind >= 6)
        return replace_somewhere(text, token, values[draw(text, sizeof values / sizeof *values)]);
    const unsigned long long results[] = {value * 2, value / 2, value + 1, value ? value - 1 : 1,
                                          value * 4, value / 4};
    snprintf(result, sizeof result, "%llu", results[kind]);
    return replace_somewhere(text, token, result);
}

// The text after the last colon or arrow of a line that defines a value: its type, without a
// location.
static span_t type_of_line(const text_t *text, span_t line)
{
    size_t from = line.at, to = line.at + line.length;
    for (size_t i = line.at; i + 5 < to; i++)
        if (memcmp(text->data + i, " loc(", 5) == 0)
            to = i;
    for (size_t i = line.at; i + 2 < to; i++)
        if (memcmp(text->data + i, " : ", 3) == 0 || memcmp(text->data + i, "-> ", 3) == 0)
            from = i + 3;
    return from == line.at ? (span_t){line.at, 0} : (span_t){from, to - from};
}

// Replaces a value by another, preferably one defined earlier and of the same type.
static bool change_value(text_t *text, span_t token)
{
    static span_t lines[MAX_PIECES];
    size_t count = find_lines(text->data, text->size, lines), found = 0;
    span_t type = {0}, choice = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            span_t name = {lines[i].at, 0};
            while (name.at < lines[i].at + lines[i].length && text->data[name.at] == ' ')
                name.at++;
            if (text->data[name.at] != '%')
                continue;
            do
                name.length++;
            while (name.at + name.length < text->size &&
                   is_word(text->data[name.at + name.length]));
            span_t line = {lines[i].at, lines[i].length - 1};
            if (pass == 0 && same(text->data, name, token))
                type = type_of_line(text, line);
            bool fits = type.length ? same(text->data, type_of_line(text, line), type) : true;
            if (pass == 1 && fits && !same(text->data, name, token) &&
                (name.at < token.at || draw(text, 16) == 0) && draw(text, ++found) == 0)
                choice = name;
        }
    return choice.length && replace_by_copy(text, token, choice);
}

static bool in_group(const char *group, const char *data, span_t word)
{
    for (const char *at = group; *at;) {
        size_t length = strcspn(at, " ");
        if (length == word.length && memcmp(at, data + word.at, length) == 0)
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

static bool change_word(text_t *text, span_t token, text_groups_t groups)
{
    for (; *groups; groups++) {
        if (!in_group(*groups, text->data, token))
            continue;
        char copy[1024], *words[128], *rest = NULL;
        size_t count = 0;
        snprintf(copy, sizeof copy, "%s", *groups);
        for (char *word = strtok_r(copy, " ", &rest); word && count < 128;
             word = strtok_r(NULL, " ", &rest))
            words[count++] = word;
        return replace_somewhere(text, token, words[draw(text, count)]);
    }
    return false;
}

static bool change_token(text_t *text, text_groups_t groups)
{
    static span_t tokens[MAX_PIECES];
    size_t count = find_tokens(text->data, 0, text->size, tokens);
    for (int tries = 0; count && tries < 8; tries++) {
        span_t token = tokens[draw(text, count)], other = tokens[draw(text, count)];
        char first = text->data[token.at];
        if (isdigit((unsigned char)first) ? change_number(text, token)
            : first == '%'                ? change_value(text, token)
                                          : change_word(text, token, groups))
            return true;
        if (tries > 4 && text->data[other.at] == first && replace_by_copy(text, token, other))
            return true;
    }
    return false;
}

// The text from `at` to its matching closing bracket: "tensor<…>", "{…}", "[…]".
static span_t bracketed(const text_t *text, size_t at)
{
    int depth = 0;
    for (size_t i = at; i < text->size && text->data[i] != '\n'; i++) {
        if (!text->data[i])
            break;
        depth += strchr("<{[(", text->data[i]) != NULL;
        if (strchr(">}])", text->data[i]) && (i == 0 || text->data[i - 1] != '-') && --depth <= 0)
            return (span_t){at, i + 1 - at};
    }
    return (span_t){at, 0};
}

// Replaces a type, an attribute or a list by another that begins with the same word or bracket.
static bool change_bracketed(text_t *text)
{
    static const char *const openers[] = {"tensor<", "tensor<", "!ttg.memdesc<", "#ttg.",
                                          "{",       "[",       "dense<",        "<"};
    const char *opener = openers[draw(text, sizeof openers / sizeof *openers)];
    size_t length = strlen(opener), found[2] = {0, 0};
    span_t choice[2] = {{0}};
    for (size_t at = 0; at + length <= text->size; at++)
        if (memcmp(text->data + at, opener, length) == 0)
            for (int i = 0; i < 2; i++)
                if (draw(text, ++found[i]) == 0)
                    choice[i] = bracketed(text, at);
    return choice[0].length && choice[1].length && !same(text->data, choice[0], choice[1]) &&
           replace_by_copy(text, choice[0], choice[1]);
}

size_t text_mutate(char *data, size_t size, size_t room, unsigned seed, text_groups_t groups)
{
    text_t text = {data, size, room, seed * 0x9e3779b97f4a7c15ull + 1};
    unsigned wanted = 1 + (draw(&text, 3) == 0 ? draw(&text, 4) : 0), done = 0;
    for (unsigned tries = 0; done < wanted && tries < 16 && text.size; tries++) {
        unsigned kind = draw(&text, 16);
        done += kind == 0   ? remove_lines(&text)
                : kind == 1 ? copy_lines(&text)
                : kind == 2 ? replace_lines(&text)
                : kind <= 4 ? change_bracketed(&text)
                            : change_token(&text, groups);
    }
    return done ? text.size : 0;
}

size_t text_splice(char *data, size_t size, size_t room, const char *other, size_t other_size,
                   unsigned seed)
{
    text_t text = {data, size, room, seed * 0x9e3779b97f4a7c15ull + 1};
    span_t lines = choose_lines(&text, other, other_size);
    span_t place = draw(&text, 2) ? choose_gap(&text) : choose_lines(&text, text.data, text.size);
    return lines.length && replace(&text, place, other + lines.at, lines.length) ? text.size : 0;
}
