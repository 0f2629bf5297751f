// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the host's time goes, by class of instruction: an observer that fills kiln_sim_launch_stats_t.host_ticks.
#ifndef KILN_SIM_PROFILE_H
#define KILN_SIM_PROFILE_H

#include "core/observe.h"

extern const kiln_sim_observer_t kiln_sim_profile_observer;

#endif
