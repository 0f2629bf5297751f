// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the order of programs, or of a tile's elements, decides in memory: it is undefined, and told.
//
//   - two elements of one store go to the same place with different values;
//   - a program stores where another has stored something else, or has read, and nothing orders the two;
//   - a program reads what another has changed, and nothing orders the two.
//
// Atomic operations do not conflict with each other, and volatile loads, which see what there is, with nothing. What a
// program did before an atomic operation that releases comes before what another does after one that acquires, later on
// and at the same place.
//
// What is easily got wrong: a compare-and-swap that fails only reads, so it releases nothing. And of the programs that read
// an element between two that order them, two are remembered.
#ifndef KILN_INTERP_RACES_H
#define KILN_INTERP_RACES_H

#include "interp/machine.h"

// For one launch; NULL where memory is short.
kiln_races_t *kiln_races_create(const kiln_interp_launch_t *launch);
void kiln_races_free(kiln_races_t *races); // accepts NULL

// An access of the element `index` that kiln_access has just found, before it is done; `bits` is stored at `host`. Nothing
// is looked at where the launch is lenient.
kiln_status_t kiln_race_read(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type, size_t index,
                             uint64_t address, unsigned bytes);
kiln_status_t kiln_race_write(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type, size_t index,
                              uint64_t address, unsigned char *host, unsigned bytes, uint64_t bits);
typedef enum kiln_atomic_effect { KILN_ATOMIC_READS, KILN_ATOMIC_UPDATES } kiln_atomic_effect_t;
kiln_status_t kiln_race_atomic(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type, size_t index,
                               uint64_t address, unsigned bytes, kiln_atomic_effect_t effect);

// All threads of the program have done what is before it.
void kiln_race_barrier(kiln_iframe_t *frame);

// The program has ended. `races` may be NULL.
void kiln_races_end(kiln_races_t *races, uint64_t program);

#endif
