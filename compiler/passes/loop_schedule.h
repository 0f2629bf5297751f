// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a loop, as its operations' attributes say it, and whether it keeps the loop's meaning.
//
// An operation with `loop.stage = s` does its work for iteration i in step i + s of the new loop; within a step,
// operations go by `loop.cluster`, and within a cluster as the old loop has them. So A, which iteration i + d of B needs,
// must have stage(A) < stage(B) + d, or be equal and come first in the step.
//
// The thing one gets wrong: what a loop carries around is needed by the iteration after: d is 1, and an operation of
// stage 1 may give what one of stage 0 takes, if it comes first in the step.
#ifndef KILN_LOOP_SCHEDULE_H
#define KILN_LOOP_SCHEDULE_H

#include "analysis/pointer_map.h"
#include "builder/ir.h"

#define KILN_LOOP_STAGE "loop.stage"
#define KILN_LOOP_CLUSTER "loop.cluster"
#define KILN_LOOP_LAST_STAGE "tt.scheduled_max_stage"

typedef struct kiln_scheduled_op {
    MlirOperation op;
    int stage, cluster;
    int place; // in a step
} kiln_scheduled_op_t;

// LDS that a local_alloc in the loop makes, and that other stages use: one slot for every iteration whose contents are
// needed at one time.
typedef struct kiln_loop_buffer {
    int op; // the local_alloc
    int slots;
} kiln_loop_buffer_t;

typedef struct kiln_loop_schedule {
    MlirOperation loop;
    MlirBlock body;
    kiln_scheduled_op_t *ops;    // as the loop has them, without its yield
    int *order;                  // their numbers as a step has them
    int count, stages;           // the first stage is 0
    kiln_pointer_map_t index_of; // operation → its number
    int *carried_stage;          // of each carried value: the stage that makes the next
    int carried_count;
    kiln_loop_buffer_t *buffers;
    int buffer_count;
} kiln_loop_schedule_t;

// Iterations of an scf.for with constant bounds; −1 for others.
int64_t kiln_loop_trip_count(MlirOperation loop);

// Whether the operation is a dot or has one in it: loops with dots are scheduled.
bool kiln_has_dot(MlirOperation op);

// Whether there is a schedule to expand.
bool kiln_loop_is_scheduled(MlirOperation loop);

// Reads and checks. What breaks a dependence, or has no stage where it needs one, is KILN_STATUS_INVALID_INPUT at the
// operation's place.
kiln_status_t kiln_loop_schedule_read(MlirOperation loop, kiln_loop_schedule_t *out);
void kiln_loop_schedule_free(kiln_loop_schedule_t *schedule);

// The number of the loop's operation that the operation is or is in; −1 for the yield and for what is outside.
int kiln_loop_schedule_owner(const kiln_loop_schedule_t *schedule, MlirOperation op);

// The buffer whose local_alloc makes the value; −1 for none.
int kiln_loop_schedule_buffer(const kiln_loop_schedule_t *schedule, MlirValue memdesc);

// The number of the carried value that the argument is; −1 where it is none.
int kiln_loop_schedule_carried(const kiln_loop_schedule_t *schedule, MlirValue argument);

// What the loop gives on for its carried value.
MlirValue kiln_loop_schedule_yield(const kiln_loop_schedule_t *schedule, int carried);

// Whether operation `from` is done when `to`, of `distance` iterations later, needs it.
bool kiln_loop_schedule_holds(const kiln_loop_schedule_t *schedule, int from, int to, int distance);

// Calls `visit` for each operand of the operation and all that is in it.
typedef bool (*kiln_operand_visit_t)(MlirValue operand, void *user); // false: no more
bool kiln_visit_operands(MlirOperation op, kiln_operand_visit_t visit, void *user);

// Views of a buffer are made again where they are used, if they take nothing else from the loop.
bool kiln_loop_schedule_remakes(const kiln_loop_schedule_t *schedule, MlirValue memdesc);

#endif
