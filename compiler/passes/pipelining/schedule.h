// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a loop as given by the attributes of its operations, and the check that it
// preserves the loop's semantics.
//
// An operation with `loop.stage = s` does its work for iteration i in step i + s of the new loop;
// within a step, operations are ordered by `loop.cluster`, and within a cluster as in the old loop.
// So if iteration i + d of B needs A of iteration i, stage(A) < stage(B) + d must hold, or they are
// equal and A comes first in the step.
//
// Note that a loop-carried value is needed by the next iteration, so d is 1: an operation of stage
// 1 may produce the value that one of stage 0 uses, if it comes first in the step.
#ifndef KILN_LOOP_SCHEDULE_H
#define KILN_LOOP_SCHEDULE_H

#include "analysis/iterations.h"
#include "analysis/pointer_map.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

// Marks loops in the rarely executed version of a kernel (version_signs.c), which get no findings.
#define KILN_LOOP_IS_FALLBACK "kiln.fallback"
#define KILN_LOOP_CLUSTER "loop.cluster"
enum { KILN_MAX_STAGES = 64 }; // of a loop

typedef struct kiln_scheduled_op {
    MlirOperation op;
    int stage, cluster;
    int place; // position in a step
} kiln_scheduled_op_t;

// LDS that a local_alloc in the loop allocates and that other stages use: one slot for each
// iteration whose contents are live at the same time.
typedef struct kiln_loop_buffer {
    int op; // the local_alloc
    int slots;
} kiln_loop_buffer_t;

typedef struct kiln_loop_schedule {
    MlirOperation loop;
    MlirBlock body;
    kiln_scheduled_op_t *ops;    // in the loop's order, without its yield
    int *order;                  // their indices in the order of a step
    int count, stages;           // the first stage is 0
    kiln_pointer_map_t index_of; // operation → its index
    int *carried_stage;          // of each carried value: the stage that defines the next one
    int carried_count;
    kiln_loop_buffer_t *buffers;
    int buffer_count;
} kiln_loop_schedule_t;

// Whether the loop has a schedule to expand.
bool kiln_loop_is_scheduled(MlirOperation loop);

// Splits branches that load several tensors (split_loads.c).
kiln_status_t kiln_schedule_split_loads(MlirModule module);

// Reads and checks the schedule. Returns KILN_STATUS_INVALID_INPUT at the operation that breaks a
// dependence, or that lacks a stage and needs one.
kiln_status_t kiln_loop_schedule_read(MlirOperation loop, kiln_loop_schedule_t *out);
void kiln_loop_schedule_free(kiln_loop_schedule_t *schedule);

// Gives the loop other stages and clusters, of each operation. The schedule keeps its own.
void kiln_loop_schedule_write(const kiln_loop_schedule_t *schedule, const int *stage,
                              const int *cluster, int last_stage);

// Returns the index of the loop's operation that is or contains the operation; −1 for the yield and
// for operations outside.
int kiln_loop_schedule_owner(const kiln_loop_schedule_t *schedule, MlirOperation op);

// Returns the buffer whose local_alloc defines the value, or −1.
int kiln_loop_schedule_buffer(const kiln_loop_schedule_t *schedule, MlirValue memdesc);

// Returns the index of the carried value that the argument holds, or −1.
int kiln_loop_schedule_carried(const kiln_loop_schedule_t *schedule, MlirValue argument);

// Returns the value that the loop yields for its carried value.
MlirValue kiln_loop_schedule_yield(const kiln_loop_schedule_t *schedule, int carried);

// Whether operation `from` is done before `to` needs it `distance` iterations later.
bool kiln_loop_schedule_holds(const kiln_loop_schedule_t *schedule, int from, int to, int distance);

// Calls `visit` for each operand of the operation and of all operations inside it.
typedef bool (*kiln_operand_visit_t)(MlirValue operand, void *user); // false: stop
bool kiln_visit_operands(MlirOperation op, kiln_operand_visit_t visit, void *user);

// Called for each use of the results of `op` by an operation `user` of the loop, in the same
// iteration or, through a carried value, in a later one. False: stop.
typedef bool (*kiln_use_visit_t)(int op, int user, MlirValue value, bool is_later, void *context);

// Visits the uses of an operation. Returns false if `visit` stopped.
bool kiln_loop_schedule_visit_uses(const kiln_loop_schedule_t *schedule, int op,
                                   kiln_use_visit_t visit, void *context);

// Views of a buffer are recreated at their uses if they depend on nothing else in the loop.
bool kiln_loop_schedule_recomputes(const kiln_loop_schedule_t *schedule, MlirValue memdesc);

#endif
