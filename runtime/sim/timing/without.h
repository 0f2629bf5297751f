// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs that a replay leaves out, per access. Costs of instructions: timing/without.c.
#ifndef KILN_TIMING_WITHOUT_H
#define KILN_TIMING_WITHOUT_H

#include "kiln/sim.h"
#include "timing/stream.h"

// Cycles that the banks need for the access's bytes without conflicts.
unsigned kiln_timing_access_min_lds(const kiln_timing_access_t *access);

// The access with a set of KILN_SIM_WITHOUT_* left out.
kiln_timing_access_t kiln_timing_access_without(const kiln_timing_access_t *access,
                                                unsigned without);

#endif
