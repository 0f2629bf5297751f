// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What -D means to the preprocessor, and from its tokens to the program's text.
//
// -D NAME=VALUE is a constexpr of the program, or a macro where it declares nothing of that name. Which it is can only be
// told when all headers are in, so each is defined as a macro, and its uses in the program's text are undone where the
// name turns out to be declared. #if sees the value either way.
//
// What is easily got wrong: a value may be several tokens, of which the first alone stands for the name again.
#ifndef KILN_FRONTEND_PREPROCESS_TEXT_H
#define KILN_FRONTEND_PREPROCESS_TEXT_H

#include "frontend/preprocess.h"

#ifdef __cplusplus
extern "C" {
#endif

// A token as it came out, and where it comes from.
typedef struct kiln_raw_token {
    char *spelling;
    kiln_text_place_t place;
    uint32_t note;
    bool begins_line;
    int define;            // the -D whose value this is part of; -1: none
    unsigned value_at;     // where in that value
    bool begins_value;     // the first token of the value
    kiln_text_place_t use; // of that -D
    uint32_t use_note;
} kiln_raw_token_t;

// What stands before the source: built-in macros and those of the defines, from malloc; NULL where memory is short.
char *kiln_preprocess_predefines(const kiln_compile_options_t *options);

// The define that a macro of that name comes from, the last of several; -1: none.
int kiln_preprocess_define_of(const kiln_compile_options_t *options, const char *name);

// Fills in text, tokens and is_macro of what the program declares; is_macro holds the others. False where memory is short.
bool kiln_preprocess_give_text(const kiln_raw_token_t *tokens, size_t count, const kiln_compile_options_t *options,
                               kiln_expanded_t *expanded);

// What there is to do about a file that is not found, to go behind "file not found".
const char *kiln_preprocess_missing_advice(const kiln_compile_options_t *options);

// Whether a name stands in a file: a branch of #if that is not taken may be what a macro is for.
bool kiln_preprocess_mentions(const kiln_text_file_t *files, size_t count, const char *name);

#ifdef __cplusplus
}
#endif
#endif
