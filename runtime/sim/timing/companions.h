// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the companions of replayed workgroups ask of the L2, in the order in which a replay makes them ask (timing/replay.c): found
// out once for all replays of a launch, because it does not depend on the clock.
//
// A companion's wave makes its n-th access when the wave that it accompanies makes its own. Those with more or fewer accesses keep
// up: they make several, or none, so that they come to their ends together.
#ifndef KILN_TIMING_COMPANIONS_H
#define KILN_TIMING_COMPANIONS_H

#include "timing/plan.h"

// An access of a companion's wave, or reads of several that reach the same lines at the same moment.
typedef struct kiln_timing_follower {
    uint64_t base;
    const uint64_t *distances; // of its lines from that
    uint16_t count, more;      // more: companions beyond the first
    bool writes, atomic;
    bool alike; // as many accesses as who is accompanied: what hits the L1 of the one hits that of the other
} kiln_timing_follower_t;

typedef struct kiln_timing_companions {
    kiln_timing_follower_t *followers;
    size_t *parts;  // where each part's followers begin: two for each access of a replayed wave, before and behind it
    size_t *waves;  // where each replayed wave's parts begin: [own][wave]
    unsigned count; // waves of a workgroup
} kiln_timing_companions_t;

// Of a plan that has chosen. False: out of memory.
bool kiln_timing_companions_make(kiln_timing_companions_t *companions, const kiln_timing_plan_t *plan);
void kiln_timing_companions_free(kiln_timing_companions_t *companions);

// Of the companions that come before or behind access `number` (from 1 on) of a replayed wave; *end: behind the last one.
const kiln_timing_follower_t *kiln_timing_companions_part(const kiln_timing_companions_t *companions, unsigned own,
                                                          unsigned wave, size_t number, bool behind,
                                                          const kiln_timing_follower_t **end);

#endif
