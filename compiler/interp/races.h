// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects races: memory contents that depend on the order of programs or of a tile's elements are
// undefined and reported.
//
//   - two elements of one store write different values to the same address;
//   - a program writes where another has read or has written another value, without an order;
//   - a program reads what another has changed, without an order between the two.
//
// Atomic operations do not conflict with each other; volatile loads, which read the current value,
// never conflict. The accesses of a program before a releasing atomic operation happen before the
// accesses of another program after a later acquiring one at the same address.
//
// Note that a compare-and-swap that fails only reads, so it releases nothing. Of the programs that
// read an element between two writes, two are remembered.
#ifndef KILN_INTERP_RACES_H
#define KILN_INTERP_RACES_H

#include "interp/machine.h"

// For one launch; NULL if out of memory.
kiln_races_t *kiln_races_create(const kiln_interp_launch_t *launch);
void kiln_races_free(kiln_races_t *races); // accepts NULL

// Called before an access to the element `index` that kiln_access has just found; `bits` will be
// stored at `host`. Checks nothing if the launch is lenient.
kiln_status_t kiln_race_read(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                             size_t index, uint64_t address, unsigned bytes);
kiln_status_t kiln_race_write(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                              size_t index, uint64_t address, unsigned char *host, unsigned bytes,
                              uint64_t bits);
typedef enum kiln_atomic_effect { KILN_ATOMIC_READS, KILN_ATOMIC_UPDATES } kiln_atomic_effect_t;
kiln_status_t kiln_race_atomic(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                               size_t index, uint64_t address, unsigned bytes,
                               kiln_atomic_effect_t effect);

// Called when all threads of the program have reached the barrier.
void kiln_race_barrier(kiln_iframe_t *frame);

// The program has ended. `races` may be NULL.
void kiln_races_end(kiln_races_t *races, uint64_t program);

#endif
