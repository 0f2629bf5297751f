// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which channel a line's address chooses, of the L2 and of memory, and the queues in front of them.
//
// Idea: totals are measured, of traffic that is spread evenly; what one channel can do is documented, and is more than its share of the
// total. So a line takes its part of the total first (timing/l2.c, timing/fabric.c), and then its channel, which is felt only by
// those whose addresses come to few channels. Memory's channels serve all XCDs: with each line of the one that is followed come
// those of the others, as far away as their workgroups' lines lie (timing/warmth.c).
//
// What a reader gets wrong: who comes with whom is known of companions and of other XCDs, but not the very moment: here they come all at
// once, on the machine scattered. So a channel may be ahead of its queue by some lines, and only who comes to a channel for
// long waits for it.
#ifndef KILN_TIMING_CHANNELS_H
#define KILN_TIMING_CHANNELS_H

#include <stdint.h>

#include "base/gfx942.h"
#include "timing/parameters.h"

enum { KILN_TIMING_OTHERS = 7 }; // XCDs beside the one that is followed

// Address bits 15 and above, by sevens, onto the bits of the channel, the stack and the die; no device has memory above bit 42. This and what
// follows restates how Linux takes a channel's number back to an address of MI300: drivers/ras/amd/atl/dehash.c.
static inline uint64_t kiln_timing_channel_fold(uint64_t line)
{
    uint64_t upper = line >> 8;
    upper ^= upper >> 7;
    return upper ^ upper >> 14;
}

// Of the L2: address bits 8 to 11, to the lower three of which bits 12 to 14 are added without carry, and the folded ones. That it goes by 256
// bytes and that bits are hashed is documented (rocprof-compute's "L2 cache (TCC)"; amdgpu's GB_ADDR_CONFIG of gfx_v9_4_3.c); that
// they are those of memory's channels is a guess.
static inline unsigned kiln_timing_l2_channel(uint64_t line)
{
    return (unsigned)(line / (KILN_TIMING_CHANNEL_BYTES / KILN_GFX942_L2_LINE) ^ (line >> 5 & 7) ^
                      kiln_timing_channel_fold(line)) %
           KILN_GFX942_L2_CHANNELS;
}

// Of memory, which has two stacks on each of four dies: the same four bits within a stack; bit 14 is the stack of a die, bits 12 and 13
// are the die, each with a folded one.
static inline unsigned kiln_timing_memory_channel(uint64_t line)
{
    const uint64_t stack = line >> 7 & 1, die = line >> 5 & 3;
    return kiln_timing_l2_channel(line) | (unsigned)((stack << 4 | die << 5) ^ (kiln_timing_channel_fold(line) & 0x70));
}

// How many lines further the other XCDs are while one reads or writes a line.
typedef struct kiln_timing_others {
    unsigned count;
    int64_t apart[KILN_TIMING_OTHERS];
} kiln_timing_others_t;

// Takes `cycles` of a queue that is free from *free_at on, and gives the cycle at which they begin.
static inline double kiln_timing_queue_take(double *free_at, double now, double cycles)
{
    const double begin = *free_at > now ? *free_at : now;
    *free_at = begin + cycles;
    return begin;
}

// The same where it may be ahead of those that wait by so many cycles.
static inline double kiln_timing_channel_take(double *free_at, double now, double cycles, double ahead)
{
    const double begin = *free_at - ahead > now ? *free_at - ahead : now;
    *free_at = (*free_at > now ? *free_at : now) + cycles;
    return begin;
}

#endif
