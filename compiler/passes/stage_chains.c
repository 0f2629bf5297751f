// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the dots of a chain, the arithmetic between them and their reads of LDS work on different
// iterations of a pipelined loop, so that none waits for another. For attention, which multiplies
// the softmax of the scores:
//
//   step i:                            step i:
//     k(i) = read                        scores(i + 2) = dot q, k(i + 2)      depth 1, first phase
//     scores(i) = dot q, k(i)            v(i) = read                                3
//     p(i) = softmax scores(i)     →     acc = dot p(i), v(i), acc                  3, second phase
//     v(i) = read                        p(i + 1) = softmax scores(i + 1)           2
//     acc = dot p(i), v(i), acc          k(i + 3) = read                            0
//
// An operation's depth is the number of stages by which it is moved. An operand from the same
// iteration has at most the depth of its user, and a smaller one if only one of the two is a dot,
// except for a dot's accumulator. An operand from the previous iteration has at most the depth of
// its user, too, since it is produced later in a step. So the depths are the least solution of
// these inequalities. Then operations are moved to the depth of their users if that takes no more
// registers; a load and its buffer go along with their reads.
//
// A step has two phases. The dots with which chains begin are in the first, the others in the
// second; each dot's operands are read in the phase before it. So the operands of the other dots
// take the registers that the first dots free.
//
// Values that wait for a later stage take registers. A loop is left alone if fewer workgroups would
// fit on a compute unit, if a chain closes over iterations (there is no solution), or if it has too
// few iterations.
#include <stdlib.h>

#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/plan/allocation.h"
#include "analysis/plan/scratch.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"

enum { MAX_DEPTH = 6 };

// Clusters of a step. Loads run ahead, and are written to LDS at the end.
enum { LOADS = 0, FIRST, SECOND, STORES };

typedef struct chains {
    kiln_loop_schedule_t schedule;
    int num_warps, last;    // stage of the operations that do not run ahead
    int *depth;             // of each operation
    int *cluster;           // …
    uint64_t other_buffers; // bytes of LDS
} chains_t;

static bool is_dot(const chains_t *c, int op)
{
    const kiln_op_t kind = kiln_op_kind(c->schedule.ops[op].op);
    return kind == KILN_OP_TT_DOT || kind == KILN_OP_TT_DOT_SCALED;
}

// Uses --------------------------------------------------------------------------------------------

// Called for each use of an operation's results, of the same iteration or, through a carried value,
// of a later one. False: stop.
typedef bool (*visit_use_t)(chains_t *c, int op, int user, MlirValue value, bool is_later,
                            void *context);

static bool visit_value(chains_t *c, int op, MlirValue value, bool is_later, int room,
                        visit_use_t visit, void *context)
{
    MlirOperation yield = kiln_block_terminator(c->schedule.body);
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation owner = mlirOpOperandGetOwner(use);
        if (mlirOperationEqual(owner, yield)) {
            const unsigned carried = mlirOpOperandGetOperandNumber(use);
            if (room > 0 &&
                !visit_value(c, op, mlirBlockGetArgument(c->schedule.body, (intptr_t)carried + 1),
                             true, room - 1, visit, context))
                return false;
            continue;
        }
        const int user = kiln_loop_schedule_owner(&c->schedule, owner);
        if (user >= 0 && !visit(c, op, user, value, is_later, context))
            return false;
    }
    return true;
}

static bool visit_uses(chains_t *c, int op, visit_use_t visit, void *context)
{
    MlirOperation operation = c->schedule.ops[op].op;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(operation); r++)
        if (!visit_value(c, op, mlirOperationGetResult(operation, r), false,
                         c->schedule.carried_count, visit, context))
            return false;
    return true;
}

// Depths ------------------------------------------------------------------------------------------

// Whether the user is a dot that adds its product to the value, and has no other use for it.
static bool is_sum(const chains_t *c, int user, MlirValue value)
{
    MlirOperation op = c->schedule.ops[user].op;
    return is_dot(c, user) && mlirOperationGetNumOperands(op) > 2 &&
           mlirValueEqual(kiln_op_operand(op, 2), value) &&
           !mlirValueEqual(kiln_op_operand(op, 0), value) &&
           !mlirValueEqual(kiln_op_operand(op, 1), value);
}

static bool runs_ahead(const chains_t *c, int op)
{
    return c->schedule.ops[op].stage < c->last;
}

// The least number of stages by which a use in the same iteration comes after the operation.
static int distance(const chains_t *c, int op, int user, MlirValue value)
{
    if (runs_ahead(c, op) || is_dot(c, op) == is_dot(c, user))
        return 0;
    return is_dot(c, op) || !is_sum(c, user, value);
}

// Deepens the user; `context`: whether anything changed.
static bool deepen(chains_t *c, int op, int user, MlirValue value, bool is_later, void *context)
{
    if (runs_ahead(c, op))
        return true;
    const int least = c->depth[op] + (is_later ? 0 : distance(c, op, user, value));
    if (c->depth[user] < least) {
        c->depth[user] = least;
        *(bool *)context = true;
    }
    return c->depth[user] <= MAX_DEPTH;
}

// Sets the least depths; false if there are none.
static bool set_depths(chains_t *c)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int op = 0; op < c->schedule.count; op++)
            if (!visit_uses(c, op, deepen, &changed))
                return false;
    }
    return true;
}

// The least and the greatest depth of a dot; arithmetic after the last dot does not justify moving
// anything. Returns false if the schedule has dots in several stages already.
static bool find_dots(const chains_t *c, int *out_first, int *out_last)
{
    *out_first = MAX_DEPTH;
    *out_last = 0;
    for (int op = 0; op < c->schedule.count; op++) {
        if (!is_dot(c, op))
            continue;
        if (runs_ahead(c, op))
            return false;
        *out_first = c->depth[op] < *out_first ? c->depth[op] : *out_first;
        *out_last = c->depth[op] > *out_last ? c->depth[op] : *out_last;
    }
    return true;
}

// Whether a chain begins with the operation: no other dot comes before it.
static bool is_first(const chains_t *c, int op)
{
    return is_dot(c, op) && c->depth[op] <= 1;
}

static bool reads_lds(const chains_t *c, int op)
{
    const kiln_op_t kind = kiln_op_kind(c->schedule.ops[op].op);
    return kind == KILN_OP_TTG_LOCAL_LOAD || kind == KILN_OP_TTG_LOCAL_GATHER;
}

// The greatest depth that the uses of an operation allow. Operands of dots that are not the first
// are read in the same step.
static bool find_least(chains_t *c, int op, int user, MlirValue value, bool is_later, void *context)
{
    int *least = context;
    const bool is_same_step = reads_lds(c, op) && is_dot(c, user) && !is_first(c, user);
    const int own = c->depth[user] - (is_later || is_same_step ? 0 : distance(c, op, user, value));
    if (user != op && (*least < 0 || own < *least))
        *least = own;
    return true;
}

typedef struct operands {
    const chains_t *chains;
    unsigned registers;
} operands_t;

static bool add_operand(MlirValue value, void *context)
{
    operands_t *operands = context;
    const chains_t *c = operands->chains;
    MlirOperation from;
    kiln_value_op(value, &from);
    const bool is_inside = mlirValueIsABlockArgument(value)
                               ? kiln_loop_schedule_carried(&c->schedule, value) >= 0
                               : kiln_loop_schedule_owner(&c->schedule, from) >= 0;
    if (is_inside)
        operands->registers += kiln_value_registers(value, c->num_warps);
    return true;
}

// Moves operations to the depth of their users if waiting values then take no more registers.
static void sink(chains_t *c)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int op = c->schedule.count - 1; op >= 0; op--) {
            MlirOperation operation = c->schedule.ops[op].op;
            int least = -1;
            visit_uses(c, op, find_least, &least);
            if (least <= c->depth[op] || is_dot(c, op))
                continue;
            operands_t operands = {c, 0};
            kiln_visit_operands(operation, add_operand, &operands);
            unsigned results = 0;
            for (intptr_t r = 0; r < mlirOperationGetNumResults(operation); r++)
                results += kiln_value_registers(mlirOperationGetResult(operation, r), c->num_warps);
            if (operands.registers <= results || kiln_op_loads_tensor(operation) ||
                kiln_op_kind(operation) == KILN_OP_TTG_LOCAL_ALLOC) {
                c->depth[op] = least;
                changed = true;
            }
        }
    }
}

// Registers ---------------------------------------------------------------------------------------

// The stages for which the results of an operation wait.
static bool find_wait(chains_t *c, int op, int user, MlirValue value, bool is_later, void *context)
{
    (void)value;
    int *wait = context;
    const int stages = c->depth[user] - c->depth[op] - (is_later ? 1 : 0);
    if (stages > *wait)
        *wait = stages;
    return true;
}

// Registers of the values that wait for later stages because of the depths.
static unsigned waiting_registers(chains_t *c)
{
    unsigned count = 0;
    for (int op = 0; op < c->schedule.count; op++) {
        MlirOperation operation = c->schedule.ops[op].op;
        int wait = 0;
        visit_uses(c, op, find_wait, &wait);
        for (intptr_t r = 0; r < mlirOperationGetNumResults(operation) && wait > 0; r++)
            count += (unsigned)wait *
                     kiln_value_registers(mlirOperationGetResult(operation, r), c->num_warps);
    }
    return count;
}

static uint64_t bytes_of_buffer(MlirOperation alloc)
{
    uint64_t bytes = 0;
    return kiln_memdesc_bytes(mlirValueGetType(kiln_op_result(alloc, 0)), &bytes) ? bytes : 0;
}

// Adds the size of a buffer that no scheduled loop allocates.
static MlirWalkResult add_buffer(MlirOperation op, void *user)
{
    uint64_t *bytes = user;
    MlirOperation at = op;
    while (!mlirOperationIsNull(at) && !kiln_loop_is_scheduled(at))
        at = kiln_op_parent(at);
    if (kiln_op_kind(op) == KILN_OP_TTG_LOCAL_ALLOC && mlirOperationIsNull(at))
        *bytes += bytes_of_buffer(op);
    return MlirWalkResultAdvance;
}

// The bytes of LDS that a workgroup needs in the loop.
static uint64_t lds_bytes(const chains_t *c, const kiln_loop_schedule_t *schedule)
{
    uint64_t bytes =
        c->other_buffers + kiln_largest_scratch(c->schedule.loop, c->num_warps, NULL, NULL);
    for (int b = 0; b < schedule->buffer_count; b++)
        bytes += (uint64_t)schedule->buffers[b].slots *
                 bytes_of_buffer(schedule->ops[schedule->buffers[b].op].op);
    return bytes;
}

// The pass ----------------------------------------------------------------------------------------

// Moves an operation to the cluster of a user that needs it earlier in a step; `context`: whether
// anything changed.
static bool move_forward(chains_t *c, int op, int user, MlirValue value, bool is_later,
                         void *context)
{
    (void)value;
    const bool is_same_step = c->depth[op] == c->depth[user] + (is_later ? 1 : 0);
    if (!runs_ahead(c, op) && is_same_step && c->cluster[op] > c->cluster[user]) {
        c->cluster[op] = c->cluster[user];
        *(bool *)context = true;
    }
    return true;
}

static bool feeds_dot_of_step(chains_t *c, int op, int user, MlirValue value, bool is_later,
                              void *context)
{
    (void)value;
    if (is_dot(c, user) && !is_first(c, user) && !is_later && c->depth[op] == c->depth[user])
        *(bool *)context = true;
    return true;
}

static void set_clusters(chains_t *c)
{
    for (int op = 0; op < c->schedule.count; op++) {
        bool is_read_of_step = false;
        if (reads_lds(c, op))
            visit_uses(c, op, feeds_dot_of_step, &is_read_of_step);
        if (runs_ahead(c, op))
            c->cluster[op] = c->schedule.ops[op].cluster > FIRST ? STORES : LOADS;
        else
            c->cluster[op] = is_first(c, op) || is_read_of_step ? FIRST : SECOND;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int op = 0; op < c->schedule.count; op++)
            visit_uses(c, op, move_forward, &changed);
    }
}

static void set_attribute(MlirOperation op, const char *name, int value)
{
    mlirOperationSetDiscardableAttributeByName(
        op, mlirStringRefCreateFromCString(name),
        kiln_ir_i32_attr(mlirOperationGetContext(op), value));
}

static void write_schedule(const chains_t *c, int depth)
{
    for (int op = 0; op < c->schedule.count; op++) {
        set_attribute(c->schedule.ops[op].op, KILN_LOOP_STAGE,
                      c->schedule.ops[op].stage + c->depth[op]);
        set_attribute(c->schedule.ops[op].op, KILN_LOOP_CLUSTER, c->cluster[op]);
    }
    set_attribute(c->schedule.loop, KILN_LOOP_LAST_STAGE, c->last + depth);
}

static void restore_schedule(const chains_t *c)
{
    for (int op = 0; op < c->schedule.count; op++) {
        set_attribute(c->schedule.ops[op].op, KILN_LOOP_STAGE, c->schedule.ops[op].stage);
        set_attribute(c->schedule.ops[op].op, KILN_LOOP_CLUSTER, c->schedule.ops[op].cluster);
    }
    set_attribute(c->schedule.loop, KILN_LOOP_LAST_STAGE, c->last);
}

// Sets *out_workgroups to the number that fits on a compute unit; 0 if more fitted before, or if
// the schedule violates a dependence.
static kiln_status_t count_workgroups(chains_t *c, unsigned *out_workgroups)
{
    kiln_loop_schedule_t own;
    kiln_status_t status = kiln_loop_schedule_read(c->schedule.loop, &own);
    *out_workgroups = 0;
    if (status && kiln_status_code(status) != KILN_STATUS_INVALID_INPUT)
        return status;
    if (status) { // memory that another operation may write: it stays in its place
        kiln_status_free(status);
        return KILN_OK;
    }
    const unsigned before = kiln_loop_registers_with_operands(c->schedule.loop, c->num_warps),
                   after = before + waiting_registers(c);
    const unsigned now = kiln_co_resident_workgroups(after, lds_bytes(c, &own), c->num_warps);
    if (now >= kiln_co_resident_workgroups(before, lds_bytes(c, &c->schedule), c->num_warps))
        *out_workgroups = now;
    kiln_loop_schedule_free(&own);
    return KILN_OK;
}

// The values that wait leave just enough registers, so LLVM must not take more.
static void request_occupancy(const chains_t *c, unsigned workgroups)
{
    MlirOperation function = c->schedule.loop;
    while (kiln_op_kind(function) != KILN_OP_TT_FUNC)
        function = kiln_op_parent(function);
    const int waves = (int)(workgroups * (unsigned)c->num_warps + KILN_GFX942_SIMDS - 1) /
                      KILN_GFX942_SIMDS,
              known = (int)kiln_ir_int_attr(function, KILN_FUNC_WAVES_PER_EU, waves);
    set_attribute(function, KILN_FUNC_WAVES_PER_EU, known < waves ? known : waves);
}

static kiln_status_t stage(chains_t *c)
{
    const int64_t trips = kiln_loop_trip_count(c->schedule.loop);
    c->last = c->schedule.stages - 1;
    c->depth = calloc((size_t)c->schedule.count + 1, sizeof *c->depth);
    c->cluster = calloc((size_t)c->schedule.count + 1, sizeof *c->cluster);
    if (!c->depth || !c->cluster)
        return kiln_status_out_of_memory();
    if (!set_depths(c))
        return KILN_OK;
    int first, last;
    if (!find_dots(c, &first, &last) || last <= first || (trips >= 0 && trips <= c->last + last))
        return KILN_OK;
    for (int op = 0; op < c->schedule.count; op++)
        if (c->depth[op] > last)
            c->depth[op] = last;
    sink(c);
    set_clusters(c);
    write_schedule(c, last);
    unsigned workgroups;
    kiln_status_t status = count_workgroups(c, &workgroups);
    if (!status && workgroups)
        request_occupancy(c, workgroups);
    else if (!status)
        restore_schedule(c);
    return status;
}

kiln_status_t kiln_stage_chains(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_loops_t loops;
    uint64_t other_buffers = 0;
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPreOrder, kiln_loop_is_scheduled, &loops);
    if (loops.count)
        kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, add_buffer, &other_buffers);
    for (int i = 0; i < loops.count && !status; i++) {
        chains_t c = {.num_warps = context->options->num_warps, .other_buffers = other_buffers};
        status = kiln_loop_schedule_read(loops.ops[i], &c.schedule);
        if (status)
            break;
        status = stage(&c);
        free(c.depth);
        free(c.cluster);
        kiln_loop_schedule_free(&c.schedule);
    }
    free(loops.ops);
    return status;
}
