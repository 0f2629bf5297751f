// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the order of programs, or of a tile's elements, decides in memory: it is undefined, and told.
//
//   - two elements of one store go to the same place with different values;
//   - a program stores where another has stored something else, or has read, and nothing orders the two;
//   - a program reads what another has changed, and nothing orders the two.
//
// Atomic operations do not conflict with each other, and volatile loads, which see what there is, with nothing. What a
// program did before it releases comes before what another does after it acquires, later on.
//
// What is easily got wrong: an acquire is taken to see everything that was released before it, at whatever place, so that
// nothing is told that is in order; the simulator's global-race looks at the places, too.
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
kiln_status_t kiln_race_atomic(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type, size_t index,
                               uint64_t address, unsigned bytes);

#endif
