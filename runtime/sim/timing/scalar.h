// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two caches that pairs of compute units share: of scalar data, and of instructions. Both miss to the L2.
#ifndef KILN_TIMING_SCALAR_H
#define KILN_TIMING_SCALAR_H

#include "timing/l1.h"

typedef struct kiln_timing_scalar {
    kiln_timing_tags_t data, code;
    kiln_timing_l2_t *l2;
    uint64_t code_misses; // lines
} kiln_timing_scalar_t;

bool kiln_timing_scalar_open(kiln_timing_scalar_t *scalar, kiln_timing_l2_t *l2);
void kiln_timing_scalar_close(kiln_timing_scalar_t *scalar);

// A load of these lines (of 128 bytes, as streams have them): when its data is in the registers.
uint64_t kiln_timing_scalar_load(kiln_timing_scalar_t *scalar, uint64_t now, const uint64_t *lines, unsigned count,
                                 const kiln_timing_map_t *map);
// Lets the code at this device address lie there from the start.
void kiln_timing_scalar_warm(kiln_timing_scalar_t *scalar, uint64_t address);
// A window of code at this device address is wanted: when it leaves the cache.
uint64_t kiln_timing_scalar_fetch(kiln_timing_scalar_t *scalar, uint64_t now, uint64_t address,
                                  const kiln_timing_map_t *map);

#endif
