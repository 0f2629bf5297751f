// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The observer that records the planned workgroups of a launch (timing/plan.h, timing/stream.h).
#ifndef KILN_TIMING_RECORD_H
#define KILN_TIMING_RECORD_H

#include "run/observe.h"
#include "timing/stream.h"

// Registered with the machine's kiln_timing_clock_t (timing/predict.h) as its user.
extern const kiln_sim_observer_t kiln_timing_record_observer;

// Called before an instruction executes: appends its access, if it makes one, to the stream. False
// if memory is exhausted.
bool kiln_timing_record_begin(kiln_timing_stream_t *stream, const kiln_sim_inst_t *inst);
// Called while it executes: adds the lines that it touches to the last access of the stream, which
// belongs to `wave`. False if memory is exhausted.
bool kiln_timing_record_reach(kiln_timing_stream_t *stream, const kiln_sim_wave_t *wave,
                              const kiln_sim_accesses_t *a);

#endif
