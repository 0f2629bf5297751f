// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts text to tokens, either a source without directives or a preprocessed one.
//
// Numbers have C's forms, digit separators ('), and the suffixes u, l, ll, f, f16, bf16, f32, f64.
#include "frontend/lex/lexer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static const struct {
    const char *spelling;
    kiln_token_kind_t kind;
} keywords[] =
    {
#define KILN_KEYWORD(id, spelling) {spelling, KILN_TOKEN_##id},
#include "frontend/lex/tokens.def"
},
  punctuators[] = {
#define KILN_PUNCTUATOR(id, spelling) {spelling, KILN_TOKEN_##id},
#include "frontend/lex/tokens.def"
};

static const struct {
    const char *spelling, *advice;
} foreign[] = {
#define KILN_FOREIGN(spelling, advice) {spelling, advice},
#include "frontend/lex/tokens.def"
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *kiln_token_kind_name(kiln_token_kind_t kind)
{
    switch (kind) {
    case KILN_TOKEN_END:
        return "end of file";
    case KILN_TOKEN_NAME:
        return "a name";
    case KILN_TOKEN_INTEGER:
        return "an integer";
    case KILN_TOKEN_FLOAT:
        return "a number";
    case KILN_TOKEN_STRING:
        return "a string";
    case KILN_TOKEN_SCALAR:
        return "a type";
#define KILN_KEYWORD(id, spelling)                                                                 \
    case KILN_TOKEN_##id:                                                                          \
        return "'" spelling "'";
#define KILN_PUNCTUATOR(id, spelling)                                                              \
    case KILN_TOKEN_##id:                                                                          \
        return "'" spelling "'";
#include "frontend/lex/tokens.def"
    }
    return "?";
}

const char *kiln_foreign_word_advice(const char *word)
{
    for (size_t i = 0; i < COUNT(foreign); i++)
        if (!strcmp(foreign[i].spelling, word))
            return foreign[i].advice;
    return NULL;
}

static size_t hash(const char *text, size_t length)
{
    size_t value = 1469598103934665603u;
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * 1099511628211u;
    return value;
}

const char *kiln_names_intern(kiln_names_t *names, const char *text, size_t length)
{
    if (names->count * 2 >= names->capacity) {
        kiln_names_t larger = {.arena = names->arena, .count = names->count};
        larger.capacity = names->capacity ? names->capacity * 2 : 256;
        larger.slots = KILN_ARENA_ARRAY(names->arena, const char *, larger.capacity);
        for (size_t i = 0; i < names->capacity; i++) {
            if (!names->slots[i])
                continue;
            size_t at = hash(names->slots[i], strlen(names->slots[i])) & (larger.capacity - 1);
            while (larger.slots[at])
                at = (at + 1) & (larger.capacity - 1);
            larger.slots[at] = names->slots[i];
        }
        *names = larger;
    }
    size_t at = hash(text, length) & (names->capacity - 1);
    for (; names->slots[at]; at = (at + 1) & (names->capacity - 1))
        if (strlen(names->slots[at]) == length && !memcmp(names->slots[at], text, length))
            return names->slots[at];
    names->count++;
    return names->slots[at] = kiln_arena_copy(names->arena, text, length);
}

typedef struct lexer {
    kiln_reporter_t *reporter;
    kiln_names_t *names;
    const char *text;
    uint32_t at, length;
    kiln_token_t *tokens;
    size_t count, capacity;
    char *joined; // strings side by side, of the last token; interned when the next one follows
    size_t joined_length, joined_capacity;
} lexer_t;

static char peek(const lexer_t *lexer, uint32_t ahead)
{
    return lexer->at + ahead < lexer->length ? lexer->text[lexer->at + ahead] : '\0';
}

static bool is_name_start(char c)
{
    return kiln_is_letter(c) || c == '_';
}

static bool is_name_part(char c)
{
    return is_name_start(c) || kiln_is_digit(c);
}

static void push(lexer_t *lexer, kiln_token_t token)
{
    if (lexer->joined_length)
        lexer->tokens[lexer->count - 1].name =
            kiln_names_intern(lexer->names, lexer->joined, lexer->joined_length);
    lexer->joined_length = 0;
    KILN_ARENA_PUSH(lexer->reporter->arena, lexer->tokens, lexer->count, lexer->capacity, token);
}

// Skips space and comments. Returns false at the end of the text.
static bool skip_space(lexer_t *lexer)
{
    for (;;) {
        char c = peek(lexer, 0);
        if (lexer->at >= lexer->length)
            return false;
        if (kiln_is_blank(c)) {
            lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '/') {
            while (lexer->at < lexer->length && lexer->text[lexer->at] != '\n')
                lexer->at++;
        } else if (c == '/' && peek(lexer, 1) == '*') {
            uint32_t begin = lexer->at;
            lexer->at += 2;
            while (lexer->at < lexer->length && !(peek(lexer, 0) == '*' && peek(lexer, 1) == '/'))
                lexer->at++;
            if (lexer->at >= lexer->length)
                KILN_REPORT_ERROR(lexer->reporter, ((kiln_span_t){begin, begin + 2}),
                                  "unterminated comment");
            else
                lexer->at += 2;
        } else {
            return true;
        }
    }
}

static kiln_scalar_t float_suffix(const char *suffix, bool *out_known)
{
    *out_known = true;
    if (!*suffix)
        return KILN_SCALAR_NONE;
    if (!strcmp(suffix, "f") || !strcmp(suffix, "F"))
        return KILN_SCALAR_F32;
    kiln_scalar_t scalar = kiln_scalar_by_name(suffix);
    *out_known = kiln_scalar_row(scalar)->class == KILN_CLASS_FLOAT;
    return scalar;
}

// The type of an integer: the first of i32, i64, u64 that holds it, or of u32, u64 with a 'u'. As
// in C, a number that is not decimal may also be u32.
static bool integer_type(uint64_t value, bool is_decimal, const char *suffix,
                         kiln_scalar_t *out_scalar)
{
    bool is_unsigned = false, is_long = false;
    for (const char *c = suffix; *c; c++) {
        if ((*c == 'u' || *c == 'U') && !is_unsigned)
            is_unsigned = true;
        else if ((*c == 'l' || *c == 'L') && (c == suffix || c[-1] == *c || is_unsigned) &&
                 strlen(suffix) <= 3)
            is_long = true;
        else
            return false;
    }
    if (is_unsigned)
        *out_scalar = !is_long && value <= UINT32_MAX ? KILN_SCALAR_U32 : KILN_SCALAR_U64;
    else
        *out_scalar = !is_long && value <= INT32_MAX                   ? KILN_SCALAR_I32
                      : !is_long && !is_decimal && value <= UINT32_MAX ? KILN_SCALAR_U32
                      : value <= INT64_MAX                             ? KILN_SCALAR_I64
                                                                       : KILN_SCALAR_U64;
    return true;
}

static void lex_number(lexer_t *lexer)
{
    // Collects all characters that can belong to a number, then parses it: '1.0e+5f16', '0x1p-3',
    // '1'000'.
    char digits[128];
    size_t length = 0;
    uint32_t begin = lexer->at;
    bool is_hex = peek(lexer, 0) == '0' && (peek(lexer, 1) == 'x' || peek(lexer, 1) == 'X');
    bool is_binary = peek(lexer, 0) == '0' && (peek(lexer, 1) == 'b' || peek(lexer, 1) == 'B') &&
                     (peek(lexer, 2) == '0' || peek(lexer, 2) == '1');
    bool is_float = false, too_long = false;
    for (;; lexer->at++) {
        char c = peek(lexer, 0);
        char before = length ? kiln_lower(digits[length - 1]) : '\0';
        bool is_sign = (c == '+' || c == '-') && before == (is_hex ? 'p' : 'e');
        if (c == '\'' && is_name_part(peek(lexer, 1)))
            continue;
        if ((!is_name_part(c) && c != '.' && !is_sign) || (c == '.' && peek(lexer, 1) == '.'))
            break; // 1..8 is a range
        if (c == '.' || is_sign || (!is_hex && !is_binary && (c == 'e' || c == 'E')) ||
            (is_hex && (c == 'p' || c == 'P')))
            is_float = true;
        if (length + 1 < sizeof digits)
            digits[length++] = c;
        else
            too_long = true;
    }
    digits[length] = '\0';
    kiln_token_t token = {.span = {begin, lexer->at}};
    char *rest;
    if (too_long) {
        KILN_REPORT_ERROR(lexer->reporter, token.span, "number is too long");
        return;
    }
    // A decimal integer with a float suffix ("1f") is a float.
    size_t whole = strspn(digits, "0123456789");
    bool has_float_suffix = false;
    if (!is_hex && !is_binary && digits[whole] && !is_float) {
        bool known;
        has_float_suffix = float_suffix(digits + whole, &known) != KILN_SCALAR_NONE && known;
    }
    if (is_float || has_float_suffix) {
        bool known;
        token.kind = KILN_TOKEN_FLOAT;
        token.floating = kiln_real_parse_with_rest(digits, &rest, &token.rest);
        token.scalar = float_suffix(rest, &known);
        if (!known || rest == digits) {
            KILN_REPORT_ERROR(
                lexer->reporter, token.span,
                "invalid number '%s'; suffixes of floats are f, f16, bf16, f32 and f64", digits);
            return;
        }
        if (isinf(token.floating)) {
            KILN_REPORT_ERROR(lexer->reporter, token.span,
                              "'%s' does not fit in f64; write INFINITY for infinity", digits);
            token.floating = token.rest = 0;
        }
    } else {
        token.kind = KILN_TOKEN_INTEGER;
        errno = 0;
        token.integer = is_binary ? strtoull(digits + 2, &rest, 2) : strtoull(digits, &rest, 0);
        if (errno == ERANGE) {
            KILN_REPORT_ERROR(lexer->reporter, token.span, "'%s' does not fit in 64 bits", digits);
            token.integer = 0; // still a number, to avoid follow-up errors
        }
        if (!integer_type(token.integer, digits[0] != '0', rest, &token.scalar)) {
            KILN_REPORT_ERROR(lexer->reporter, token.span,
                              "invalid number '%s'; suffixes of integers are u, l and ul", digits);
            return;
        }
    }
    push(lexer, token);
}

static void lex_name(lexer_t *lexer)
{
    uint32_t begin = lexer->at;
    while (is_name_part(peek(lexer, 0)))
        lexer->at++;
    const char *name = kiln_names_intern(lexer->names, lexer->text + begin, lexer->at - begin);
    kiln_token_t token = {.kind = KILN_TOKEN_NAME, .span = {begin, lexer->at}, .name = name};
    for (size_t i = 0; i < COUNT(keywords); i++)
        if (!strcmp(keywords[i].spelling, name))
            token.kind = keywords[i].kind;
    if (token.kind == KILN_TOKEN_NAME) {
        token.scalar = kiln_scalar_by_name(name);
        if (token.scalar)
            token.kind = KILN_TOKEN_SCALAR;
    }
    push(lexer, token);
}

// "a" "b" is "ab".
static void join(lexer_t *lexer, const char *text)
{
    for (; *text; text++)
        KILN_ARENA_PUSH(lexer->reporter->arena, lexer->joined, lexer->joined_length,
                        lexer->joined_capacity, *text);
}

static void lex_string(lexer_t *lexer)
{
    uint32_t begin = lexer->at++;
    while (lexer->at < lexer->length && lexer->text[lexer->at] != '"' &&
           lexer->text[lexer->at] != '\n')
        lexer->at += lexer->text[lexer->at] == '\\' && lexer->at + 1 < lexer->length &&
                             peek(lexer, 1) != '\n'
                         ? 2
                         : 1;
    if (peek(lexer, 0) != '"') {
        KILN_REPORT_ERROR(lexer->reporter, ((kiln_span_t){begin, lexer->at}),
                          "unterminated string");
        return;
    }
    lexer->at++;
    const char *name =
        kiln_names_intern(lexer->names, lexer->text + begin + 1, lexer->at - begin - 2);
    kiln_token_t *before = lexer->count ? &lexer->tokens[lexer->count - 1] : NULL;
    if (before && before->kind == KILN_TOKEN_STRING) {
        if (!lexer->joined_length)
            join(lexer, before->name);
        join(lexer, name);
        before->span.end = lexer->at;
        return;
    }
    push(lexer,
         (kiln_token_t){.kind = KILN_TOKEN_STRING, .span = {begin, lexer->at}, .name = name});
}

static bool lex_punctuator(lexer_t *lexer)
{
    for (size_t i = 0; i < COUNT(punctuators); i++) {
        size_t length = strlen(punctuators[i].spelling);
        if (lexer->length - lexer->at < length ||
            memcmp(lexer->text + lexer->at, punctuators[i].spelling, length) != 0)
            continue;
        push(lexer, (kiln_token_t){.kind = punctuators[i].kind,
                                   .span = {lexer->at, lexer->at + (uint32_t)length}});
        lexer->at += (uint32_t)length;
        return true;
    }
    return false;
}

kiln_token_t *kiln_lex(kiln_reporter_t *reporter, kiln_names_t *names, size_t *out_count)
{
    lexer_t lexer = {.reporter = reporter,
                     .names = names,
                     .text = reporter->text,
                     .length = (uint32_t)reporter->length};
    while (skip_space(&lexer)) {
        char c = peek(&lexer, 0);
        if (kiln_is_digit(c) || (c == '.' && kiln_is_digit(peek(&lexer, 1)))) {
            lex_number(&lexer);
        } else if (is_name_start(c)) {
            lex_name(&lexer);
        } else if (c == '"') {
            lex_string(&lexer);
        } else if (!lex_punctuator(&lexer)) {
            kiln_span_t span = {lexer.at, lexer.at + 1};
            // Reports one error for a whole UTF-8 character.
            while (span.end < lexer.length && ((unsigned char)lexer.text[span.end] & 0xC0) == 0x80)
                span.end++;
            KILN_REPORT_ERROR(reporter, span, "stray '%.*s' in the program%s",
                              (int)(span.end - span.begin), lexer.text + span.begin,
                              c == '#' ? "; a directive must begin its line" : "");
            lexer.at = span.end;
        }
    }
    push(&lexer, (kiln_token_t){.kind = KILN_TOKEN_END, .span = {lexer.length, lexer.length}});
    *out_count = lexer.count;
    return lexer.tokens;
}
