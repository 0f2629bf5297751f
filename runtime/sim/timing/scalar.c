// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar data cache and the instruction cache (timing/scalar.h).
#include "timing/scalar.h"

#include "base/gfx942.h"

enum { DATA_WAYS = 4, CODE_WAYS = 8, CODE_LINE = KILN_TIMING_FETCH_LINE };

bool kiln_timing_scalar_open(kiln_timing_scalar_t *scalar, kiln_timing_l2_t *l2)
{
    *scalar = (kiln_timing_scalar_t){.l2 = l2};
    return kiln_timing_tags_open(&scalar->data, KILN_GFX942_SCALAR_CACHE_BYTES, KILN_GFX942_L2_LINE,
                                 DATA_WAYS) &&
           kiln_timing_tags_open(&scalar->code, KILN_GFX942_INSTRUCTION_CACHE_BYTES, CODE_LINE,
                                 CODE_WAYS);
}

void kiln_timing_scalar_close(kiln_timing_scalar_t *scalar)
{
    kiln_timing_tags_close(&scalar->data);
    kiln_timing_tags_close(&scalar->code);
}

uint64_t kiln_timing_scalar_load(kiln_timing_scalar_t *scalar, uint64_t now, const uint64_t *lines,
                                 unsigned count, const kiln_timing_map_t *map)
{
    uint64_t done = now + (uint64_t)kiln_timing_measured(scalar->measured)->SCALAR_LATENCY;
    for (unsigned i = 0; i < count; i++) {
        const kiln_timing_tag_t *found = kiln_timing_tags_find(&scalar->data, lines[i]);
        uint64_t available = found ? found->available : 0;
        if (!found) {
            available = kiln_timing_l2_read(scalar->l2, now, lines[i], map);
            kiln_timing_tags_insert(&scalar->data, lines[i])->available = available;
        }
        done = available > done ? available : done;
    }
    return done;
}

uint64_t kiln_timing_scalar_fetch(kiln_timing_scalar_t *scalar, uint64_t now, uint64_t address,
                                  const kiln_timing_map_t *map)
{
    const uint64_t first = address / CODE_LINE;
    const kiln_timing_tag_t *found = kiln_timing_tags_find(&scalar->code, first);
    if (found)
        return found->available > now ? found->available : now;
    scalar->code_misses++;
    uint64_t available = 0;
    for (uint64_t line = first + KILN_TIMING_FETCH_AHEAD + 1; line-- > first;) {
        if (kiln_timing_tags_find(&scalar->code, line))
            continue;
        const uint64_t at = line * CODE_LINE / KILN_GFX942_L2_LINE;
        available = kiln_timing_l2_read(scalar->l2, now, at, map);
        kiln_timing_tags_insert(&scalar->code, line)->available = available;
    }
    return available;
}

void kiln_timing_scalar_warm(kiln_timing_scalar_t *scalar, uint64_t address)
{
    if (!kiln_timing_tags_find(&scalar->code, address / CODE_LINE))
        kiln_timing_tags_insert(&scalar->code, address / CODE_LINE);
}
