// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of the data flow; see membar_states.h.
#include "analysis/barriers/membar_states.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/barriers/membar.h" // KILN_SPACE_LDS

// Number of words between a set and the same set one barrier earlier.
static size_t stride_of(const kiln_states_t *states)
{
    return 2 * (size_t)states->words;
}

size_t kiln_states_words(const kiln_states_t *states)
{
    return stride_of(states) * (size_t)states->rounds;
}

size_t kiln_states_bytes(const kiln_states_t *states)
{
    return kiln_states_words(states) * sizeof(uint64_t);
}

static bool is_in_any(const kiln_states_t *states, const uint64_t *sets, int piece)
{
    bool is_in = false;
    for (int age = 0; age < states->rounds; age++)
        is_in |= kiln_piece_set_has(sets + (size_t)age * stride_of(states), piece);
    return is_in;
}

unsigned kiln_states_conflict(const kiln_states_t *states, const uint64_t *now,
                              const uint64_t *earlier)
{
    unsigned spaces = 0;
    for (int i = 0; i < states->pieces.count; i++)
        for (int j = 0; j < states->pieces.count && kiln_piece_set_has(now, i); j++)
            if (is_in_any(states, earlier, j) && kiln_pieces_overlap(&states->pieces, i, j))
                spaces |= states->pieces.list[i].is_global ? KILN_SPACE_GLOBAL : KILN_SPACE_LDS;
    return spaces;
}

kiln_state_t kiln_state_make(kiln_states_t *states)
{
    kiln_state_t state;
    state.reads = calloc(1, kiln_states_bytes(states));
    state.writes = state.reads ? state.reads + states->words : NULL;
    states->pieces.out_of_memory |= !state.reads;
    return state;
}

void kiln_state_free(kiln_state_t *state)
{
    free(state->reads);
}

void kiln_state_clear(const kiln_states_t *states, const kiln_state_t *state)
{
    memset(state->reads, 0, kiln_states_words(states) * sizeof *state->reads);
}

// Ages a piece's accesses by this many barriers, and drops those that are now ordered.
static void age_piece(const kiln_states_t *states, const kiln_state_t *state, int piece, int rounds)
{
    uint64_t *sets[] = {state->reads, state->writes}, bit = 1ull << (piece % 64);
    for (int s = 0; s < 2; s++)
        for (int age = states->rounds; age-- > 0;) {
            uint64_t *to = sets[s] + (size_t)age * stride_of(states) + piece / 64;
            bool is_there = age >= rounds && (*(to - (size_t)rounds * stride_of(states)) & bit);
            *to = is_there ? *to | bit : *to & ~bit;
        }
}

void kiln_state_pass_barrier(const kiln_states_t *states, const kiln_state_t *state,
                             unsigned spaces, int rounds)
{
    for (int i = 0; i < states->pieces.count && spaces; i++)
        if (spaces & (states->pieces.list[i].is_global ? KILN_SPACE_GLOBAL : KILN_SPACE_LDS))
            age_piece(states, state, i, rounds);
}

bool kiln_state_join(const kiln_states_t *states, const kiln_state_t *to, const kiln_state_t *from)
{
    bool grew = false;
    for (size_t w = 0; w < kiln_states_words(states); w++) {
        grew |= (from->reads[w] & ~to->reads[w]) != 0;
        to->reads[w] |= from->reads[w];
    }
    return grew;
}

void kiln_state_copy(const kiln_states_t *states, const kiln_state_t *to, const kiln_state_t *from)
{
    memcpy(to->reads, from->reads, kiln_states_words(states) * sizeof *to->reads);
}

void kiln_state_cross(kiln_states_t *states, MlirOperation loop, kiln_loop_edge_t edge,
                      const kiln_state_t *state)
{
    kiln_state_t aged = kiln_state_make(states);
    if (!aged.reads)
        return;
    for (int i = 0; i < states->pieces.count; i++) {
        if (!is_in_any(states, state->reads, i) && !is_in_any(states, state->writes, i))
            continue;
        int to = kiln_pieces_cross(&states->pieces, i, loop, edge);
        for (size_t at = 0; at < kiln_states_words(states); at += stride_of(states)) {
            if (kiln_piece_set_has(state->reads + at, i))
                kiln_piece_set_add(aged.reads + at, to);
            if (kiln_piece_set_has(state->writes + at, i))
                kiln_piece_set_add(aged.writes + at, to);
        }
    }
    kiln_state_copy(states, state, &aged);
    kiln_state_free(&aged);
}
