// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KILN_SIM_ORDER=time: waves execute in the order in which the clock's compute unit issues them
// (docs/timing-model.md).
//
// Each workgroup has its own compute unit (timing/unit.h), which does not replay a stream but
// requests one instruction at a time: the unit selects the wave that issues next, the wave executes
// its instruction, and the unit then issues it with the accesses that it made and the address where
// the wave continues.
//
// Memory changes when an instruction is issued, not when its data would arrive. A workgroup is
// alone on its compute unit, with warm code, data in the Infinity Cache and its share of the L2, so
// the order depends neither on other workgroups nor on host threads.
#ifndef KILN_TIMING_ORDER_H
#define KILN_TIMING_ORDER_H

#include "run/observe.h"
#include "run/order.h"

// Both must be registered: the observer (user: NULL) maintains the state that determines the order.
extern const kiln_sim_order_t kiln_timing_order;
extern const kiln_sim_observer_t kiln_timing_order_observer;

#endif
