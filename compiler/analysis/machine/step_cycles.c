// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the cycles of a loop's operations; see step_cycles.h.
//
// Note that this counts operations on tiles: not addresses, nor what a later pass combines.
#include "analysis/machine/step_cycles.h"

#include "analysis/machine/dot_measure.h"
#include "analysis/machine/loop_registers.h"
#include "analysis/plan/scratch.h"
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

// Number of instructions for all elements of a lane. Halves are packed in pairs, bits of whole
// registers are masked at once. A number of 8 bits becomes one of 16 bits by way of f32, and
// rounding to bf16 takes four instructions.
static int64_t instructions(MlirOperation op, int num_warps)
{
    const MlirValue value = kiln_op_result(op, 0);
    const MlirType to = kiln_type_element(mlirValueGetType(value)),
                   from = kiln_type_element(mlirValueGetType(kiln_op_operand(op, 0)));
    const int64_t registers = kiln_value_registers(value, num_warps),
                  elements = kiln_value_elements(value, num_warps);
    switch (kiln_op_kind(op)) {
    case KILN_OP_ARITH_ANDI:
    case KILN_OP_ARITH_ORI:
    case KILN_OP_ARITH_XORI:
        return registers;
    default:
        break;
    }
    if (mlirTypeIsABF16(to))
        return 4 * elements;
    if (kiln_type_bits(from) == 8 && kiln_type_bits(to) == 16)
        return 2 * elements;
    return mlirTypeIsAF16(to) && mlirTypeIsAF16(from) ? registers : elements;
}

static int64_t vector_cycles(MlirOperation op, int num_warps)
{
    const int64_t cycles = cycles_of(kiln_op_facts(kiln_op_kind(op)));
    return cycles > 0 && mlirOperationGetNumOperands(op) > 0 ? cycles * instructions(op, num_warps)
                                                             : 0;
}

static int64_t lds_cycles(unsigned registers)
{
    return (int64_t)registers * 4 * KILN_GFX942_LANES * KILN_GFX942_SIMDS /
           (KILN_GFX942_LDS_BANKS * KILN_GFX942_LDS_BANK_BYTES);
}

// Adds the exchange of values through LDS while the operation executes: written, awaited, and read.
static void add_exchange(MlirOperation op, int num_warps, kiln_step_cycles_t *cycles)
{
    uint32_t bytes = 0;
    kiln_status_free(kiln_scratch_bytes(op, num_warps, &bytes)); // without a plan it is not counted
    if (bytes == 0)
        return;
    // A reduction exchanges what it has combined in each wave.
    const bool is_whole = kiln_op_kind(op) != KILN_OP_TT_REDUCE;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        cycles->lds += lds_cycles(kiln_value_registers(mlirOperationGetResult(op, i), num_warps));
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && is_whole; i++)
        cycles->lds += lds_cycles(kiln_value_registers(mlirOperationGetOperand(op, i), num_warps));
    cycles->waits += INT64_C(2) * KILN_GFX942_LDS_LATENCY;
}

static MlirWalkResult add(MlirOperation op, void *user)
{
    const sum_t *sum = user;
    kiln_step_cycles_t *cycles = sum->cycles;
    kiln_dot_measure_t dot;
    add_exchange(op, sum->num_warps, cycles);
    switch (kiln_op_kind(op)) {
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
            cycles->vector += vector_cycles(op, sum->num_warps);
        break;
    }
    return MlirWalkResultAdvance;
}

kiln_step_cycles_t kiln_op_cycles(MlirOperation op, int num_warps)
{
    kiln_step_cycles_t cycles = {.matrix = 0};
    sum_t sum = {&cycles, num_warps};
    kiln_walk(op, MlirWalkPreOrder, add, &sum);
    return cycles;
}

kiln_step_cycles_t kiln_step_cycles(MlirOperation loop, int num_warps)
{
    kiln_step_cycles_t cycles = {.matrix = 0};
    for (MlirOperation op = mlirBlockGetFirstOperation(kiln_op_body(loop, 0));
         !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
        const kiln_step_cycles_t own = kiln_op_cycles(op, num_warps);
        cycles.matrix += own.matrix;
        cycles.vector += own.vector;
        cycles.lds += own.lds;
        cycles.waits += own.waits;
    }
    return cycles;
}

int64_t kiln_step_cycles_least(const kiln_step_cycles_t *cycles)
{
    const int64_t most = cycles->matrix > cycles->vector ? cycles->matrix : cycles->vector;
    return most > cycles->lds ? most : cycles->lds;
}

// Cycles for a step of each of the waves on a SIMD, times the SIMDs.
static int64_t cycles_together(const kiln_step_pace_t *pace)
{
    const int64_t further = (int64_t)pace->waves - KILN_GFX942_SIMDS;
    return KILN_GFX942_SIMDS * pace->alone + (further > 0 ? further * pace->busy : 0);
}

static bool is_less(int64_t a, int64_t b)
{
    enum { PARTS = 32 }; // a gain of less than one of them is none
    return a * PARTS < b * (PARTS - 1);
}

bool kiln_step_pace_is_faster(const kiln_step_pace_t *a, const kiln_step_pace_t *b)
{
    const int64_t of_a = cycles_together(a) * b->waves, of_b = cycles_together(b) * a->waves;
    return is_less(of_a, of_b) || (of_a <= of_b && is_less(a->alone, b->alone));
}
