// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which workgroups of a launch the clock looks at.
//
// Idea: workgroup i goes to XCD i mod n, and there to the compute units in turn. The clock follows the first compute unit of the
// first XCD, which gets as many workgroups as any. Of its workgroups it replays a few, spread over all that it gets; for each of
// them it wants the companions that run on the other compute units of the XCD at the same time, and of those only where they
// access memory; and one peer on each of the other XCDs, to see what they share.
//
// What a reader gets wrong: a rank is a number in the order in which the compute unit gets its workgroups, not an id.
#ifndef KILN_TIMING_PLAN_H
#define KILN_TIMING_PLAN_H

#include "timing/stream.h"

typedef struct kiln_timing_plan {
    uint64_t grid;                   // workgroups of the launch
    unsigned units, xcds;            // compute units of an XCD; XCDs
    unsigned resident;               // workgroups that a compute unit holds at once
    uint64_t ranks;                  // workgroups that the compute unit gets
    unsigned own, companions, peers; // replayed; others with each of them on the XCD; on other XCDs
    kiln_timing_group_t *groups; // own × (1 + companions + peers): each own one, then its companions, then its peers
    uint64_t *ids;               // of all groups, ascending, each once
    size_t id_count;
} kiln_timing_plan_t;

// False: out of memory.
bool kiln_timing_plan_make(kiln_timing_plan_t *plan, uint64_t grid, unsigned compute_units, unsigned xcds,
                           unsigned resident, unsigned waves);
void kiln_timing_plan_free(kiln_timing_plan_t *plan);
// The group of that id, or NULL where it is not wanted.
kiln_timing_group_t *kiln_timing_plan_find(const kiln_timing_plan_t *plan, uint64_t id);
// The j-th companion of an own group; NULL where the launch has none there.
kiln_timing_group_t *kiln_timing_plan_own(const kiln_timing_plan_t *plan, unsigned own);
kiln_timing_group_t *kiln_timing_plan_companion(const kiln_timing_plan_t *plan, unsigned own, unsigned number);
kiln_timing_group_t *kiln_timing_plan_peer(const kiln_timing_plan_t *plan, unsigned own, unsigned number);

#endif
