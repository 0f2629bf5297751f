// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's preprocessor, which is clang's: text with #include, #define and #if to text without, and for each token of that the
// place that it comes from.
//
// What is easily got wrong: offsets in the expanded text mean nothing to a user. Whoever shows one asks
// kiln_expanded_place (through the reporter).
#ifndef KILN_FRONTEND_PREPROCESS_H
#define KILN_FRONTEND_PREPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/warnings.h"
#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_SOURCE_LIMIT ((size_t)4 << 20) // of a program's text, before and after: no kernel is as long as this
#define KILN_INCLUDE_LIMIT 2000             // files entered in one run

// A file as often as it was entered: each time has its own includer.
typedef struct kiln_text_file {
    char *name; // "lib/softmax.tile.h"
    char *text; // with a NUL behind it
    size_t length;
    bool is_in_memory;
    uint32_t includer, included_at; // the file that includes this one, and where; includer is the file itself for the
                                    // first
} kiln_text_file_t;

// A range of a file, with what #line says of it.
typedef struct kiln_text_place {
    uint32_t file, begin, end; // bytes of the file
    uint32_t name, line;       // the file's name, an index of `names`, and the line, from 1
} kiln_text_place_t;

// "expanded from macro 'X'": where in X's definition a token stands.
typedef struct kiln_macro_note {
    kiln_text_place_t place;
    char *macro;
    uint32_t next; // the note of the macro around, as in kiln_text_token_t
} kiln_macro_note_t;

typedef struct kiln_text_token {
    uint32_t at, length;     // in the expanded text
    kiln_text_place_t place; // of a token that a macro made: where the macro is used
    uint32_t note;           // 1 + an index of `notes`; 0: none
} kiln_text_token_t;

typedef struct kiln_preprocess_diagnostic {
    kiln_severity_t severity;
    kiln_warning_id_t warning; // of a warning
    kiln_text_place_t place;   // file UINT32_MAX: nowhere
    uint32_t note;
    char *message;
} kiln_preprocess_diagnostic_t;

typedef struct kiln_expanded {
    char *text;
    size_t length;
    kiln_text_token_t *tokens; // in order
    size_t token_count;
    kiln_text_file_t *files; // the source first
    size_t file_count;
    char **names;
    size_t name_count;
    kiln_macro_note_t *notes;
    size_t note_count;
    kiln_preprocess_diagnostic_t *diagnostics; // in order
    size_t diagnostic_count;
    bool *is_macro; // for each define: the program may use it as a macro, and declares nothing of that name
} kiln_expanded_t;

// Does the text need preprocessing? A look at its lines, for a program without directives pays nothing.
bool kiln_preprocess_is_needed(const char *text, size_t length);

// Where a text is nested so deep, in parentheses or operators of #if, that clang's recursion would use up the stack.
// False: nowhere.
bool kiln_preprocess_find_nesting(const char *text, size_t length, size_t *out_offset);

// Preprocesses. `options` gives include_dirs, headers, no_include_files and the defines. Errors are among the
// diagnostics; the result is the caller's, to be freed, also then. NULL where memory is short.
kiln_expanded_t *kiln_preprocess(const kiln_source_t *source, const kiln_compile_options_t *options);
// XXH3-128, in hexadecimal, of all files with their names and of the text that they gave.
kiln_status_t kiln_expanded_hash(const kiln_expanded_t *expanded, char out_text[33]);
void kiln_expanded_free(kiln_expanded_t *expanded); // NULL is nothing

// The place of a range of the expanded text.
kiln_text_place_t kiln_expanded_place(const kiln_expanded_t *expanded, uint32_t begin, uint32_t end,
                                      uint32_t *out_note);

#ifdef __cplusplus
}
#endif
#endif
