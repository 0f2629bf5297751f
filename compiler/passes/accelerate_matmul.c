// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives tt.dot the layouts of a matrix instruction where gfx942 has one for its types and shape.
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
// The thing one gets wrong: the layout is transposed (isTransposed): the instruction runs with A and B swapped, so that
// a lane holds four neighbouring columns of the result, which makes stores wide and lets the result feed a second dot
// without moving. 4×64 is the exception: there the instruction's first operand, which it can hand to all lanes, is A.
#include <stdlib.h>

#include "analysis/mfma.h"
#include "builder/ir.h"
#include "passes/pass.h"

enum { CHAIN_K_WIDTH = 4, MAX_VISITED = 512 };

typedef struct dots {
    MlirOperation *ops;
    int count, capacity;
    bool out_of_memory;
} dots_t;

static MlirWalkResult collect(MlirOperation op, void *user)
{
    dots_t *dots = user;
    if (kiln_op_kind(op) != KILN_OP_TT_DOT)
        return MlirWalkResultAdvance;
    if (dots->count == dots->capacity) {
        int capacity = dots->capacity ? dots->capacity * 2 : 16;
        MlirOperation *larger = realloc(dots->ops, (size_t)capacity * sizeof *larger);
        dots->out_of_memory = !larger;
        if (!larger)
            return MlirWalkResultInterrupt;
        dots->ops = larger;
        dots->capacity = capacity;
    }
    dots->ops[dots->count++] = op;
    return MlirWalkResultAdvance;
}

// Chains: a dot whose first operand comes from another dot of the same block ----------------------------------------

typedef struct slice_search {
    MlirBlock block;
    MlirOperation target;
    MlirOperation visited[MAX_VISITED];
    int count;
} slice_search_t;

// Whether `value` is computed in the block from the result of `target` (a null target: of any dot).
static bool comes_from_dot(slice_search_t *search, MlirValue value)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), search->block))
        return false;
    if (kind == KILN_OP_TT_DOT && (mlirOperationIsNull(search->target) || mlirOperationEqual(op, search->target)))
        return true;
    for (int i = 0; i < search->count; ++i)
        if (mlirOperationEqual(search->visited[i], op))
            return false;
    if (search->count == MAX_VISITED)
        return false;
    search->visited[search->count++] = op;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
        if (comes_from_dot(search, mlirOperationGetOperand(op, i)))
            return true;
    return false;
}

static bool is_chain_tail(MlirOperation dot)
{
    slice_search_t search = {.block = mlirOperationGetBlock(dot)};
    return comes_from_dot(&search, kiln_op_operand(dot, 0));
}

static bool is_chain_head(const dots_t *dots, MlirOperation dot)
{
    for (int i = 0; i < dots->count; ++i) {
        slice_search_t search = {.block = mlirOperationGetBlock(dot), .target = dot};
        if (!mlirOperationEqual(dots->ops[i], dot) &&
            mlirBlockEqual(mlirOperationGetBlock(dots->ops[i]), search.block) &&
            comes_from_dot(&search, kiln_op_operand(dots->ops[i], 0)))
            return true;
    }
    return false;
}

// Warps -------------------------------------------------------------------------------------------------------------

// Grows the square of warps along the dimension with more tiles left, rows first (Triton's rule).
static void spread_warps(int64_t m, int64_t n, const kiln_mfma_instruction_t *tile, int num_warps, int32_t warps[2])
{
    warps[0] = warps[1] = 1;
    while (warps[0] * warps[1] < num_warps) {
        bool rows = m / (tile->m * 2) / warps[0] >= n / tile->n / warps[1] && warps[0] < m / tile->m;
        warps[rows ? 0 : 1] *= 2;
    }
    if ((int64_t)warps[1] * tile->n > n) {
        int32_t columns = warps[1];
        warps[1] = warps[0];
        warps[0] = columns;
    }
}

static void choose_warps(const dots_t *dots, MlirOperation dot, int64_t m, int64_t n,
                         const kiln_mfma_instruction_t *tile, int num_warps, int32_t warps[2])
{
    if (is_chain_head(dots, dot)) {
        warps[0] = num_warps;
        warps[1] = 1;
        return;
    }
    if (is_chain_tail(dot)) {
        int64_t tiles = (m + tile->m - 1) / tile->m;
        warps[0] = tiles < num_warps ? (int32_t)tiles : num_warps;
        warps[1] = num_warps / warps[0];
        return;
    }
    spread_warps(m, n, tile, num_warps, warps);
}

// Operands ----------------------------------------------------------------------------------------------------------

static MlirValue convert_layout(const kiln_ir_t *ir, MlirValue value, MlirAttribute encoding)
{
    return kiln_ir_unary(ir, KILN_OP_TTG_CONVERT_LAYOUT, kiln_type_with_encoding(mlirValueGetType(value), encoding),
                         value);
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

// The next wider type that holds all values of an operand type, and of those of its width, exactly; null where there is none.
static MlirType wider_element(MlirType a)
{
    MlirContext context = mlirTypeGetContext(a);
    if (!mlirTypeIsAFloat(a) || mlirTypeIsAF64(a))
        return (MlirType){NULL};
    if (mlirFloatTypeGetWidth(a) == 8)
        return mlirF16TypeGet(context);
    return mlirTypeIsAF32(a) ? mlirF64TypeGet(context) : mlirF32TypeGet(context);
}

// Chooses the instruction for a dot. Where none takes the operands as they are (8-bit floats of OCP, f16 with bf16, a K
// that is too small, a result of f64), one for wider operands may: all their values are the same.
static const kiln_mfma_instruction_t *choose_instruction(const kiln_pass_context_t *context, MlirOperation dot,
                                                         kiln_mfma_problem_t *problem, MlirType *widen_to)
{
    MlirType element = kiln_type_element(mlirValueGetType(kiln_op_operand(dot, 0)));
    *problem = kiln_mfma_problem(dot, context->options->matrix_instr_nonkdim);
    *widen_to = (MlirType){NULL};
    for (;;) {
        const kiln_mfma_instruction_t *found = kiln_mfma_choose(problem);
        if (found)
            return found;
        if (problem->precision == KILN_MFMA_XF32) { // f32 does what xf32 may
            problem->precision = KILN_MFMA_ANY;
            continue;
        }
        *widen_to = element = wider_element(element);
        if (mlirTypeIsNull(element))
            return NULL;
        problem->a = problem->b = kiln_mfma_element(element);
    }
}

// The sum is kept in the instruction's accumulator type and rounded, or cut, once at the end.
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

static void accelerate(const kiln_pass_context_t *context, const dots_t *dots, MlirOperation dot)
{
    MlirType type = mlirValueGetType(kiln_op_result(dot, 0));
    int rank = kiln_type_rank(type);
    if (kiln_encoding_kind(kiln_type_encoding(type)) != KILN_ENCODING_BLOCKED)
        return;
    kiln_mfma_problem_t problem;
    MlirType widen_to;
    const kiln_mfma_instruction_t *instruction = choose_instruction(context, dot, &problem, &widen_to);
    if (!instruction)
        return;
    kiln_ir_t ir = kiln_ir_before(dot);
    for (int i = 0; i < 2 && !mlirTypeIsNull(widen_to); ++i)
        mlirOperationSetOperand(dot, i, convert_float(&ir, kiln_op_operand(dot, i), widen_to));

    kiln_mfma_t mfma = {.version = 3,
                        .rank = rank,
                        .instr_shape = {instruction->m, instruction->n, instruction->k},
                        .is_transposed = instruction->n != 64,
                        .element_bits = instruction->accumulator == KILN_MFMA_F64 ? 64 : 32};
    for (int i = 0; i < rank; ++i)
        mfma.warps_per_cta[i] = mfma.tiles_per_warp[i] = 1;
    bool tail = is_chain_tail(dot);
    if (rank == 3)
        mfma.warps_per_cta[0] = context->options->num_warps;
    else
        choose_warps(dots, dot, problem.m, problem.n, instruction, context->options->num_warps, mfma.warps_per_cta);
    int element_bits = kiln_type_bits(mlirValueGetType(kiln_op_operand(dot, 0)));
    int k_width = instruction->k_base * context->options->kpack;
    if (tail && element_bits == 16)
        k_width = CHAIN_K_WIDTH; // the first dot's result is then already where the second wants it
    if ((int64_t)instruction->k * (k_width / instruction->k_base) > problem.k)
        k_width = instruction->k_base;

    MlirAttribute layout = kiln_mfma_attr(context->mlir, &mfma);
    MlirValue operands[] = {
        convert_layout(&ir, kiln_op_operand(dot, 0), kiln_dot_operand_attr(0, layout, k_width)),
        convert_layout(&ir, kiln_op_operand(dot, 1), kiln_dot_operand_attr(1, layout, k_width)),
        convert_layout(&ir, convert_sum(&ir, kiln_op_operand(dot, 2), accumulator_element(instruction, context->mlir)),
                       layout),
    };
    MlirOperation fast = mlirOperationClone(dot);
    mlirBlockInsertOwnedOperationBefore(ir.block, dot, fast);
    mlirOperationSetOperands(fast, 3, operands);
    mlirValueSetType(kiln_op_result(fast, 0), mlirValueGetType(operands[2]));
    MlirValue result = convert_layout(&ir, convert_sum(&ir, kiln_op_result(fast, 0), kiln_type_element(type)),
                                      kiln_type_encoding(type));
    kiln_value_replace(kiln_op_result(dot, 0), result);
}

kiln_status_t kiln_accelerate_matmul(const kiln_pass_context_t *context, MlirModule module)
{
    dots_t dots = {.count = 0};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, collect, &dots);
    for (int i = 0; i < dots.count && !dots.out_of_memory; ++i)
        accelerate(context, &dots, dots.ops[i]);
    for (int i = 0; i < dots.count; ++i)
        if (!kiln_value_has_uses(kiln_op_result(dots.ops[i], 0)))
            kiln_op_erase(dots.ops[i]);
    free(dots.ops);
    return dots.out_of_memory ? kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "no memory for the list of dots")
                              : KILN_OK;
}
