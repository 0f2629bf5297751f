// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pieces of memory that membar distinguishes: pieces of LDS, and the memory of each access of
// global memory; which of them an operation accesses, and which may overlap.
//
// A pipelined loop uses the slots of its buffers in turn. Such a ring has one piece for each age:
// the slot accessed in this iteration, in the previous one, …; each iteration ages all pieces by
// one step, or by several if the loop is unrolled, and different ages never overlap. The slot that
// follows the current one is also the oldest.
//
// Note that a first walk over all operations numbers the pieces, which fixes the size of sets; so
// that walk must add every piece that a later one can encounter.
#ifndef KILN_MEMBAR_PIECES_H
#define KILN_MEMBAR_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/memory/global_access.h"
#include "analysis/plan/allocation.h"

// A piece of LDS that operations access as a whole: one buffer, one slice of a buffer of several,
// or one operation's scratch. Of a ring: the slot that was current `age` iterations ago. Or the
// memory of one access of global memory: in this iteration of the loops around it (age 0), in an
// earlier one of `loop`, or, if that is NULL, earlier.
typedef struct kiln_piece {
    const void *owner; // the local_alloc, the operation with scratch, or the one that accesses
                       // global memory
    uint32_t begin, end;
    const void *ring; // the loop-carried slot number, or NULL
    const void *loop; // the loop that carries it
    int age, slots;
    int stride; // slots by which an iteration advances
    bool is_global;
    int access; // is_global: its index
} kiln_piece_t;

typedef struct kiln_pieces {
    const kiln_allocation_t *allocation;
    const kiln_global_accesses_t *accesses;
    kiln_piece_t *list;
    int count;
    size_t capacity;
    bool out_of_memory;
} kiln_pieces_t;

// Sets of pieces: one bit each. NULL sets are ignored.
static inline void kiln_piece_set_add(uint64_t *set, int piece)
{
    if (set && piece >= 0)
        set[piece / 64] |= 1ull << (piece % 64);
}

static inline bool kiln_piece_set_has(const uint64_t *set, int piece)
{
    return set[piece / 64] >> (piece % 64) & 1;
}

// Collects the accesses of the operation itself, including its regions if membar.c does not walk
// them. With NULL sets it only registers the pieces. Returns true if the operation writes its
// scratch, then executes a barrier, then reads.
bool kiln_pieces_effects(kiln_pieces_t *pieces, MlirOperation op, uint64_t *reads,
                         uint64_t *writes);

// Whether `now` may overlap the bytes of `earlier`.
bool kiln_pieces_overlap(const kiln_pieces_t *pieces, int now, int earlier);

// Returns the piece that a piece becomes at the end of an iteration (its rings age, and so do
// accesses whose pointers change in the next iteration) or when the loop is left (its rings become
// ordinary buffers again).
typedef enum kiln_loop_edge { KILN_LOOP_BACK_EDGE, KILN_LOOP_EXIT } kiln_loop_edge_t;
int kiln_pieces_cross(kiln_pieces_t *pieces, int index, MlirOperation loop, kiln_loop_edge_t edge);

#endif
