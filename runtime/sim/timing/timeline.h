// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record of each wave's instructions and stalls on the replayed compute unit (option `timeline`).
// It is written as a file for Perfetto (https://ui.perfetto.dev), a folder for ROCprof Compute
// Viewer, or short text for reports.
//
// Times are predicted cycles. Perfetto's file shows a cycle as one microsecond, its unit of time.
#ifndef KILN_TIMING_TIMELINE_H
#define KILN_TIMING_TIMELINE_H

#include "run/launch.h"
#include "timing/op.h"

struct kiln_timing_clock;

// An issued instruction of a wave. From cycle `begin` on only `reason` delayed it; it was issued in
// cycle `issued`.
typedef struct kiln_timing_event {
    uint32_t life, op;
    uint64_t begin, issued;
    uint8_t reason; // kiln_sim_stall_t
} kiln_timing_event_t;

// The lifetime of a wave.
typedef struct kiln_timing_life {
    uint64_t group;               // id of its workgroup
    unsigned number, simd, place; // in the workgroup; place: one of the SIMD's for waves
    uint64_t begin, end;
} kiln_timing_life_t;

typedef struct kiln_timing_timeline {
    kiln_timing_event_t *events; // in the order of issue
    size_t event_count, event_capacity;
    kiln_timing_life_t *lives;
    size_t life_count, life_capacity;
    bool cut; // events were dropped
} kiln_timing_timeline_t;

// Starts a wave. Returns its number for the calls below, or UINT32_MAX if it is not kept.
uint32_t kiln_timing_timeline_begin(kiln_timing_timeline_t *timeline, kiln_timing_life_t life);
void kiln_timing_timeline_issue(kiln_timing_timeline_t *timeline, kiln_timing_event_t event);
void kiln_timing_timeline_end(kiln_timing_timeline_t *timeline, uint32_t life, uint64_t now);
void kiln_timing_timeline_clear(kiln_timing_timeline_t *timeline); // and frees it

// Writes the clock's last timeline to a file, which is short text if the path ends in ".waves", or,
// if it ends in '/', to a folder. False if writing fails.
bool kiln_timing_timeline_write(const struct kiln_timing_clock *clock,
                                const kiln_sim_launch_t *launch, const char *path);
// Writes the folder (timing/viewer.c).
bool kiln_timing_viewer_write(const struct kiln_timing_clock *clock,
                              const kiln_sim_launch_t *launch, const char *folder);

// Writes the short text (timing/waves.c).
bool kiln_timing_waves_write(const struct kiln_timing_clock *clock, const char *path);

// The category of an operation ("VALU", "MFMA", …), for both formats.
const char *kiln_timing_category(const kiln_timing_op_t *op);

#endif
