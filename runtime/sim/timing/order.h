// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KILN_SIM_ORDER=time: waves execute in the order in which the clock's compute unit issues them (docs/timing-model.md).
//
// Idea: each workgroup has a compute unit of its own (timing/unit.h) that does not replay a stream, but asks for one instruction after
// the other: the unit says who issues next, that wave executes it, and what it then accessed and where it went is what the unit issues.
//
// What a reader gets wrong: memory changes when an instruction is issued, not when its data would arrive. And a workgroup is alone on its
// compute unit, with warm code, data in the Infinity Cache and its share of the L2: so neither other workgroups nor host threads
// have a say.
#ifndef KILN_TIMING_ORDER_H
#define KILN_TIMING_ORDER_H

#include "core/observe.h"
#include "core/order.h"

// Both must be set: the observer (user: NULL) keeps what the order decides by.
extern const kiln_sim_order_t kiln_timing_order;
extern const kiln_sim_observer_t kiln_timing_order_observer;

#endif
