// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The predicting clock of a machine: what it keeps from launch to launch, and what it says of the last one.
//
// A launch goes through it in this order: a plan says which workgroups to look at (timing/plan.h), an observer records them
// (timing/record.h), a compute unit replays them (timing/replay.h), and the rest of the grid is extrapolated.
#ifndef KILN_TIMING_CLOCK_H
#define KILN_TIMING_CLOCK_H

#include "core/launch.h"
#include "core/slice.h"
#include "kiln/sim.h"
#include "timing/companions.h"
#include "timing/lines.h"
#include "timing/op.h"
#include "timing/plan.h"
#include "timing/timeline.h"
#include "timing/warmth.h"

// What replaying told, of the compute unit; sums over its four SIMDs where not said otherwise.
typedef struct kiln_timing_replay {
    uint64_t cycles;                    // until the last replayed workgroup had ended
    double launch_cycles;               // of the whole grid
    uint64_t valu, matrix, lds, l1;     // cycles in which the units were busy
    uint64_t power[KILN_TIMING_POWERS]; // cycles by what drew power
    uint64_t wave_cycles;               // of all waves that lived
    double flops;
    double flops_a_cycle; // of a SIMD that does nothing but the kind of operations that made most of them
    uint64_t l1_hits, l1_misses, l2_lines, l2_hits, mall_lines;
    double hbm_read_lines, hbm_write_lines; // of the XCD's share
} kiln_timing_replay_t;

typedef struct kiln_timing_clock {
    kiln_timing_plan_t plan;
    kiln_timing_companions_t companions; // while a launch is replayed
    kiln_timing_warmth_t warmth;
    kiln_sim_slice_t slice; // of a launch of which only the time is wanted
    kiln_timing_op_t *ops;  // of the launch's program
    uint64_t (*stalls)[KILN_SIM_STALLS];
    bool *executed; // by a replayed wave
    size_t op_count;
    kiln_timing_replay_t replay;
    kiln_sim_prediction_t prediction;
    bool predicted;                  // the last launch
    bool out_of_memory;              // while it was recorded
    kiln_timing_timeline_t timeline; // of the prediction, where the option wants it
    bool unwritten;                  // the timeline could not be written
    kiln_timing_lines_t lines;       // of the prediction, where the option `stalls` or `timeline` wants them
} kiln_timing_clock_t;

bool kiln_timing_clock_begin(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch);
// Behind the launch: predicts, where it has not failed.
void kiln_timing_clock_end(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch);
void kiln_timing_clock_free(kiln_timing_clock_t *clock);

// Replays what was recorded at a core clock of so many GHz. False: out of memory, or waves that wait for each other for ever.
bool kiln_timing_replay(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch, double ghz);

// The clock in MHz that the device holds while, of the SIMDs' cycles on so many compute units, those shares go to what draws power
// (timing/power.c).
double kiln_timing_power_clock(const kiln_sim_product_t *product, const double share[KILN_TIMING_POWERS], double units);

#endif
