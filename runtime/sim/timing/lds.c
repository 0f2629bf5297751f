// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LDS of a compute unit (timing/lds.h).
#include "timing/lds.h"

#include "base/gfx942.h"
#include "timing/parameters.h"

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static unsigned port_of(unsigned simd)
{
    return simd / 2;
}

uint64_t kiln_timing_lds_accepts(const kiln_timing_lds_t *lds, unsigned simd)
{
    const uint64_t done = lds->done[simd];
    return done > KILN_TIMING_LDS_QUEUE_CYCLES ? done - KILN_TIMING_LDS_QUEUE_CYCLES : 0;
}

uint64_t kiln_timing_lds_access(kiln_timing_lds_t *lds, uint64_t now, unsigned simd,
                                unsigned cycles, unsigned bytes, bool stores)
{
    // A store also sends 4 bytes of address per lane: 20 cycles for 16 bytes per lane, 8 for 4
    // (reference 1.5).
    const unsigned moved = bytes + (stores ? KILN_GFX942_LANES * 4 : 0);
    const unsigned port_cycles =
        (moved + KILN_TIMING_LDS_PORT_BYTES - 1) / KILN_TIMING_LDS_PORT_BYTES;
    uint64_t *port = &lds->port_free[port_of(simd)];
    const uint64_t begin = later(later(now, lds->banks_free), *port);
    lds->banks_free = begin + cycles;
    *port = begin + port_cycles;
    lds->done[simd] = begin + later(cycles, port_cycles);
    lds->busy += cycles;
    // The latency is that of a read of 4 bytes per lane, which takes two cycles of the banks and
    // four of the port.
    enum { MIN = 4 };
    const uint64_t latency = (uint64_t)kiln_timing_measured(lds->measured)->LDS_LATENCY;
    const uint64_t taken = later(cycles, port_cycles);
    return begin + latency + (taken > MIN ? taken - MIN : 0);
}
