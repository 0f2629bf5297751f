// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The observer that writes down what the planned workgroups of a launch do (timing/plan.h, timing/stream.h).
#ifndef KILN_TIMING_RECORD_H
#define KILN_TIMING_RECORD_H

#include "core/observe.h"
#include "timing/stream.h"

// Registered with a machine's kiln_timing_clock_t (timing/clock.h) as its user.
extern const kiln_sim_observer_t kiln_timing_record_observer;

// Of an instruction that is about to be executed: puts its access, where it makes one, behind the stream's others. False: out of memory.
bool kiln_timing_record_begin(kiln_timing_stream_t *stream, const kiln_sim_inst_t *inst);
// In the middle of it: where the stream's last access reaches, which is `wave`'s. False: out of memory.
bool kiln_timing_record_reach(kiln_timing_stream_t *stream, const kiln_sim_wave_t *wave, const kiln_sim_accesses_t *a);

#endif
