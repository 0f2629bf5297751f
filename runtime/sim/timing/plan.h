// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The selection of the workgroups that the clock examines to predict a launch.
//
// Workgroup i goes to XCD i mod n, and there to the next compute unit with room. The model follows
// one compute unit of the first XCD. It examines a few rows from some generations of co-resident
// workgroups; a row is the set of workgroups that the XCD's compute units receive in one turn. It
// replays one workgroup of each row. The others are its companions, of which only the memory
// accesses are recorded. A peer on each of the other XCDs shows what the XCDs share.
//
// Workgroups may differ: those of causal attention grow, those at a tensor's edge access it element
// by element, and most of a mixture of experts exit at once. Therefore the replayed workgroups are
// chosen after the accesses are known. If all workgroups run at once, the replayed ones are those
// of one compute unit, the one with the most work among a few of the first XCD, with its last, and,
// by its peers, one of each other XCD. Otherwise a workgroup of each row is chosen that does at
// least the row's average work on the XCD with the most work. `scale` is the ratio of a compute
// unit's work to the replayed work. Between the examined generations, work is assumed to change
// evenly; single workgroups, the probes, show where it ends or begins in between. Work is counted
// in memory accesses. Companions are always on the first XCD.
//
// A rank is a row's number in the order in which an XCD receives the rows, not an id.
#ifndef KILN_TIMING_PLAN_H
#define KILN_TIMING_PLAN_H

#include "timing/stream.h"

typedef struct kiln_timing_plan {
    uint64_t grid;                   // number of workgroups of the launch
    unsigned units, xcds;            // compute units per XCD; XCDs
    unsigned resident;               // workgroups that a compute unit holds at once
    uint64_t ranks;                  // number of workgroups that the compute unit gets
    unsigned own, companions, peers; // replayed, one per row; others of a row; on other XCDs
    unsigned probes;                 // single workgroups between the generations
    kiln_timing_group_t *groups; // own × (units + peers): each row, followed by its peers; probes
    unsigned *chosen;            // unit of each row that is replayed
    uint64_t *ids;               // of all groups, ascending and unique
    size_t id_count;
    uint64_t *own_ids; // of the replayed groups, ascending, after they have been chosen
    double scale;      // work of the compute unit that ends last, relative to the replayed one
    bool accesses;     // whether the replayed workgroups access memory
    double remaining;  // work that the compute unit gets besides the replayed one; if they do not
                       // access memory, each workgroup counts as one
    double mean_group, mean_unit; // work of the average workgroup and compute unit, relative to
                                  // those with the most; 1 if workgroups go where there is room
    double average; // average work of the examined workgroups, relative to a replayed one
} kiln_timing_plan_t;

// False if memory is exhausted.
bool kiln_timing_plan_make(kiln_timing_plan_t *plan, uint64_t grid, unsigned compute_units,
                           unsigned xcds, unsigned resident, unsigned waves);
void kiln_timing_plan_free(kiln_timing_plan_t *plan);
// The group with that id, or NULL if it is not part of the plan.
kiln_timing_group_t *kiln_timing_plan_find(const kiln_timing_plan_t *plan, uint64_t id);

// The work of a workgroup: its memory accesses.
double kiln_timing_plan_work(const kiln_timing_group_t *group);

// Chooses the replayed workgroups and computes the scale. Requires the accesses of all groups.
void kiln_timing_plan_choose(kiln_timing_plan_t *plan);
// With `needed`, requests the instructions of the replayed groups, which must then be recorded
// again. Those of other groups are never needed.
void kiln_timing_plan_request_steps(kiln_timing_plan_t *plan, bool needed);

// Whether all workgroups of the launch run at once: none waits for another one's place.
bool kiln_timing_plan_at_once(const kiln_timing_plan_t *plan);

// The workgroup of a row that is replayed, and its companions; a companion is NULL if the launch
// has no such workgroup.
kiln_timing_group_t *kiln_timing_plan_own(const kiln_timing_plan_t *plan, unsigned own);
kiln_timing_group_t *kiln_timing_plan_companion(const kiln_timing_plan_t *plan, unsigned own,
                                                unsigned number);
// Workgroup `unit` of a row on the first XCD, or NULL likewise.
kiln_timing_group_t *kiln_timing_plan_row(const kiln_timing_plan_t *plan, unsigned own,
                                          unsigned unit);
// The workgroup of a row that has peers, which are its neighbours by id. A peer is likewise NULL if
// it does not exist.
kiln_timing_group_t *kiln_timing_plan_base(const kiln_timing_plan_t *plan, unsigned own);
kiln_timing_group_t *kiln_timing_plan_peer(const kiln_timing_plan_t *plan, unsigned own,
                                           unsigned number);

#endif
