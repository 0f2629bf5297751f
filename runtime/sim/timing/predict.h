// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock that predicts the time of a machine's launches: the state that it keeps between
// launches, and its prediction for the last one.
//
// For each launch, a plan selects workgroups (timing/plan.h), an observer records them
// (timing/record.h), a compute unit replays them (timing/replay.c), and the rest of the grid is
// extrapolated.
#ifndef KILN_TIMING_PREDICT_H
#define KILN_TIMING_PREDICT_H

#include "decode/slice.h"
#include "kiln/sim.h"
#include "run/launch.h"
#include "timing/cache_state.h"
#include "timing/companions.h"
#include "timing/launch_cache.h"
#include "timing/lines.h"
#include "timing/op.h"
#include "timing/parameters.h"
#include "timing/plan.h"
#include "timing/timeline.h"

// What the accesses of memory of a replay came to.
typedef struct kiln_timing_memory_sums {
    double busy;       // cycles in which the busiest of L1, L2, Infinity Cache and HBM was busy
    double write_back; // cycles after the last workgroup: the L2s write back what is dirty
    uint64_t l1;       // cycles in which the L1 was busy
    uint64_t l1_hits, l1_misses, l2_lines, l2_hits, mall_lines;
    double hbm_read_lines, hbm_write_lines; // of the XCD's share
    bool l2_waited;                         // some line has waited for its channel of the L2
} kiln_timing_memory_sums_t;

// Results of a replay for the compute unit; sums over its four SIMDs unless noted otherwise.
typedef struct kiln_timing_replay {
    uint64_t cycles;                    // until the last replayed workgroup ended
    double launch_cycles;               // of the whole grid
    unsigned own;                       // workgroups that were replayed
    uint64_t valu, matrix, lds;         // cycles in which the units were busy
    uint64_t power[KILN_TIMING_POWERS]; // cycles of vector and matrix instructions, by kind
    uint64_t wave_cycles;               // lifetimes of all waves
    double flops;
    double flops_a_cycle; // per cycle of a SIMD that only executes the kind of operations that
                          // contributed most of them
    kiln_timing_memory_sums_t memory;
} kiln_timing_replay_t;

// The suppositions of a replay besides costs that are left out (kiln_sim_supposition_t). 0:
// unchanged.
typedef struct kiln_timing_suppose {
    const kiln_timing_op_t *plain; // for waves below from_wave
    unsigned from_wave, resident;
    bool near;      // programs that share data are on one XCD
    bool recalls;   // accesses of memory take as long as in the launch itself
    bool at_clock;  // at the clock frequency of the launch
    unsigned fewer; // workgroups that are not replayed, of the last ones
    uint64_t grid;  // number of workgroups, for the dispatcher and the device's load
} kiln_timing_suppose_t;

typedef struct kiln_timing_clock {
    kiln_timing_plan_t plan;
    kiln_timing_companions_t companions; // while a launch is replayed
    kiln_timing_cache_state_t cache_state;
    kiln_timing_launch_cache_t
        launch_cache;       // predictions of earlier launches, if option `repeats` is once
    kiln_sim_slice_t slice; // of a launch in mode `only`
    kiln_timing_first_t first;
    kiln_timing_op_t *ops; // of the launch's program
    uint64_t (*stalls)[KILN_SIM_STALLS];
    uint64_t *waited;    // cycles that replayed waves waited for each instruction
    uint64_t *set_waits; // cycles that each instruction's misses waited for a place in their set
    bool *executed;      // by a replayed wave
    size_t op_count;
    kiln_timing_replay_t replay;
    kiln_sim_prediction_t prediction;
    bool predicted;                  // whether the last launch has a prediction
    bool out_of_memory;              // while recording
    kiln_timing_timeline_t timeline; // of the prediction, if option `timeline` is set
    bool unwritten;                  // writing the timeline failed
    kiln_timing_lines_t lines;       // of the prediction, if option `stalls` or `timeline` is set
    // The data for replaying the last launch, if option `stalls` was set (timing/without.c).
    bool replayable;
    bool supposes;                 // while it is replayed again
    kiln_timing_suppose_t suppose; // then
    uint64_t number;               // of the last launch, from 1
    kiln_sim_launch_t last;
    kiln_sim_options_t last_options;
    kiln_timing_parameters_t last_parameters;
    kiln_sim_prediction_t last_result; // its prediction
    kiln_timing_replay_t last_replay;
} kiln_timing_clock_t;

bool kiln_timing_clock_begin(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch);
// Called after the launch. Predicts its time unless the launch failed.
void kiln_timing_clock_end(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch);
void kiln_timing_clock_free(kiln_timing_clock_t *clock);

// The second half of kiln_timing_clock_end: replays the recording until the clock frequency agrees,
// beginning with `mhz`, and fills in clock->prediction. False if memory is exhausted or the waves
// deadlock.
bool kiln_timing_clock_predict(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch,
                               double mhz);

// The clock frequency that the device would hold under the load of the replay, or the given one.
double kiln_timing_clock_held(const kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch,
                              double mhz);

// The number of workgroups of the launch, or of the supposed one.
uint64_t kiln_timing_clock_grid(const kiln_timing_clock_t *clock);

// timing/without.c: predicts the last launch again under a supposition. False if it cannot be
// replayed.
bool kiln_timing_clock_replay(kiln_timing_clock_t *clock, const kiln_sim_supposition_t *supposition,
                              kiln_sim_prediction_t *out);
// The object's code is about to be unloaded.
void kiln_timing_clock_forget(kiln_timing_clock_t *clock, const kiln_sim_code_object_t *object);

// Replays the recorded workgroups at a core clock of `ghz`. False if memory is exhausted or the
// waves deadlock.
bool kiln_timing_replay(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch, double ghz);

// What the device does on average over a launch.
typedef struct kiln_timing_load {
    double busy[KILN_TIMING_POWERS]; // compute units that units of a kind keep busy
    double hbm_gb_s;
} kiln_timing_load_t;

// The share by which a matrix instruction of this kind (kiln_timing_power_t) occupies its unit for
// longer because the device limits its matrix operations per second (timing/power.c).
double kiln_timing_matrix_longer(const kiln_sim_product_t *product, unsigned power, double mhz);
// The clock in MHz that the device sustains under this load (timing/power.c).
double kiln_timing_power_clock(const kiln_sim_product_t *product, const kiln_timing_load_t *load);

#endif
