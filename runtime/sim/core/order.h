// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which wave of a workgroup executes the next instruction, where somebody decides that: KILN_SIM_ORDER=time (timing/order.c).
//
// What a reader gets wrong: an order takes part, which an observer must not; what it knows of waves and workgroups it knows as an
// observer of its own (core/observe.h). Workgroups are independent, so results don't depend on the number of host threads.
#ifndef KILN_SIM_ORDER_H
#define KILN_SIM_ORDER_H

#include "core/wave.h"

typedef struct kiln_sim_order {
    size_t group_bytes; // of host memory that it takes for a workgroup, about
    // The wave whose turn it is. NULL: all waves of the workgroup that have not ended wait, and one at least not at a barrier.
    kiln_sim_wave_t *(*next)(kiln_sim_workgroup_t *group);
    // It has executed one instruction: wave->stop and wave->resume say how it goes on. At a barrier it goes on when all have come.
    void (*executed)(kiln_sim_wave_t *wave);
    // One that stopped for GWS may go on.
    void (*let_go)(kiln_sim_wave_t *wave);
    // Cycles of the core since the workgroup began.
    uint64_t (*now)(const kiln_sim_workgroup_t *group);
} kiln_sim_order_t;

#endif
