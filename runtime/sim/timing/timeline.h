// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the waves of the replayed compute unit did when, kept while it is replayed (option `timeline`), and written for people
// to look at: one file for Perfetto (https://ui.perfetto.dev), or a folder for ROCprof Compute Viewer.
//
// What a reader gets wrong: times are predicted cycles. In Perfetto's file, whose unit is a microsecond, a cycle is one of them.
#ifndef KILN_TIMING_TIMELINE_H
#define KILN_TIMING_TIMELINE_H

#include "core/launch.h"
#include "timing/op.h"

struct kiln_timing_clock;

// An instruction of a wave. From `begin` on nothing kept it but `reason`; it was issued in the cycle `issued`.
typedef struct kiln_timing_event {
    uint32_t life, op;
    uint64_t begin, issued;
    uint8_t reason; // kiln_sim_stall_t
} kiln_timing_event_t;

// A wave.
typedef struct kiln_timing_life {
    uint64_t group;               // id of its workgroup
    unsigned number, simd, place; // in the workgroup; place: of those that the SIMD has for waves
    uint64_t begin, end;
} kiln_timing_life_t;

typedef struct kiln_timing_timeline {
    kiln_timing_event_t *events; // in the order of issue
    size_t event_count, event_capacity;
    kiln_timing_life_t *lives;
    size_t life_count, life_capacity;
    bool cut; // there was more than is kept
} kiln_timing_timeline_t;

// A wave begins: its number here, which the calls for it want; UINT32_MAX: it is not kept.
uint32_t kiln_timing_timeline_begin(kiln_timing_timeline_t *timeline, kiln_timing_life_t life);
void kiln_timing_timeline_issue(kiln_timing_timeline_t *timeline, kiln_timing_event_t event);
void kiln_timing_timeline_end(kiln_timing_timeline_t *timeline, uint32_t life, uint64_t now);
void kiln_timing_timeline_clear(kiln_timing_timeline_t *timeline); // and frees

// Writes the clock's last timeline to a file, or, where the path ends in '/', to a folder. False where it can't be
// written.
bool kiln_timing_timeline_write(const struct kiln_timing_clock *clock, const kiln_sim_launch_t *launch,
                                const char *path);
// timing/viewer.c: the folder.
bool kiln_timing_viewer_write(const struct kiln_timing_clock *clock, const kiln_sim_launch_t *launch,
                              const char *folder);

// For both: what kind of instruction an operation is ("VALU", "MFMA", …).
const char *kiln_timing_category(const kiln_timing_op_t *op);

#endif
