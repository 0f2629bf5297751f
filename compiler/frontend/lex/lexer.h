// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile C's text as an array of tokens.
#ifndef KILN_FRONTEND_LEXER_H
#define KILN_FRONTEND_LEXER_H

#include <stdbool.h>

#include "frontend/core/types.h"
#include "frontend/lex/report.h"

typedef enum kiln_token_kind {
    KILN_TOKEN_END,
    KILN_TOKEN_NAME,
    KILN_TOKEN_INTEGER,
    KILN_TOKEN_FLOAT,
    KILN_TOKEN_STRING,
    KILN_TOKEN_SCALAR, // the name of an element type
#define KILN_KEYWORD(id, spelling) KILN_TOKEN_##id,
#define KILN_PUNCTUATOR(id, spelling) KILN_TOKEN_##id,
#include "frontend/lex/tokens.def"
} kiln_token_kind_t;

typedef struct kiln_token {
    kiln_token_kind_t kind;
    kiln_span_t span;
    kiln_scalar_t scalar; // SCALAR: which one; numbers: the type given by suffix or size,
                          // KILN_SCALAR_NONE for a float without suffix
    int rest;             // of a float: see kiln_real_parse_with_rest
    union {
        const char *name; // NAME, STRING: interned text, so equal names are equal pointers
        uint64_t integer;
        double floating;
    };
} kiln_token_t;

// Interned names of one run.
typedef struct kiln_names {
    kiln_arena_t *arena;
    const char **slots; // open addressing
    size_t count, capacity;
} kiln_names_t;

const char *kiln_names_intern(kiln_names_t *names, const char *text, size_t length);

// Tokenizes the whole source; the last token is KILN_TOKEN_END. Errors go to the reporter;
// erroneous text is left out of the result.
kiln_token_t *kiln_lex(kiln_reporter_t *reporter, kiln_names_t *names, size_t *out_count);

// "'+='", "a name", "an integer": for messages.
const char *kiln_token_kind_name(kiln_token_kind_t kind);

// The replacement for a word of C that Tile C lacks, or NULL.
const char *kiln_foreign_word_advice(const char *word);

#endif
