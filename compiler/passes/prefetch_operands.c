// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets nothing in a pipelined GEMM's step wait for anything else in it: each step multiplies what
// the previous one has read from LDS, reads what the previous one has written there, and writes
// what the previous one has loaded.
//
//   step i:                                 step i:
//     a(i) = read A                           write A[(i + 2) mod 2], a(i + 2)      stage 1
//     acc = dot a(i), b(i), acc        →      a(i + 1) = read A[(i + 1) mod 2]            2
//     load a(i + 1), b(i + 1)                 load a(i + 3), b(i + 1)                     0, 2
//     write A, a(i + 1)                       acc = dot a(i), b(i), acc                   3
//
// So one barrier suffices instead of two, and LLVM may place every access between any two matrix
// instructions, which then hide its issue and its latency: a SIMD needs no second wave for that.
// interleave (below) asks it to. Operands in registers, such as b, are loaded as far ahead as
// before. The loop is unrolled by two, because a value that the next step uses would otherwise be
// copied while its register is still in use.
//
// The waiting operand and the loads take registers and the second buffer takes LDS. A loop is left
// alone if only one workgroup fits on a compute unit because of them, and if it has several dots or
// branches.
//
// Only loops with one operand in LDS gain: with two, LDS has no time left for the accesses of a
// step that has no barrier to wait at, and ping_pong hides the latencies (docs/results.md).
#include <stdlib.h>

#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/memory/effects.h"
#include "analysis/plan/allocation.h"
#include "analysis/plan/scratch.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"
#include "passes/pipelining/schedule.h"

// Stages of operations that run ahead; reads and the dot follow `last`.
enum { LOADS, WRITES, LATE_LOADS };
enum { UNROLLED = 2, ENOUGH = 2 }; // ENOUGH: workgroups on a compute unit
enum { CLUSTER_WRITES, CLUSTER_READS, CLUSTER_LOADS, CLUSTER_DOT };

typedef struct prefetch {
    kiln_loop_schedule_t schedule;
    int num_warps, last; // stage of the operations that do not run ahead
    int *stage;          // the new one of each operation
    MlirOperation dot;
} prefetch_t;

static MlirOperation op_at(const prefetch_t *p, int i)
{
    return p->schedule.ops[i].op;
}

static bool runs_ahead(const prefetch_t *p, int i)
{
    return p->schedule.ops[i].stage < p->last;
}

static bool is_used_only_by(MlirOperation op, kiln_op_t kind)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(kiln_op_result(op, 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
        if (kiln_op_kind(mlirOpOperandGetOwner(use)) != kind)
            return false;
    return true;
}

static bool is_read(const prefetch_t *p, int i)
{
    return kiln_op_kind(op_at(p, i)) == KILN_OP_TTG_LOCAL_LOAD && !runs_ahead(p, i);
}

// Whether the operand is loaded by an operation that runs ahead, and only rearranged since.
static bool is_loaded_directly(const prefetch_t *p, MlirValue operand)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(operand, &op);
    while (kind == KILN_OP_TT_RESHAPE || kind == KILN_OP_TT_TRANS)
        kind = kiln_value_op(kiln_op_operand(op, 0), &op);
    const int at = mlirOperationIsNull(op) ? -1 : kiln_loop_schedule_owner(&p->schedule, op);
    return at >= 0 && runs_ahead(p, at) && kiln_op_loads_tensor(op);
}

// Finds the loop's only dot: one operand is the only value that is read from LDS, the other is
// loaded directly.
static bool find_dot(prefetch_t *p)
{
    int dots = 0, reads = 0;
    for (int i = 0; i < p->schedule.count; i++) {
        MlirOperation op = op_at(p, i);
        if (mlirOperationGetNumRegions(op) > 0)
            return false; // LLVM schedules one block at a time
        if (kiln_has_dot(op)) {
            p->dot = op;
            dots++;
            if (kiln_op_kind(op) != KILN_OP_TT_DOT || runs_ahead(p, i))
                return false;
        }
        if (is_read(p, i)) {
            reads++;
            if (!is_used_only_by(op, KILN_OP_TT_DOT))
                return false;
        }
    }
    return dots == 1 && reads == 1 &&
           (is_loaded_directly(p, kiln_op_operand(p->dot, 0)) ||
            is_loaded_directly(p, kiln_op_operand(p->dot, 1)));
}

// Stages ------------------------------------------------------------------------------------------

// Where an operation is put if its users do not matter.
static int own_stage(const prefetch_t *p, int i)
{
    MlirOperation op = op_at(p, i);
    const kiln_op_t kind = kiln_op_kind(op);
    if (!runs_ahead(p, i))
        return p->last + (is_read(p, i) || kiln_op_is_view(kind) ? WRITES : LATE_LOADS);
    if (kind == KILN_OP_TTG_LOCAL_ALLOC)
        return p->schedule.ops[i].stage + WRITES;
    return p->schedule.ops[i].stage + LATE_LOADS;
}

typedef struct lowering {
    prefetch_t *prefetch;
    int stage; // of the user
    bool changed;
} lowering_t;

// An operation that runs ahead comes no later than its users.
static bool lower_operand(MlirValue value, void *user)
{
    lowering_t *l = user;
    const prefetch_t *p = l->prefetch;
    int carried = kiln_loop_schedule_carried(&p->schedule, value);
    for (int room = p->schedule.carried_count; carried >= 0 && room > 0; room--) {
        value = kiln_loop_schedule_yield(&p->schedule, carried);
        carried = kiln_loop_schedule_carried(&p->schedule, value);
    }
    if (mlirValueIsABlockArgument(value))
        return true;
    const int from = kiln_loop_schedule_owner(&p->schedule, mlirOpResultGetOwner(value));
    if (from >= 0 && runs_ahead(p, from) && p->stage[from] > l->stage) {
        p->stage[from] = l->stage;
        l->changed = true;
    }
    return true;
}

static void set_stages(prefetch_t *p)
{
    for (int i = 0; i < p->schedule.count; i++)
        p->stage[i] = own_stage(p, i);
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < p->schedule.count; i++) {
            // What is written was loaded in the step before.
            const bool writes = kiln_op_kind(op_at(p, i)) == KILN_OP_TTG_LOCAL_ALLOC;
            lowering_t lowering = {p, p->stage[i] - writes, false};
            kiln_visit_operands(op_at(p, i), lower_operand, &lowering);
            changed |= lowering.changed;
        }
    }
}

static int cluster_of(const prefetch_t *p, int i)
{
    const kiln_op_t kind = kiln_op_kind(op_at(p, i));
    if (runs_ahead(p, i))
        return kind == KILN_OP_TTG_LOCAL_ALLOC ? CLUSTER_WRITES : CLUSTER_LOADS;
    return is_read(p, i) || kiln_op_is_view(kind) ? CLUSTER_READS : CLUSTER_DOT;
}

static void set_attribute(MlirOperation op, const char *name, int value)
{
    mlirOperationSetDiscardableAttributeByName(
        op, mlirStringRefCreateFromCString(name),
        kiln_ir_i32_attr(mlirOperationGetContext(op), value));
}

static void write_schedule(const prefetch_t *p)
{
    for (int i = 0; i < p->schedule.count; i++) {
        set_attribute(op_at(p, i), KILN_LOOP_STAGE, p->stage[i]);
        set_attribute(op_at(p, i), KILN_LOOP_CLUSTER, cluster_of(p, i));
    }
    set_attribute(p->schedule.loop, KILN_LOOP_LAST_STAGE, p->last + LATE_LOADS);
}

static void restore_schedule(const prefetch_t *p)
{
    for (int i = 0; i < p->schedule.count; i++) {
        set_attribute(op_at(p, i), KILN_LOOP_STAGE, p->schedule.ops[i].stage);
        set_attribute(op_at(p, i), KILN_LOOP_CLUSTER, p->schedule.ops[i].cluster);
    }
    set_attribute(p->schedule.loop, KILN_LOOP_LAST_STAGE, p->last);
}

// Room --------------------------------------------------------------------------------------------

static uint64_t lds_bytes(const prefetch_t *p, const kiln_loop_schedule_t *schedule)
{
    uint64_t sum = kiln_largest_scratch(schedule->loop, p->num_warps, NULL, NULL);
    for (int b = 0; b < schedule->buffer_count; b++) {
        MlirOperation alloc = schedule->ops[schedule->buffers[b].op].op;
        uint64_t bytes = 0;
        if (kiln_memdesc_bytes(mlirValueGetType(kiln_op_result(alloc, 0)), &bytes))
            sum += (uint64_t)schedule->buffers[b].slots * bytes;
    }
    return sum;
}

// Registers of what waits in addition: the operands that are read, and the loads to be written.
static unsigned waiting_registers(const prefetch_t *p)
{
    unsigned count = 0;
    for (int i = 0; i < p->schedule.count; i++)
        if (is_read(p, i) ||
            (runs_ahead(p, i) && p->stage[i] == LOADS && kiln_op_loads_tensor(op_at(p, i))))
            count += kiln_value_registers(kiln_op_result(op_at(p, i), 0), p->num_warps);
    return count;
}

static unsigned workgroups(unsigned registers, uint64_t lds, int num_warps)
{
    return kiln_co_resident_workgroups(registers, lds, num_warps);
}

// Whether enough workgroups fit by the new schedule, or as many as before; false also if it
// violates a dependence.
static kiln_status_t check(const prefetch_t *p, bool *out_fits)
{
    kiln_loop_schedule_t own;
    kiln_status_t status = kiln_loop_schedule_read(p->schedule.loop, &own);
    *out_fits = false;
    if (status && kiln_status_code(status) != KILN_STATUS_INVALID_INPUT)
        return status;
    if (status) {
        kiln_status_free(status);
        return KILN_OK;
    }
    const unsigned before = kiln_loop_registers_with_operands(p->schedule.loop, p->num_warps),
                   after = before + waiting_registers(p);
    const unsigned now = workgroups(after, lds_bytes(p, &own), p->num_warps);
    const unsigned then = workgroups(before, lds_bytes(p, &p->schedule), p->num_warps);
    *out_fits = now > 0 && now >= (then < ENOUGH ? then : ENOUGH);
    kiln_loop_schedule_free(&own);
    return KILN_OK;
}

static kiln_status_t prefetch(prefetch_t *p)
{
    const int64_t trips = kiln_loop_trip_count(p->schedule.loop);
    p->last = p->schedule.stages - 1;
    if (p->last < 1 || (trips >= 0 && trips <= p->last + LATE_LOADS) || !find_dot(p))
        return KILN_OK;
    p->stage = calloc((size_t)p->schedule.count + 1, sizeof *p->stage);
    if (!p->stage)
        return kiln_status_out_of_memory();
    set_stages(p);
    write_schedule(p);
    bool fits;
    kiln_status_t status = check(p, &fits);
    if (!status && fits) {
        set_attribute(p->schedule.loop, "tt.loop_unroll_factor", UNROLLED);
    } else if (!status) {
        restore_schedule(p);
    }
    return status;
}

kiln_status_t kiln_prefetch_operands(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_loops_t loops;
    kiln_status_t status =
        kiln_loops_collect(module, MlirWalkPreOrder, kiln_loop_is_scheduled, &loops);
    for (int i = 0; i < loops.count && !status; i++) {
        prefetch_t p = {.num_warps = context->options->num_warps};
        status = kiln_loop_schedule_read(loops.ops[i], &p.schedule);
        if (status)
            break;
        status = prefetch(&p);
        free(p.stage);
        kiln_loop_schedule_free(&p.schedule);
    }
    free(loops.ops);
    return status;
}
