// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a loop does not need the contents of an LDS buffer that is made outside of it: from the
// last access before a store that overwrites all of the buffer, to that store. Scratch that is live
// only in between may use the buffer's bytes.
//
//   %b = ttg.local_alloc                       // one slot
//   scf.for {
//     ttg.local_load %b                        // the last read of what the previous iteration wrote
//     …                                        // dead contents
//     ttg.local_store %next, %b
//   }
//
// Only ttg.local_store and ttg.local_load are known; a buffer that a loop accesses otherwise, or
// carries around, has no such range there.
#ifndef KILN_DEAD_CONTENTS_H
#define KILN_DEAD_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/plan/allocation.h"

// Operations at positions between `first` and `last` find the contents of `buffer` dead.
typedef struct kiln_dead_range {
    MlirOperation buffer; // a ttg.local_alloc
    int first, last;
} kiln_dead_range_t;

typedef struct kiln_dead_contents {
    kiln_dead_range_t *list;
    int count;
    size_t capacity;
} kiln_dead_contents_t;

// Collects the ranges in the loops of a function whose operations `allocation` has numbered, and
// whose aliases it knows. Free with kiln_dead_contents_free, after a failure as well.
kiln_status_t kiln_dead_contents_find(const kiln_allocation_t *allocation, MlirOperation function,
                                      kiln_dead_contents_t *out);
void kiln_dead_contents_free(kiln_dead_contents_t *contents);

// Whether the contents of `buffer` are dead at all positions from `first` to `last`.
bool kiln_dead_contents_during(const kiln_dead_contents_t *contents, MlirOperation buffer,
                               int first, int last);

#endif
