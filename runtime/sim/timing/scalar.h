// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two caches that pairs of compute units share: scalar data and instructions. Misses go to the
// L2.
#ifndef KILN_TIMING_SCALAR_H
#define KILN_TIMING_SCALAR_H

#include "timing/l1.h"

typedef struct kiln_timing_scalar {
    kiln_timing_tags_t data, code;
    kiln_timing_l2_t *l2;
    uint64_t code_misses; // lines
    const struct kiln_timing_parameters *measured;
} kiln_timing_scalar_t;

bool kiln_timing_scalar_open(kiln_timing_scalar_t *scalar, kiln_timing_l2_t *l2);
void kiln_timing_scalar_close(kiln_timing_scalar_t *scalar);

// Loads these lines (of 128 bytes, as in streams). Returns the cycle at which the data is in
// registers.
uint64_t kiln_timing_scalar_load(kiln_timing_scalar_t *scalar, uint64_t now, const uint64_t *lines,
                                 unsigned count, const kiln_timing_map_t *map);
// Puts the code at this device address in the cache before the launch.
void kiln_timing_scalar_warm(kiln_timing_scalar_t *scalar, uint64_t address);
// Requests the window of code at this device address. Returns the cycle at which it leaves the
// cache.
uint64_t kiln_timing_scalar_fetch(kiln_timing_scalar_t *scalar, uint64_t now, uint64_t address,
                                  const kiln_timing_map_t *map);

#endif
