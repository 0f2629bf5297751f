// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs that a replay leaves out, per access, and the clock frequency of what is left. Costs of
// instructions: timing/without.c.
#ifndef KILN_TIMING_WITHOUT_H
#define KILN_TIMING_WITHOUT_H

#include <stdbool.h>

#include "kiln/sim.h"
#include "timing/stream.h"

// Cycles that the banks need for the access's bytes without conflicts.
unsigned kiln_timing_access_min_lds(const kiln_timing_access_t *access);

// The access with a set of KILN_SIM_WITHOUT_* left out.
kiln_timing_access_t kiln_timing_access_without(const kiln_timing_access_t *access,
                                                unsigned without);

// Moves the prediction `io` of a launch with less work, which was replayed at the clock frequency
// of the launch itself, to the frequency `held`, in MHz. The time in which the busiest part of the
// compute unit works takes as many cycles there. The rest takes as many cycles, or as long if it
// waits for memory, or something in between: the middle is taken. Returns false, and leaves `io` as
// it is, if that decides over more than a twelfth of the gain over the `launch_us` microseconds of
// the launch itself, so that it needs a replay at the frequency `held`.
bool kiln_timing_take_between(double launch_us, double held, kiln_sim_prediction_t *io);

#endif
