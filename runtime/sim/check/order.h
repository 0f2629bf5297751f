// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a workgroup's waves by LDS atomics, without a barrier.
//
// The order is kept by vector clocks. A wave's time advances with each atomic. An atomic stores the
// wave's knowledge of all times at its dword (release), and an atomic that is polled in a loop
// takes the knowledge stored there (acquire). LDS instructions of one wave execute in order, so
// neither needs a wait. Atomics that only count (histograms) order nothing, since their order is
// arbitrary.
//
// Dwords that share an entry of the table add order that does not exist, so a conflict may be
// missed but is never invented.
#ifndef KILN_SIM_CHECK_ORDER_H
#define KILN_SIM_CHECK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

enum { CHECK_ORDER_WAVES = 16, CHECK_ORDER_PLACES = 1024 };

typedef struct check_order {
    uint32_t time[CHECK_ORDER_WAVES];
    uint32_t known[CHECK_ORDER_WAVES]
                  [CHECK_ORDER_WAVES]; // [wave][of]: earlier accesses are ordered before the wave
    uint32_t left[CHECK_ORDER_PLACES][CHECK_ORDER_WAVES]; // stored by atomics, by dword of LDS
} check_order_t;

static inline void check_order_join(uint32_t to[CHECK_ORDER_WAVES],
                                    const uint32_t from[CHECK_ORDER_WAVES])
{
    for (unsigned i = 0; i < CHECK_ORDER_WAVES; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

// Records a wave's atomic at an LDS offset; `acquires`: it is polled.
static inline void check_order_atomic(check_order_t *order, unsigned wave, uint32_t offset,
                                      bool acquires)
{
    uint32_t *left = order->left[offset / 4 % CHECK_ORDER_PLACES];
    if (acquires)
        check_order_join(order->known[wave], left);
    check_order_join(left, order->known[wave]);
    left[wave] = order->time[wave] + 1;
}

// Whether the access of `other` at `time` happened before the current access of `wave`.
static inline bool check_order_before(const check_order_t *order, unsigned other, uint32_t time,
                                      unsigned wave)
{
    return order->known[wave][other] > time;
}

#endif
