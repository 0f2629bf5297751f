// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What membar keeps apart: pieces of LDS, and what each access of global memory touches; which of them an operation
// accesses, and which may be the same bytes.
//
// A pipelined loop takes the slots of its buffers in turn. Such a ring has one piece for each age: what was accessed in
// this iteration, in the last, …; going around the loop makes everything a step older, and different ages never meet.
//
// The thing one gets wrong: pieces are numbered by a first walk over all operations, and sets of them have room for no
// others; so that walk must add whatever a later one can come upon.
#ifndef KILN_MEMBAR_PIECES_H
#define KILN_MEMBAR_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/allocation.h"
#include "analysis/global_access.h"

// A piece of LDS that operations access as a whole: one buffer, one slice of a buffer of several, or one operation's
// scratch. Of a ring: the slot that was current `age` iterations ago. Or what one access of global memory touches: in this
// iteration of the loops around it (age 0), in an earlier one of `loop`, or, where that is NULL, earlier.
typedef struct kiln_piece {
    const void *owner; // the local_alloc, the operation with scratch, or the one that accesses global memory
    uint32_t begin, end;
    const void *ring; // the loop-carried slot number, or NULL
    const void *loop; // that carries it
    int age, slots;
    bool is_global;
    int access; // is_global: its number
} kiln_piece_t;

typedef struct kiln_pieces {
    const kiln_allocation_t *allocation;
    const kiln_global_accesses_t *accesses;
    kiln_piece_t *list;
    int count, capacity;
    bool out_of_memory;
} kiln_pieces_t;

// Sets of pieces: a bit each. NULL takes none.
static inline void kiln_piece_set_add(uint64_t *set, int piece)
{
    if (set && piece >= 0)
        set[piece / 64] |= 1ull << (piece % 64);
}

static inline bool kiln_piece_set_has(const uint64_t *set, int piece)
{
    return set[piece / 64] >> (piece % 64) & 1;
}

// What the operation itself accesses (not what is in its regions). With NULL sets it only registers the pieces. True
// where it writes its scratch, then executes a barrier, then reads.
bool kiln_pieces_effects(kiln_pieces_t *pieces, MlirOperation op, uint64_t *reads, uint64_t *writes);

// May `now` be bytes that `earlier` was?
bool kiln_pieces_overlap(const kiln_pieces_t *pieces, int now, int earlier);

// What becomes of a piece when a loop goes around (its rings age, and so do accesses whose pointers are others in the
// next iteration) or is left (they are just buffers again).
typedef enum kiln_turn { KILN_LOOP_GOES_AROUND, KILN_LOOP_IS_LEFT } kiln_turn_t;
int kiln_pieces_turn(kiln_pieces_t *pieces, int index, MlirOperation loop, kiln_turn_t turn);

#endif
