// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction buffer of a wave (timing/fetch.h).
#include "timing/fetch.h"

#include "timing/parameters.h"

enum { WINDOW = KILN_TIMING_FETCH_WINDOW };

void kiln_timing_fetch_jump(kiln_timing_fetch_t *fetch, kiln_timing_scalar_t *scalar,
                            uint64_t requested, uint64_t from, uint64_t address,
                            const kiln_timing_map_t *map)
{
    fetch->window = address / WINDOW;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t available =
            kiln_timing_scalar_fetch(scalar, requested, (fetch->window + i) * WINDOW, map);
        fetch->available[i] = (available > from ? available : from) + i * KILN_TIMING_ISSUE_CYCLES;
    }
}

uint64_t kiln_timing_fetch_next(kiln_timing_fetch_t *fetch, kiln_timing_scalar_t *scalar,
                                uint64_t issued, uint64_t address, unsigned size,
                                const kiln_timing_map_t *map)
{
    const uint64_t last = (address + size - 1) / WINDOW;
    for (; fetch->window < address / WINDOW; fetch->window++) {
        fetch->available[0] = fetch->available[1];
        fetch->available[1] =
            kiln_timing_scalar_fetch(scalar, issued, (fetch->window + 2) * WINDOW, map) +
            KILN_TIMING_FETCH_CYCLES;
    }
    return last == fetch->window || fetch->available[0] > fetch->available[1] ? fetch->available[0]
                                                                              : fetch->available[1];
}
