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
// The waiting operand and the loads take registers, and the second buffer takes LDS. A loop is left
// alone if it has several dots or branches.
//
// Only loops with one operand in LDS gain: with two, LDS has no time left for the accesses of a
// step that has no barrier to wait at, and take_turns hides the latencies (docs/results.md).
#include <stdlib.h>

#include "analysis/memory/effects.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pipelining/candidate.h"

// Stages of operations that run ahead; reads and the dot follow `last`.
enum { LOADS, WRITES, LATE_LOADS };
enum { UNROLLED = 2 };
enum { CLUSTER_WRITES, CLUSTER_READS, CLUSTER_LOADS, CLUSTER_DOT };

typedef struct prefetch {
    const kiln_loop_schedule_t *schedule;
    int last; // stage of the operations that do not run ahead
    MlirOperation dot;
} prefetch_t;

static MlirOperation op_at(const prefetch_t *p, int i)
{
    return p->schedule->ops[i].op;
}

static bool runs_ahead(const prefetch_t *p, int i)
{
    return p->schedule->ops[i].stage < p->last;
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
    const int at = mlirOperationIsNull(op) ? -1 : kiln_loop_schedule_owner(p->schedule, op);
    return at >= 0 && runs_ahead(p, at) && kiln_op_loads_tensor(op);
}

// Finds the loop's only dot: one operand is the only value that is read from LDS, the other is
// loaded directly.
static bool find_dot(prefetch_t *p)
{
    int dots = 0, reads = 0;
    for (int i = 0; i < p->schedule->count; i++) {
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
        return p->schedule->ops[i].stage + WRITES;
    return p->schedule->ops[i].stage + LATE_LOADS;
}

static int cluster_of(const prefetch_t *p, int i)
{
    const kiln_op_t kind = kiln_op_kind(op_at(p, i));
    if (runs_ahead(p, i))
        return kind == KILN_OP_TTG_LOCAL_ALLOC ? CLUSTER_WRITES : CLUSTER_LOADS;
    return is_read(p, i) || kiln_op_is_view(kind) ? CLUSTER_READS : CLUSTER_DOT;
}

kiln_status_t kiln_prefetch_operands(const kiln_loop_schedule_t *schedule, kiln_candidate_t *io,
                                     bool *out_applies)
{
    const int64_t trips = kiln_loop_trip_count(schedule->loop);
    prefetch_t p = {schedule, schedule->stages - 1, {NULL}};
    *out_applies = p.last >= 1 && (trips < 0 || trips > p.last + LATE_LOADS) && find_dot(&p);
    if (!*out_applies)
        return KILN_OK;
    bool *is_ahead = calloc((size_t)schedule->count + 1, sizeof *is_ahead);
    if (!is_ahead)
        return kiln_status_out_of_memory();
    for (int i = 0; i < schedule->count; i++) {
        is_ahead[i] = runs_ahead(&p, i);
        io->stage[i] = own_stage(&p, i);
        io->cluster[i] = cluster_of(&p, i);
    }
    kiln_candidate_write_late(schedule, is_ahead, io);
    free(is_ahead);
    io->last_stage += LATE_LOADS;
    io->unroll = UNROLLED;
    return KILN_OK;
}
