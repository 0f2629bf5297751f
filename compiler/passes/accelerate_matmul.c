// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives tt.dot the layouts of a matrix instruction if gfx942 has one for its types and shape.
//
//   %d = tt.dot %a, %b, %c : … -> tensor<128x128xf32, #blocked>
// →
//   %c1 = ttg.convert_layout %c : … -> tensor<128x128xf32, #mma>
//   %a1 = ttg.convert_layout %a : … -> tensor<128x32xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>>
//   %b1 = ttg.convert_layout %b : … -> tensor<32x128xf16, #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>>
//   %d1 = tt.dot %a1, %b1, %c1 : … -> tensor<128x128xf32, #mma>
//   %d  = ttg.convert_layout %d1 : … -> tensor<128x128xf32, #blocked>
//
// A dot that no instruction fits keeps its blocked layout and is computed by FMA.
//
// The layout is transposed (isTransposed): the instruction runs with A and B swapped, so that a
// lane holds four neighbouring columns of the result. Stores are then wide, and the result feeds a
// second dot without moving. 4×64 is the exception: A stays the first operand, because the
// instruction can broadcast its first operand to all lanes. So is a result that is only added to
// memory: an atomic operation takes one element of a lane, so neighbouring lanes should hold
// neighbouring columns. One that adds pairs does not, and passes LDS as a store does.
//
// An operand that is computed from loads in registers, and of which each wave needs its own part,
// is loaded in its layout (layouts/operand_loads.h): kWidth is then what an access moves along K.
#include <stdlib.h>

#include "analysis/dot_plan.h"
#include "analysis/plan/index.h"
#include "base/gfx942.h"
#include "builder/ir.h"
#include "layout/infer.h"
#include "passes/layouts/operand_loads.h"
#include "passes/pass.h"

enum { CHAIN_K_WIDTH = 4, MAX_ARITHMETIC = 8 };

// Operands ----------------------------------------------------------------------------------------

static MlirValue convert_layout(const kiln_ir_t *ir, MlirValue value, MlirAttribute encoding)
{
    return kiln_ir_unary(ir, KILN_OP_TTG_CONVERT_LAYOUT,
                         kiln_type_with_encoding(mlirValueGetType(value), encoding), value);
}

static MlirValue convert_float(const kiln_ir_t *ir, MlirValue value, MlirType element)
{
    MlirType from = mlirValueGetType(value), to = kiln_type_with_element(from, element);
    int have = kiln_type_bits(from), want = kiln_type_bits(to);
    if (mlirTypeEqual(from, to))
        return value;
    return kiln_ir_unary(ir,
                         have == 8     ? KILN_OP_TT_FP_TO_FP
                         : have < want ? KILN_OP_ARITH_EXTF
                                       : KILN_OP_ARITH_TRUNCF,
                         to, value);
}

// The sum is kept in the instruction's accumulator type and rounded, or truncated, once at the end.
static MlirType accumulator_element(const kiln_mfma_instruction_t *instruction, MlirContext context)
{
    switch (instruction->accumulator) {
    case KILN_MFMA_F32:
        return mlirF32TypeGet(context);
    case KILN_MFMA_F64:
        return mlirF64TypeGet(context);
    default:
        return mlirIntegerTypeGet(context, 32);
    }
}

static MlirValue convert_sum(const kiln_ir_t *ir, MlirValue sum, MlirType element)
{
    MlirType from = mlirValueGetType(sum), to = kiln_type_with_element(from, element);
    if (mlirTypeIsAFloat(element) || mlirTypeEqual(from, to))
        return convert_float(ir, sum, element);
    bool grows = kiln_type_bits(from) < kiln_type_bits(to);
    return kiln_ir_unary(ir, grows ? KILN_OP_ARITH_EXTSI : KILN_OP_ARITH_TRUNCI, to, sum);
}

// Whether each wave has other rows, or columns, of the operand than all others.
static bool is_of_one_wave(const kiln_dot_plan_t *plan, MlirOperation dot, int operand)
{
    const kiln_mfma_instruction_t *instruction = plan->instruction;
    const int64_t size = kiln_type_dim(mlirValueGetType(kiln_op_result(dot, 0)), operand),
                  tile = operand ? instruction->n : instruction->m;
    return plan->warps[1 - operand] == 1 && plan->warps[operand] * tile <= size;
}

// Whether to load an operand in its layout, of each row `bytes` in an access. A cache line is read
// in several accesses, but not more than it takes the L1 to deliver it. Other tiles of the
// operand's shape that it is computed from would pass LDS unpacked, so these are loaded in any
// case.
static bool loads_fit(const kiln_operand_loads_t *loads, int64_t bytes)
{
    return loads->combines || bytes >= KILN_GFX942_L1_CYCLE_BYTES;
}

// Axis information of the module, created when it is needed first.
typedef struct lazy_axis {
    MlirOperation root;
    kiln_axis_analysis_t *analysis;
    kiln_status_t status;
} lazy_axis_t;

static const kiln_axis_analysis_t *get_axis(lazy_axis_t *axis)
{
    if (!axis->analysis && !axis->status)
        axis->status = kiln_axis_analysis_create(axis->root, &axis->analysis);
    return axis->analysis;
}

// Finds an operand that is computed from loads in registers; returns its kWidth, or 0.
static int find_loaded_operand(lazy_axis_t *axis, const kiln_dot_plan_t *plan, MlirOperation dot,
                               int *out_operand, kiln_operand_loads_t *out_loads)
{
    enum { LEAST_SIDE = 16 }; // smaller instructions distribute K differently
    const kiln_mfma_instruction_t *instruction = plan->instruction;
    if (kiln_type_rank(mlirValueGetType(kiln_op_result(dot, 0))) != 2 ||
        !mlirTypeIsNull(plan->widen_to) || kiln_dot_is_chain_tail(dot) ||
        instruction->m < LEAST_SIDE || instruction->n < LEAST_SIDE)
        return 0;
    const int lanes = instruction->k / instruction->k_base;
    for (int i = 0; i < 2; i++) {
        int64_t bytes;
        if (!is_of_one_wave(plan, dot, i) || !kiln_find_operand_loads(dot, i, out_loads) ||
            !get_axis(axis))
            continue;
        const int64_t width = kiln_operand_loads_width(axis->analysis, i, out_loads, &bytes);
        *out_operand = i;
        if (width > instruction->k_base && width * lanes <= plan->k &&
            loads_fit(out_loads, bytes * lanes))
            return (int)width;
    }
    return 0;
}

// Whether every use of the value is an atomic operation on its elements, after arithmetic on them.
static bool goes_to_atomics(MlirValue value, int depth)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        const kiln_op_t kind = kiln_op_kind(user);
        if (kind == KILN_OP_TT_ATOMIC_RMW && !kiln_atomic_takes_pairs(user))
            continue;
        if (depth == 0 || !(kiln_op_is_elementwise(kind) || kind == KILN_OP_TTG_CONVERT_LAYOUT) ||
            mlirOperationGetNumResults(user) != 1 ||
            !goes_to_atomics(kiln_op_result(user, 0), depth - 1))
            return false;
    }
    return kiln_value_has_uses(value);
}

static void accelerate(const kiln_pass_context_t *context, lazy_axis_t *axis,
                       const kiln_dots_t *dots, MlirOperation dot)
{
    MlirType type = mlirValueGetType(kiln_op_result(dot, 0));
    int rank = kiln_type_rank(type);
    if (kiln_encoding_kind(kiln_type_encoding(type)) != KILN_ENCODING_BLOCKED)
        return;
    const kiln_dot_plan_t plan = kiln_dot_plan(dots, dot, context->options->matrix_instr_nonkdim,
                                               context->options->num_warps);
    const kiln_mfma_instruction_t *instruction = plan.instruction;
    if (!instruction)
        return;
    kiln_ir_t ir = kiln_ir_before(dot);
    for (int i = 0; i < 2 && !mlirTypeIsNull(plan.widen_to); ++i)
        mlirOperationSetOperand(dot, i, convert_float(&ir, kiln_op_operand(dot, i), plan.widen_to));

    kiln_mfma_t mfma = {.version = 3,
                        .rank = rank,
                        .instr_shape = {instruction->m, instruction->n, instruction->k},
                        .is_transposed = instruction->n != 64 &&
                                         !goes_to_atomics(kiln_op_result(dot, 0), MAX_ARITHMETIC),
                        .element_bits = instruction->accumulator == KILN_MFMA_F64 ? 64 : 32};
    for (int i = 0; i < rank; ++i) {
        mfma.tiles_per_warp[i] = 1;
        mfma.warps_per_cta[i] = plan.warps[i];
    }
    int element_bits = kiln_type_bits(mlirValueGetType(kiln_op_operand(dot, 0)));
    int k_width = instruction->k_base * context->options->kpack;
    if (kiln_dot_is_chain_tail(dot) && element_bits == 16)
        k_width = CHAIN_K_WIDTH; // the first dot's result is then already where the second needs it
    if ((int64_t)instruction->k * (k_width / instruction->k_base) > plan.k)
        k_width = instruction->k_base;
    int loaded = 0;
    kiln_operand_loads_t loads;
    const int loaded_width = find_loaded_operand(axis, &plan, dot, &loaded, &loads);
    k_width = loaded_width ? loaded_width : k_width;

    MlirAttribute layout = kiln_mfma_attr(context->mlir, &mfma);
    for (int i = 0; loaded_width && i < loads.count; i++)
        kiln_convert_access(loads.loads[i], kiln_dot_operand_attr(loaded, layout, k_width));
    MlirValue operands[] = {
        convert_layout(&ir, kiln_op_operand(dot, 0), kiln_dot_operand_attr(0, layout, k_width)),
        convert_layout(&ir, kiln_op_operand(dot, 1), kiln_dot_operand_attr(1, layout, k_width)),
        convert_layout(&ir,
                       convert_sum(&ir, kiln_op_operand(dot, 2),
                                   accumulator_element(instruction, context->mlir)),
                       layout),
    };
    MlirOperation fast = mlirOperationClone(dot);
    mlirBlockInsertOwnedOperationBefore(ir.block, dot, fast);
    mlirOperationSetOperands(fast, 3, operands);
    mlirValueSetType(kiln_op_result(fast, 0), mlirValueGetType(operands[2]));
    MlirValue result =
        convert_layout(&ir, convert_sum(&ir, kiln_op_result(fast, 0), kiln_type_element(type)),
                       kiln_type_encoding(type));
    kiln_value_replace(kiln_op_result(dot, 0), result);
}

kiln_status_t kiln_accelerate_matmul(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_dots_t dots = kiln_dots_of_module(module);
    lazy_axis_t axis = {.root = mlirModuleGetOperation(module)};
    for (size_t i = 0; i < dots.count && !dots.out_of_memory; ++i)
        if (kiln_op_kind(dots.ops[i]) == KILN_OP_TT_DOT)
            accelerate(context, &axis, &dots, dots.ops[i]);
    kiln_axis_analysis_destroy(axis.analysis);
    for (size_t i = 0; i < dots.count; ++i)
        if (!kiln_value_has_uses(kiln_op_result(dots.ops[i], 0)))
            kiln_op_erase(dots.ops[i]);
    free(dots.ops);
    if (axis.status)
        return axis.status;
    return dots.out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}
