// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang's preprocessor tells, put together: files, names, macros on the way, diagnostics and tokens, each with an
// index by which the others name it. preprocess_shim.cpp alone knows clang's classes; it tells, and this keeps.
//
// What is easily got wrong: memory may be short at any point, and clang can't be told. Then `failed` is set, indices stay
// ones that are there, and there is no result in the end.
#ifndef KILN_FRONTEND_PREPROCESS_COLLECT_H
#define KILN_FRONTEND_PREPROCESS_COLLECT_H

#include "frontend/preprocess_text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_HEADER_ROOT "/<kiln>" // headers in memory; no such folder is on a disk

// Of clang's; not terminated.
typedef struct kiln_piece {
    const char *text;
    size_t length;
} kiln_piece_t;

typedef struct kiln_collector {
    const kiln_compile_options_t *options;
    kiln_expanded_t *expanded;
    kiln_raw_token_t *tokens;
    size_t token_count, length; // of all their text
    uint32_t *file_of;          // 1 + the file of each of clang's ids, which count from 0; 0: none
    size_t id_count;
    uint32_t *name_slots; // a hash table of 1 + names; its size is a power of two
    size_t slot_count;
    size_t capacities[5];
    bool failed;
} kiln_collector_t;

kiln_collector_t kiln_collect_begin(const kiln_compile_options_t *options);

// A file's name as it was written, without the folder of headers in memory.
uint32_t kiln_collect_name(kiln_collector_t *collector, kiln_piece_t name);

// The file with clang's id; false where it is not known yet.
bool kiln_collect_find_file(const kiln_collector_t *collector, unsigned id, uint32_t *out_file);
// A new one, which includes itself until kiln_collect_include.
uint32_t kiln_collect_file(kiln_collector_t *collector, unsigned id, kiln_piece_t name, kiln_piece_t text,
                           bool is_on_disk);
void kiln_collect_include(kiln_collector_t *collector, uint32_t file, uint32_t includer, uint32_t at);

// 1 + its index, the next of the note `before` (0: of none); 0 where there are too many.
uint32_t kiln_collect_note(kiln_collector_t *collector, uint32_t before, const kiln_text_place_t *place,
                           kiln_piece_t macro);

// `place` is NULL where it has none. What is told beyond a thousand is left out.
void kiln_collect_diagnostic(kiln_collector_t *collector, kiln_severity_t severity, kiln_warning_id_t warning,
                             const kiln_text_place_t *place, uint32_t note, kiln_piece_t message);

// A token whose places are told; it keeps a copy of its spelling. False where the text becomes too long.
bool kiln_collect_token(kiln_collector_t *collector, kiln_raw_token_t token, kiln_piece_t spelling);

// A define whose macro clang has used or does not have any more.
void kiln_collect_macro(kiln_collector_t *collector, size_t define, bool is_used);

// The result; NULL where memory was short.
kiln_expanded_t *kiln_collect_end(kiln_collector_t *collector);

#ifdef __cplusplus
}
#endif
#endif
