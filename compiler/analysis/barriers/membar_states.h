// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of the data flow by which membar.c places barriers: which pieces of memory have been
// read and written since the last barrier.
#ifndef KILN_MEMBAR_STATES_H
#define KILN_MEMBAR_STATES_H

#include "analysis/barriers/membar_pieces.h"

// What all states have in common.
typedef struct kiln_states {
    kiln_pieces_t pieces;
    int words;  // of a set of pieces
    int rounds; // how often a barrier must be executed to order anything: once, or more if waves
                // are barriers apart
} kiln_states_t;

// Sets of pieces accessed since the last barrier. If waves may be barriers apart, further sets
// follow, for each such number of barriers: pieces accessed that many barriers ago.
typedef struct kiln_state {
    uint64_t *reads, *writes; // one block of memory, which begins at `reads`
} kiln_state_t;

// Size of a state.
size_t kiln_states_words(const kiln_states_t *states);
size_t kiln_states_bytes(const kiln_states_t *states);

// Makes an empty state; sets states->pieces.out_of_memory, and `reads` to NULL, if that fails.
kiln_state_t kiln_state_make(kiln_states_t *states);
void kiln_state_free(kiln_state_t *state);
void kiln_state_clear(const kiln_states_t *states, const kiln_state_t *state);
void kiln_state_copy(const kiln_states_t *states, const kiln_state_t *to, const kiln_state_t *from);

// Adds the pieces of a state to another. Returns true if `to` grew.
bool kiln_state_join(const kiln_states_t *states, const kiln_state_t *to, const kiln_state_t *from);

// Applies a barrier of these spaces that waves execute `rounds` times.
void kiln_state_pass_barrier(const kiln_states_t *states, const kiln_state_t *state,
                             unsigned spaces, int rounds);

// Replaces each piece by what it becomes at an edge of the loop.
void kiln_state_cross(kiln_states_t *states, MlirOperation loop, kiln_loop_edge_t edge,
                      const kiln_state_t *state);

// Returns the memory spaces in which a set of pieces conflicts with the sets of a state: its reads
// or its writes.
unsigned kiln_states_conflict(const kiln_states_t *states, const uint64_t *now,
                              const uint64_t *earlier);

#endif
