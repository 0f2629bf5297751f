// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the output of clang's preprocessor: files, names, macro notes, diagnostics and tokens,
// each with an index by which the others refer to it. Only preprocess_shim.cpp knows clang's
// classes; it passes everything on to these functions.
//
// Memory may be exhausted at any point, and clang cannot be stopped then. In this case `failed` is
// set, indices remain valid, and there is no result in the end.
#ifndef KILN_FRONTEND_PREPROCESS_COLLECT_H
#define KILN_FRONTEND_PREPROCESS_COLLECT_H

#include "frontend/lex/preprocess_text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_HEADER_ROOT "/<kiln>" // root of headers in memory; no such folder exists on a disk

// A string of clang's, not terminated.
typedef struct kiln_piece {
    const char *text;
    size_t length;
} kiln_piece_t;

typedef struct kiln_collector {
    const kiln_compile_options_t *options;
    kiln_expanded_t *expanded;
    kiln_raw_token_t *tokens;
    size_t token_count, length; // length: of the text of all tokens
    uint32_t *file_of;          // 1 + the file of each of clang's ids, which count from 0; 0: none
    size_t id_count;
    uint32_t *name_slots; // a hash table of 1 + names; its size is a power of two
    size_t slot_count;
    size_t capacities[5];
    bool failed;
} kiln_collector_t;

kiln_collector_t kiln_collect_begin(const kiln_compile_options_t *options);

// A file's name as written, without the folder of headers in memory.
uint32_t kiln_collect_name(kiln_collector_t *collector, kiln_piece_t name);

// The file with clang's id; false if it is not known yet.
bool kiln_collect_find_file(const kiln_collector_t *collector, unsigned id, uint32_t *out_file);
// A new file, which includes itself until kiln_collect_include.
uint32_t kiln_collect_file(kiln_collector_t *collector, unsigned id, kiln_piece_t name,
                           kiln_piece_t text, bool is_on_disk);
void kiln_collect_include(kiln_collector_t *collector, uint32_t file, uint32_t includer,
                          uint32_t at);

// Returns 1 + its index, or 0 if there are too many. `next` is the note of the enclosing macro (0:
// none).
uint32_t kiln_collect_note(kiln_collector_t *collector, uint32_t next,
                           const kiln_text_place_t *place, kiln_piece_t macro);

// `place` is NULL if the diagnostic has no location. Diagnostics beyond a thousand are dropped.
void kiln_collect_diagnostic(kiln_collector_t *collector, kiln_severity_t severity,
                             kiln_warning_id_t warning, const kiln_text_place_t *place,
                             uint32_t note, kiln_piece_t message);

// Adds a token with its place and a copy of its spelling. Returns false if the text becomes too
// long.
bool kiln_collect_token(kiln_collector_t *collector, kiln_raw_token_t token, kiln_piece_t spelling);

// Records that clang has used the macro of a define, or that it is no longer defined.
void kiln_collect_macro(kiln_collector_t *collector, size_t define, bool is_used);

// The result; NULL if memory was exhausted.
kiln_expanded_t *kiln_collect_end(kiln_collector_t *collector);

#ifdef __cplusplus
}
#endif
#endif
