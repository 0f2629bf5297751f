// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An observer that measures host time by class of instruction, in
// kiln_sim_launch_stats_t.host_ticks.
#ifndef KILN_SIM_PROFILE_H
#define KILN_SIM_PROFILE_H

#include "run/observe.h"

extern const kiln_sim_observer_t kiln_sim_profile_observer;

#endif
