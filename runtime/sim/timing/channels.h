// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mapping of a line's address to a channel of the L2 and of memory, and the channels' queues.
//
// Total bandwidths are measured with evenly spread traffic. The bandwidth of one channel is
// documented and higher than its share of the total. A line therefore first takes its share of the
// total (timing/l2.c, timing/fabric.c) and then its channel, which limits only accesses that
// concentrate on a few channels. All XCDs share memory's channels: each line of the simulated XCD
// is accompanied by one of each other XCD, at the distance of their workgroups' lines
// (timing/cache_state.c).
//
// The model knows which accesses of companions and of other XCDs coincide, but not their exact
// times: requests that are scattered on the machine arrive here in the same cycle. A channel may
// therefore run ahead of its queue by some lines, so that only sustained traffic waits for it.
#ifndef KILN_TIMING_CHANNELS_H
#define KILN_TIMING_CHANNELS_H

#include <stdint.h>

#include "base/gfx942.h"
#include "timing/parameters.h"

enum { KILN_TIMING_NEIGHBOURS = 7 }; // other than the simulated one

// Folds address bits 15 and above, in groups of seven, onto the bits of the channel, the stack and
// the die; no device has memory above bit 42. This function and the next two restate the inverse
// mapping in Linux, from a channel number to an address of MI300: drivers/ras/amd/atl/dehash.c.
static inline uint64_t kiln_timing_channel_fold(uint64_t line)
{
    uint64_t upper = line >> 8;
    upper ^= upper >> 7;
    return upper ^ upper >> 14;
}

// The L2's channel: address bits 8 to 11, the lower three of them XORed with bits 12 to 14, and all
// with the folded bits. The interleaving by 256 bytes and the hashing are documented
// (rocprof-compute's "L2 cache (TCC)"; amdgpu's GB_ADDR_CONFIG of gfx_v9_4_3.c); that the hash is
// that of memory's channels is a guess.
static inline unsigned kiln_timing_l2_channel(uint64_t line)
{
    return (unsigned)(line / (KILN_TIMING_CHANNEL_BYTES / KILN_GFX942_L2_LINE) ^ (line >> 5 & 7) ^
                      kiln_timing_channel_fold(line)) %
           KILN_GFX942_L2_CHANNELS;
}

// Memory's channel. Memory has two stacks on each of four dies. The same four bits select the
// channel within a stack, bit 14 the stack of a die, and bits 12 and 13 the die, each XORed with a
// folded bit.
static inline unsigned kiln_timing_memory_channel(uint64_t line)
{
    const uint64_t stack = line >> 7 & 1, die = line >> 5 & 3;
    return kiln_timing_l2_channel(line) |
           (unsigned)((stack << 4 | die << 5) ^ (kiln_timing_channel_fold(line) & 0x70));
}

// Distances in lines from a line of the simulated XCD to the lines that the other XCDs access at
// the same time.
typedef struct kiln_timing_neighbours {
    unsigned count;
    int64_t distance[KILN_TIMING_NEIGHBOURS];
} kiln_timing_neighbours_t;

// Cycles are far below 2^63. Conversions of signed integers take one instruction, those of unsigned
// ones several.
static inline double kiln_timing_real(uint64_t cycles)
{
    return (double)(int64_t)cycles;
}

static inline uint64_t kiln_timing_whole(double cycles)
{
    return (uint64_t)(int64_t)cycles;
}

// Occupies a queue, which is free from *free_at on, for `cycles`. Returns the cycle at which they
// begin.
static inline double kiln_timing_queue_take(double *free_at, double now, double cycles)
{
    const double begin = *free_at > now ? *free_at : now;
    *free_at = begin + cycles;
    return begin;
}

// Likewise, for a queue that may run ahead by `ahead` cycles before requests wait.
static inline double kiln_timing_channel_take(double *free_at, double now, double cycles,
                                              double ahead)
{
    const double begin = *free_at - ahead > now ? *free_at - ahead : now;
    *free_at = (*free_at > now ? *free_at : now) + cycles;
    return begin;
}

#endif
