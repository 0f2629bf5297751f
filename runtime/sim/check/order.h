// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which waves of a workgroup come after which, where LDS atomics order them and no barrier does.
//
// Idea: vector clocks. A wave's time advances with each atomic; an atomic leaves at its place what the wave knows of all
// times (release), and one that is polled in a loop takes what lies there (acquire). LDS instructions of one wave happen
// in order, so no wait is needed for either. Atomics that only count (histograms) order nothing: which comes first is
// luck.
//
// What a reader gets wrong: places that share an entry of the table order too much, never too little, so that a
// conflict may be missed but none is invented.
#ifndef KILN_SIM_CHECK_ORDER_H
#define KILN_SIM_CHECK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { CHECK_ORDER_WAVES = 16, CHECK_ORDER_PLACES = 1024 };

typedef struct check_order {
    uint32_t time[CHECK_ORDER_WAVES];
    uint32_t known[CHECK_ORDER_WAVES][CHECK_ORDER_WAVES]; // [wave][of]: accesses at earlier times are behind us
    uint32_t left[CHECK_ORDER_PLACES][CHECK_ORDER_WAVES]; // what atomics left, by dword of LDS
} check_order_t;

static inline void check_order_join(uint32_t to[CHECK_ORDER_WAVES], const uint32_t from[CHECK_ORDER_WAVES])
{
    for (unsigned i = 0; i < CHECK_ORDER_WAVES; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

// An atomic of a wave at an LDS offset; `acquires`: it is polled.
static inline void check_order_atomic(check_order_t *order, unsigned wave, uint32_t offset, bool acquires)
{
    uint32_t *left = order->left[offset / 4 % CHECK_ORDER_PLACES];
    if (acquires)
        check_order_join(order->known[wave], left);
    check_order_join(left, order->known[wave]);
    left[wave] = order->time[wave] + 1;
}

// True where what `other` did at `time` happened before what the wave does now.
static inline bool check_order_before(const check_order_t *order, unsigned other, uint32_t time, unsigned wave)
{
    return order->known[wave][other] > time;
}

#endif
