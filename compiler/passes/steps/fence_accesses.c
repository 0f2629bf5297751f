// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two policies that keep a step's accesses of LDS where they are: LLVM's scheduler moves them for
// the sake of registers, and waits move with them.
//
// read_first issues the reads of a dot's operands before its first matrix instruction. By default
// LLVM places each read before the instructions that use it, and every one of them waits. With this
// policy only the first instruction waits, and the other reads complete while matrix instructions
// run. Neither reads of LDS nor matrix instructions move across the beginning of the dot's cluster;
// everything else may.
//
// Waiting operands take registers: all of them, where LLVM would hold about half. The policy leaves
// a dot alone if a compute unit would hold only one workgroup because of them, since a second one
// multiplies while the first waits at a barrier; further ones add little to that. If the operands
// are larger than the accumulator, the first matrix instruction waits for too many reads. It also
// skips dots of computed operands, such as attention's second dot: LLVM interleaves their matrix
// instructions with that arithmetic, which the fence would prevent.
//
// hold_back_stores keeps stores to LDS after the arithmetic that precedes them. In a pipelined loop
// the stored values were loaded at the top, so that arithmetic hides the wait for them; LLVM would
// hoist the packing of those values into the arithmetic, and the wait with it. Nothing moves across
// the beginning of the stores' cluster. Adjacent stores share one: LLVM merges two stores whose
// addresses differ by a constant.
//
// Note that the fence precedes the store's workgroup barrier, so the search for an existing one
// looks past workgroup barriers.
#include <stdlib.h>

#include "analysis/machine/co_residency.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/memory/effects.h"
#include "passes/rewrite/sched_barrier.h"
#include "passes/steps/policies.h"

// What LLVM may move across the place before an item: KILN_NO_FENCE if nothing is there.
// `io_cluster` is the cluster of the item before; *out_changes: whether the priority changes there.
static int fence_before(const kiln_step_schedule_t *s, kiln_step_item_t item, int *io_cluster)
{
    const int cluster = s->ops[item.op].cluster[item.slice];
    int fence = KILN_NO_FENCE;
    for (int c = *io_cluster + 1; c <= cluster; c++) {
        const bool moves_priority = s->clusters[c].priority != s->clusters[c - 1].priority;
        if (s->clusters[c].may_cross != KILN_NO_FENCE || moves_priority)
            fence = s->clusters[c].may_cross;
    }
    *io_cluster = cluster;
    return fence;
}

// Finds the first operation of the step, from *io_from on, before which a fence is needed; −1:
// none.
typedef bool (*needs_fence_t)(const kiln_step_kernel_t *kernel, const kiln_step_schedule_t *s,
                              int op, int fence_before, bool *io_state);

static kiln_status_t put_fences(const kiln_step_kernel_t *kernel, kiln_step_schedule_t *s,
                                needs_fence_t needs, int may_cross)
{
    kiln_step_item_t *items;
    int count, cluster = 0;
    bool state = false;
    KILN_TRY(kiln_step_list(s, &items, &count));
    kiln_status_t status = KILN_OK;
    for (int i = 0; i < count && !status; i++) {
        const int fence = fence_before(s, items[i], &cluster);
        if (!needs(kernel, s, items[i].op, fence, &state))
            continue;
        status = kiln_step_split(s, items[i].op, may_cross);
        cluster++;
    }
    free(items);
    return status;
}

// Reads -------------------------------------------------------------------------------------------

static bool is_read_here(MlirValue operand, MlirOperation dot)
{
    MlirOperation op;
    return kiln_value_op(operand, &op) == KILN_OP_TTG_LOCAL_LOAD &&
           mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(dot));
}

static bool pays(const kiln_step_kernel_t *kernel, MlirOperation loop, MlirOperation dot)
{
    const unsigned other_registers = kiln_loop_registers(loop, kernel->waves);
    unsigned operands = 0;
    for (int i = 0; i < 2; i++) {
        if (!is_read_here(kiln_op_operand(dot, i), dot))
            return false;
        operands += kiln_value_registers(kiln_op_operand(dot, i), kernel->waves);
    }
    const unsigned now = kiln_co_resident_workgroups(other_registers + operands, kernel->lds_bytes,
                                                     kernel->waves),
                   by_default = kiln_co_resident_workgroups(other_registers + operands / 2,
                                                            kernel->lds_bytes, kernel->waves);
    return operands <= kiln_value_registers(kiln_op_result(dot, 0), kernel->waves) &&
           (now > 1 || (now == 1 && by_default == 1));
}

// `io_state`: whether the operation before is a fence of the text.
static bool needs_read_first(const kiln_step_kernel_t *kernel, const kiln_step_schedule_t *s,
                             int op, int fence_before, bool *io_state)
{
    MlirOperation operation = s->ops[op].op;
    const bool is_there = *io_state || fence_before != KILN_NO_FENCE;
    *io_state = kiln_op_kind(operation) == KILN_OP_ROCDL_SCHED_BARRIER;
    return kiln_op_kind(operation) == KILN_OP_TT_DOT && !is_there && s->ops[op].slices == 1 &&
           pays(kernel, s->loop, operation);
}

kiln_status_t kiln_read_first(const kiln_step_kernel_t *kernel, kiln_step_schedule_t *io)
{
    return put_fences(kernel, io, needs_read_first,
                      KILN_MAY_CROSS_VALU | KILN_MAY_CROSS_SALU | KILN_MAY_CROSS_VMEM |
                          KILN_MAY_CROSS_LDS_WRITES);
}

// Stores ------------------------------------------------------------------------------------------

// `io_state`: whether a fence, or a store behind one, precedes.
static bool needs_hold_back(const kiln_step_kernel_t *kernel, const kiln_step_schedule_t *s, int op,
                            int fence_before, bool *io_state)
{
    (void)kernel;
    MlirOperation operation = s->ops[op].op;
    bool is_held_back =
             fence_before == KILN_NO_FENCE ? *io_state : fence_before == KILN_MAY_CROSS_NOTHING,
         needs = false;
    switch (kiln_op_kind(operation)) {
    case KILN_OP_ROCDL_SCHED_BARRIER:
        is_held_back = kiln_ir_int_attr(operation, "mask", -1) == KILN_MAY_CROSS_NOTHING;
        break;
    case KILN_OP_TTG_BARRIER:
    case KILN_OP_TTG_LOCAL_BARRIER:
    case KILN_OP_GPU_BARRIER:
        break;
    case KILN_OP_TTG_LOCAL_STORE:
        needs = !is_held_back;
        is_held_back = true; // also for adjacent stores, which may share an instruction with it
        break;
    default:
        is_held_back = is_held_back && kiln_op_is_view(kiln_op_kind(operation));
        break;
    }
    *io_state = is_held_back;
    return needs;
}

kiln_status_t kiln_hold_back_stores(const kiln_step_kernel_t *kernel, kiln_step_schedule_t *io)
{
    return put_fences(kernel, io, needs_hold_back, KILN_MAY_CROSS_NOTHING);
}
