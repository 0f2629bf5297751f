// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides which wave of a workgroup executes the next instruction: KILN_SIM_ORDER=time
// (timing/order.c).
//
// Unlike an observer, an order affects execution. It learns about waves and workgroups through an
// observer of its own (run/observe.h). Workgroups are independent, so results do not depend on the
// number of host threads.
#ifndef KILN_SIM_ORDER_H
#define KILN_SIM_ORDER_H

#include "core/wave.h"

typedef struct kiln_sim_order {
    size_t group_bytes; // approximate host memory for each workgroup
    // Returns the wave to run next. NULL: all waves of the workgroup that have not ended wait, at
    // least one of them not at a barrier.
    kiln_sim_wave_t *(*next)(kiln_sim_workgroup_t *group);
    // The wave has executed one instruction; wave->stop and wave->resume determine how the wave
    // continues. At a barrier it continues when all waves have arrived.
    void (*executed)(kiln_sim_wave_t *wave);
    // A wave that stopped for GWS can continue.
    void (*release)(kiln_sim_wave_t *wave);
    // Core cycles since the workgroup began.
    uint64_t (*now)(const kiln_sim_workgroup_t *group);
} kiln_sim_order_t;

#endif
