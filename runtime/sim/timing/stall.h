// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a wave did not issue: the reasons of timing/stalls.def.
#ifndef KILN_SIM_STALL_H
#define KILN_SIM_STALL_H

typedef enum kiln_timing_stall {
#define KILN_SIM_STALL(name, text, help) KILN_SIM_STALL_##name,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
    KILN_SIM_STALLS
} kiln_sim_stall_t;

#endif
