// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the cycles of a loop's operations; see step_cycles.h.
//
// Note that this counts operations on tiles: not addresses, nor what a later pass combines.
#include "analysis/machine/step_cycles.h"

#include "analysis/machine/dot_measure.h"
#include "analysis/machine/loop_registers.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

typedef struct sum {
    kiln_step_cycles_t *cycles;
    int num_warps;
} sum_t;

// Cycles of an operation for each register of its result.
static int64_t cycles_of(const kiln_op_facts_t *facts)
{
    static const int64_t cycles[] = {
        [KILN_REMAT_CHEAP] = KILN_GFX942_VALU_CYCLES,
        [KILN_REMAT_MATH] = KILN_GFX942_TRANS_CYCLES,
        [KILN_REMAT_DIVISION] = KILN_GFX942_TRANS_CYCLES + 8 * KILN_GFX942_VALU_CYCLES,
    };
    const bool is_counted =
        (facts->traits & KILN_ELEMENTWISE) && (size_t)facts->remat < sizeof cycles / sizeof *cycles;
    return is_counted ? cycles[facts->remat] : 0;
}

static int64_t lds_cycles(unsigned registers)
{
    return (int64_t)registers * 4 * KILN_GFX942_LANES * KILN_GFX942_SIMDS /
           (KILN_GFX942_LDS_BANKS * KILN_GFX942_LDS_BANK_BYTES);
}

static MlirWalkResult add(MlirOperation op, void *user)
{
    const sum_t *sum = user;
    kiln_step_cycles_t *cycles = sum->cycles;
    kiln_dot_measure_t dot;
    const kiln_op_t kind = kiln_op_kind(op);
    switch (kind) {
    case KILN_OP_TT_DOT:
        if (kiln_dot_measure(op, sum->num_warps, &dot))
            cycles->matrix += dot.cycles;
        break;
    case KILN_OP_TT_REDUCE:
        cycles->vector += KILN_GFX942_VALU_CYCLES *
                          (int64_t)kiln_value_registers(kiln_op_operand(op, 0), sum->num_warps);
        return MlirWalkResultSkip;
    case KILN_OP_TTG_LOCAL_LOAD:
        cycles->lds += lds_cycles(kiln_value_registers(kiln_op_result(op, 0), sum->num_warps));
        break;
    case KILN_OP_TTG_LOCAL_STORE:
    case KILN_OP_TTG_LOCAL_ALLOC:
        if (mlirOperationGetNumOperands(op) > 0)
            cycles->lds += lds_cycles(kiln_value_registers(kiln_op_operand(op, 0), sum->num_warps));
        break;
    default:
        if (mlirOperationGetNumResults(op) == 1)
            cycles->vector += cycles_of(kiln_op_facts(kind)) *
                              (int64_t)kiln_value_registers(kiln_op_result(op, 0), sum->num_warps);
        break;
    }
    return MlirWalkResultAdvance;
}

kiln_step_cycles_t kiln_op_cycles(MlirOperation op, int num_warps)
{
    kiln_step_cycles_t cycles = {0, 0, 0};
    sum_t sum = {&cycles, num_warps};
    kiln_walk(op, MlirWalkPreOrder, add, &sum);
    return cycles;
}

kiln_step_cycles_t kiln_step_cycles(MlirOperation loop, int num_warps)
{
    kiln_step_cycles_t cycles = {0, 0, 0};
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        const kiln_step_cycles_t own = kiln_op_cycles(op, num_warps);
        cycles.matrix += own.matrix;
        cycles.vector += own.vector;
        cycles.lds += own.lds;
    }
    return cycles;
}

int64_t kiln_step_cycles_least(const kiln_step_cycles_t *cycles)
{
    const int64_t most = cycles->matrix > cycles->vector ? cycles->matrix : cycles->vector;
    return most > cycles->lds ? most : cycles->lds;
}
