// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The observer that writes down what the planned workgroups of a launch do (timing/plan.h, timing/stream.h).
#ifndef KILN_TIMING_RECORD_H
#define KILN_TIMING_RECORD_H

#include "core/observe.h"

// Registered with a machine's kiln_timing_clock_t (timing/clock.h) as its user.
extern const kiln_sim_observer_t kiln_timing_record_observer;

#endif
