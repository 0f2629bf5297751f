// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts -D options to macros of the preprocessor, and the preprocessor's tokens to the program's
// text.
//
// -D NAME=VALUE sets a constexpr of the program, or a macro if the program does not declare the
// name. This is known only after all headers have been read, so each option is defined as a macro,
// and its uses in the program's text are replaced by the name again if the name is declared. #if
// sees the value in both cases.
//
// Note that a value may consist of several tokens; only the first is replaced by the name, the
// others are dropped.
#ifndef KILN_FRONTEND_PREPROCESS_TEXT_H
#define KILN_FRONTEND_PREPROCESS_TEXT_H

#include "frontend/lex/preprocess.h"

#ifdef __cplusplus
extern "C" {
#endif

// A token of the preprocessor's output, and its origin.
typedef struct kiln_raw_token {
    char *spelling;
    kiln_text_place_t place;
    uint32_t note;
    bool begins_line;
    int define;            // the -D whose value contains this token; -1: none
    unsigned value_at;     // index of the token in that value
    bool begins_value;     // the first token of the value
    kiln_text_place_t use; // use of that -D
    uint32_t use_note;
} kiln_raw_token_t;

// The text that precedes the source: built-in macros and those of the defines, from malloc; NULL if
// out of memory.
char *kiln_preprocess_predefines(const kiln_compile_options_t *options);

// The define that a macro of that name comes from, the last of several; -1: none.
int kiln_preprocess_define_of(const kiln_compile_options_t *options, const char *name);

// Fills in text and tokens, and clears is_macro for names that the program declares. Returns false
// if out of memory.
bool kiln_preprocess_write_text(const kiln_raw_token_t *tokens, size_t count,
                                const kiln_compile_options_t *options, kiln_expanded_t *expanded);

// The advice that follows "file not found".
const char *kiln_preprocess_missing_advice(const kiln_compile_options_t *options);

// Whether a file contains a name: the macro may be meant for a branch of #if that is not taken.
bool kiln_preprocess_mentions(const kiln_text_file_t *files, size_t count, const char *name);

#ifdef __cplusplus
}
#endif
#endif
