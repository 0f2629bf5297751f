// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a wave did not issue: the reasons of timing/stalls.def.
#ifndef KILN_TIMING_STALL_H
#define KILN_TIMING_STALL_H

typedef enum kiln_timing_stall {
#define KILN_SIM_STALL(name, text, help) KILN_TIMING_STALL_##name,
#include "kiln/sim_stalls.def"
#undef KILN_SIM_STALL
    KILN_TIMING_STALLS
} kiln_timing_stall_t;

#endif
