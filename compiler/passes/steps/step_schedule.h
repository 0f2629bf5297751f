// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a step: the order in which a loop's body does its work, after pipeline_loops has
// overlapped iterations. The operations lie in clusters, which follow one another; within a cluster
// they keep the body's order. A dot may be cut into slices along K, with the reads of its operands
// from LDS; each slice has a cluster of its own.
//
//   scf.for … {
//     %x = tt.load %p                      {loop.cluster = 0 : i32}
//     %a = ttg.local_load %A               {loop.cluster = array<i32: 0, 2>}
//     %b = ttg.local_load %B               {loop.cluster = array<i32: 0, 2>}
//     %d = tt.dot %a, %b, %c               {loop.cluster = array<i32: 1, 3>}
//     ttg.local_store %x, %A               {loop.cluster = 4 : i32}
//   } {loop.priorities = array<i32: 0, 1, 0, 1, 0>,   of each cluster: its instructions'
//      loop.fences     = array<i32: -1, 0, 0, 0, 0>,  what LLVM may move across its beginning
//      loop.barriers   = array<i32: 0, 1, 1, 1, 1>,   whether the workgroup meets there
//      loop.wave_groups = 2 : i32}
//
// With two wave groups, the second half of the workgroup is one barrier behind the first in the
// loop, so that one half does what lies in a cluster while the other half does what lies in the
// cluster before it. An operation without a cluster belongs to that of the operation before it.
//
// schedule_steps.c chooses schedules and expand_steps.c carries them out. A loop whose text has a
// schedule keeps it.
#ifndef KILN_STEP_SCHEDULE_H
#define KILN_STEP_SCHEDULE_H

#include "builder/ir.h"

#define KILN_LOOP_PRIORITIES "loop.priorities"
#define KILN_LOOP_FENCES "loop.fences"
#define KILN_LOOP_BARRIERS "loop.barriers"
#define KILN_LOOP_WAVE_GROUPS "loop.wave_groups"

enum { KILN_MAX_SLICES = 16, KILN_MAX_PRIORITY = 3, KILN_NO_FENCE = -1 };

typedef struct kiln_step_op {
    MlirOperation op;
    int slices; // 1: it is not cut
    int cluster[KILN_MAX_SLICES];
} kiln_step_op_t;

typedef struct kiln_step_cluster {
    int priority;  // 0 to KILN_MAX_PRIORITY
    int may_cross; // its beginning: KILN_MAY_CROSS_… (rewrite/sched_barrier.h), or KILN_NO_FENCE
    bool has_barrier;
} kiln_step_cluster_t;

typedef struct kiln_step_schedule {
    MlirOperation loop;
    MlirBlock body;
    kiln_step_op_t *ops; // in the body's order, without its yield
    int count;
    kiln_step_cluster_t *clusters;
    int cluster_count;
    size_t cluster_capacity;
    int wave_groups; // 1 or 2
} kiln_step_schedule_t;

// An operation, or a slice of it, at its place in the step.
typedef struct kiln_step_item {
    int op, slice;
} kiln_step_item_t;

// Whether the loop's text has a schedule of its step.
bool kiln_step_is_scheduled(MlirOperation loop);

// Makes the schedule of a step in the body's order: one cluster. Fails only when out of memory.
kiln_status_t kiln_step_schedule_create(MlirOperation loop, kiln_step_schedule_t *out);

// Reads a loop's schedule. KILN_STATUS_INVALID_INPUT at the operation whose attribute is wrong, or
// that comes before one on which it depends (step_check.c).
kiln_status_t kiln_step_schedule_read(MlirOperation loop, kiln_step_schedule_t *out);
kiln_status_t kiln_step_schedule_check(const kiln_step_schedule_t *schedule);

// Writes the schedule as attributes. Fails only when out of memory.
kiln_status_t kiln_step_schedule_write(const kiln_step_schedule_t *schedule);

// Removes attributes.
void kiln_step_remove_cluster(MlirOperation op);    // its own, in the loop around it
void kiln_step_remove_clusters(MlirOperation loop); // the loop's, but not its operations'

void kiln_step_schedule_free(kiln_step_schedule_t *schedule);

// Appends a cluster. Fails only when out of memory.
kiln_status_t kiln_step_add_cluster(kiln_step_schedule_t *schedule, kiln_step_cluster_t cluster);

// Lets a new cluster begin at an operation that is not cut: it, and what follows it in its cluster.
kiln_status_t kiln_step_split(kiln_step_schedule_t *schedule, int op, int may_cross);

// Returns the index of the operation; −1 if it is not one of the body's own.
int kiln_step_find(const kiln_step_schedule_t *schedule, MlirOperation op);

// Lists the step in its order. The caller frees *out.
kiln_status_t kiln_step_list(const kiln_step_schedule_t *schedule, kiln_step_item_t **out,
                             int *out_count);

// Returns the dot that multiplies what the operation reads, if it is a read of an operand that is
// used for nothing else; and sets *out_operand to its number. Null otherwise.
MlirOperation kiln_step_dot_of_read(MlirOperation read, int *out_operand);

#endif
