// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The L2 accesses of the replayed workgroups' companions, in the order in which a replay issues
// them (timing/replay.c). The order does not depend on the clock frequency, so it is computed once
// for all replays of a launch.
//
// A companion's wave makes its n-th access when the wave that it accompanies makes its own n-th
// access. If all workgroups of a launch run at once, waves with fewer accesses then have none left,
// and others stop where the accompanied wave ends. Otherwise other workgroups take their places:
// waves with more or fewer accesses make several or none at a time, so that they finish together.
#ifndef KILN_TIMING_COMPANIONS_H
#define KILN_TIMING_COMPANIONS_H

#include "timing/plan.h"

// An access of a companion's wave, or reads of several companions that touch the same lines at the
// same moment.
typedef struct kiln_timing_follower {
    uint64_t base;
    const uint64_t *distances; // of its lines from base
    uint16_t count, more;      // more: number of further companions with this read
    bool writes, atomic;
    bool
        follows_timing; // as many accesses as the accompanied wave, so that both hit their L1 alike
} kiln_timing_follower_t;

typedef struct kiln_timing_companions {
    kiln_timing_follower_t *followers;
    size_t *parts;  // start of each part's followers: two parts for each access of a replayed wave,
                    // before and after it
    size_t *waves;  // start of each replayed wave's parts: [own][wave]
    unsigned count; // waves of a workgroup
} kiln_timing_companions_t;

// Requires kiln_timing_plan_choose. False if memory is exhausted.
bool kiln_timing_companions_make(kiln_timing_companions_t *companions,
                                 const kiln_timing_plan_t *plan);
void kiln_timing_companions_free(kiln_timing_companions_t *companions);

// The accesses of companions just before or, with `after`, just after access `number` (from 1 on)
// of a replayed wave; *end is one past the last.
const kiln_timing_follower_t *
kiln_timing_companions_part(const kiln_timing_companions_t *companions, unsigned own, unsigned wave,
                            size_t number, bool after, const kiln_timing_follower_t **end);

#endif
