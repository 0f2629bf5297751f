// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C's preprocessor, implemented by clang: converts text with #include, #define and #if to text
// without them, and records the origin of each token.
//
// Note that offsets in the expanded text are meaningless to users: use kiln_expanded_place (through
// the reporter) for all output.
#ifndef KILN_FRONTEND_PREPROCESS_H
#define KILN_FRONTEND_PREPROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diagnostics/warnings.h"
#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

// Limit of a program's text, before and after preprocessing.
#define KILN_SOURCE_LIMIT ((size_t)4 << 20)
#define KILN_INCLUDE_LIMIT 2000                      // files entered in one run
#define KILN_INCLUDED_LIMIT (16 * KILN_SOURCE_LIMIT) // their bytes
#define KILN_DIRECTIVE_LIMIT 100000                  // #includes seen in one run
#define KILN_EXPANSION_LIMIT 262144                  // macros expanded in one run
#define KILN_OPENER_LIMIT 2000 // parentheses and operators that macros expand to in one #if
#define KILN_EXPANDED_LIMIT (4 * KILN_SOURCE_LIMIT) // text of macro expansions, all levels together

// A file has one entry for each time it was entered, as each has its own includer.
typedef struct kiln_text_file {
    char *name; // "lib/softmax.tile.h"
    char *text; // followed by a NUL
    size_t length;
    bool is_in_memory;
    uint32_t includer, included_at; // the file that includes this one, and where; the first file
                                    // includes itself
} kiln_text_file_t;

// A range of a file, with the name and line that #line assigns to it.
typedef struct kiln_text_place {
    uint32_t file, begin, end; // bytes of the file
    uint32_t name, line;       // the file's name, an index of `names`, and the line, from 1
} kiln_text_place_t;

// "expanded from macro 'X'": the token's location in X's definition.
typedef struct kiln_macro_note {
    kiln_text_place_t place;
    char *macro;
    uint32_t next; // the note of the enclosing macro, as in kiln_text_token_t
} kiln_macro_note_t;

typedef struct kiln_text_token {
    uint32_t at, length;     // in the expanded text
    kiln_text_place_t place; // for a token from a macro: where the macro is used
    uint32_t note;           // 1 + an index of `notes`; 0: none
} kiln_text_token_t;

typedef struct kiln_preprocess_diagnostic {
    kiln_severity_t severity;
    kiln_warning_id_t warning; // for a warning
    kiln_text_place_t place;   // file UINT32_MAX: nowhere
    uint32_t note;
    char *message;
} kiln_preprocess_diagnostic_t;

typedef struct kiln_expanded {
    char *text;
    size_t length;
    kiln_text_token_t *tokens; // in order
    size_t token_count;
    kiln_text_file_t *files; // the source is the first
    size_t file_count;
    char **names;
    size_t name_count;
    kiln_macro_note_t *notes;
    size_t note_count;
    kiln_preprocess_diagnostic_t *diagnostics; // in order
    size_t diagnostic_count;
    bool *is_macro; // for each define: whether the program may use it as a macro and does not
                    // declare the name
} kiln_expanded_t;

// Whether the text needs preprocessing. It scans lines only, so programs without directives do not
// pay for a preprocessor.
bool kiln_preprocess_is_needed(const char *text, size_t length);

// Finds where parentheses or operators of #if are nested so deeply that clang's recursion would
// overflow the stack. Returns false if nowhere.
bool kiln_preprocess_find_nesting(const char *text, size_t length, size_t *out_offset);

// Preprocesses the source. `options` provides include_dirs, headers, no_include_files and the
// defines. Errors are among the diagnostics; the caller frees the result also in this case. Returns
// NULL if out of memory.
kiln_expanded_t *kiln_preprocess(const kiln_source_t *source,
                                 const kiln_compile_options_t *options);
// XXH3-128, in hexadecimal, of all files with their names and of the text that results.
kiln_status_t kiln_expanded_hash(const kiln_expanded_t *expanded, char out_text[33]);
void kiln_expanded_free(kiln_expanded_t *expanded); // NULL is allowed

// The place of a range of the expanded text.
kiln_text_place_t kiln_expanded_place(const kiln_expanded_t *expanded, uint32_t begin, uint32_t end,
                                      uint32_t *out_note);

#ifdef __cplusplus
}
#endif
#endif
