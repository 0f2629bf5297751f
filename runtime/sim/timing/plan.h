// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which workgroups of a launch the clock looks at, and what they stand for.
//
// Idea: workgroup i goes to XCD i mod n, and there to the next compute unit that has room. The clock follows a compute unit of the
// first XCD. It looks at a few rows, those of some generations that run together: a row are the workgroups that the XCD's compute units get in one turn. Of each row it
// replays one, with the others beside it as companions, of which it wants only where they access memory; and it wants a peer on
// each of the other XCDs, to see what they share.
//
// Workgroups may differ: those of causal attention grow, most of a mixture of experts' leave at once. So any of a few of a row, or one of its
// peers where another XCD gets more, may be the one that is replayed, chosen when accesses are known; and `scale` says how much more or less work
// a compute unit gets than those that are replayed. Work is counted in accesses to memory. Companions are the first XCD's in any case.
//
// What a reader gets wrong: a rank is the number of a row in the order in which an XCD gets them, not an id.
#ifndef KILN_TIMING_PLAN_H
#define KILN_TIMING_PLAN_H

#include "timing/stream.h"

typedef struct kiln_timing_plan {
    uint64_t grid;                   // workgroups of the launch
    unsigned units, xcds;            // compute units of an XCD; XCDs
    unsigned resident;               // workgroups that a compute unit holds at once
    uint64_t ranks;                  // workgroups that the compute unit gets
    unsigned own, companions, peers; // replayed, of a row each; others of the row; on other XCDs
    kiln_timing_group_t *groups;     // own × (units + peers): a row, then its peers
    unsigned *chosen;                // by own: unit of the row that is replayed
    uint64_t *ids;                   // of all groups, ascending, each once
    size_t id_count;
    uint64_t *own_ids; // of the replayed ones, ascending, when they have been chosen
    double scale;      // work of the compute unit that ends last, over that of the replayed one
    double average;    // work of a workgroup of those looked at, over that of a replayed one
} kiln_timing_plan_t;

// False: out of memory.
bool kiln_timing_plan_make(kiln_timing_plan_t *plan, uint64_t grid, unsigned compute_units, unsigned xcds,
                           unsigned resident, unsigned waves);
void kiln_timing_plan_free(kiln_timing_plan_t *plan);
// The group of that id, or NULL where it is not wanted.
kiln_timing_group_t *kiln_timing_plan_find(const kiln_timing_plan_t *plan, uint64_t id);

// Accesses of everything are recorded: chooses what is replayed, and finds the scale.
void kiln_timing_plan_choose(kiln_timing_plan_t *plan);
// Whether the instructions of those that are replayed are wanted, who are then recorded anew; of the others they are not.
void kiln_timing_plan_want_steps(kiln_timing_plan_t *plan, bool wanted);

// The workgroup of a row that is replayed, and its companions; NULL where the launch has none there.
kiln_timing_group_t *kiln_timing_plan_own(const kiln_timing_plan_t *plan, unsigned own);
kiln_timing_group_t *kiln_timing_plan_companion(const kiln_timing_plan_t *plan, unsigned own, unsigned number);
// The workgroup of a row that has peers, which are its neighbours by id; NULL likewise.
kiln_timing_group_t *kiln_timing_plan_base(const kiln_timing_plan_t *plan, unsigned own);
kiln_timing_group_t *kiln_timing_plan_peer(const kiln_timing_plan_t *plan, unsigned own, unsigned number);

#endif
