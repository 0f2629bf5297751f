// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces dots that gfx942 has no instruction for by several dots that it has.
//
// Micro-scaled operands are widened to bf16, or to f32 beside f16, and multiplied by their scales,
// which are powers of two:
//   tt.dot_scaled %a scale %sa, %b scale %sb, %c   →   tt.dot (widen %a · 2^(%sa − 127)), (widen %b · 2^(%sb − 127)), %c
//
// Dots of f32 in several passes are sums over the operands' leading and trailing parts:
//   bf16x3:  a·b ≈ a₀·b₀ + (a₀·b₁ + a₁·b₀)            with a = a₀ + a₁ + a₂ + …, each aᵢ the bf16 nearest to the remainder
//   bf16x6:                  … + a₀·b₂ + a₁·b₁ + a₂·b₀
//   tf32x3:  as bf16x3, with parts of 10 mantissa bits
//
// Products of i8 are summed in i32 by the instructions and added to an accumulator of i64 at the
// end.
//
// Note that small products are summed first. The trailing parts of an infinite operand are NaN, so
// NaNs of that sum are dropped before the leading product is added.
#include <math.h>

#include "analysis/machine/mfma.h"
#include "builder/compare.h"
#include "passes/pass.h"
#include "passes/rewrite/tile_ops.h"

enum { MAX_PARTS = 3 };
enum { TF32 = 0, TF32X3 = 1, IEEE = 2, BF16X3 = 3, BF16X6 = 4 }; // inputPrecision
// Element types of dot_scaled.
enum { E4M3 = 0, E5M2 = 1, E2M3 = 2, E3M2 = 3, E2M1 = 4, BF16 = 5, FP16 = 6 };

// Several passes ----------------------------------------------------------------------------------

static MlirValue dot(const kiln_ir_t *ir, MlirValue a, MlirValue b, MlirValue c, int precision)
{
    MlirValue operands[] = {a, b, c};
    return mlirOperationGetResult(kiln_ir_with_attr(ir, KILN_OP_TT_DOT, mlirValueGetType(c), 3,
                                                    operands, "inputPrecision",
                                                    kiln_ir_i32_attr(ir->context, precision)),
                                  0);
}

static MlirValue bitcast(const kiln_ir_t *ir, MlirValue value, MlirType element)
{
    return kiln_tile_cast(ir, KILN_OP_TT_BITCAST, value, element);
}

// Converts between float types; between two of the same width through f32.
static MlirValue convert_float(const kiln_ir_t *ir, MlirValue value, MlirType element)
{
    MlirType type = mlirValueGetType(value), to = kiln_type_with_element(type, element);
    int have = kiln_type_bits(type), want = kiln_type_bits(to);
    if (mlirTypeEqual(type, to))
        return value;
    if (have == 8)
        return kiln_ir_unary(ir, KILN_OP_TT_FP_TO_FP, to, value);
    if (have == want)
        value = kiln_tile_cast(ir, KILN_OP_ARITH_EXTF, value, mlirF32TypeGet(ir->context));
    return kiln_tile_cast(ir, have < want ? KILN_OP_ARITH_EXTF : KILN_OP_ARITH_TRUNCF, value,
                          element);
}

static MlirValue is_nan(const kiln_ir_t *ir, MlirValue value)
{
    MlirValue operands[] = {value, value};
    MlirType bools =
        kiln_type_with_element(mlirValueGetType(value), mlirIntegerTypeGet(ir->context, 1));
    return mlirOperationGetResult(
        kiln_ir_with_attr(ir, KILN_OP_ARITH_CMPF, bools, 2, operands, "predicate",
                          mlirIntegerAttrGet(mlirIntegerTypeGet(ir->context, 64), KILN_CMPF_UNO)),
        0);
}

// Returns the part of an f32 that tf32 represents, as f32. A NaN may have its payload in the
// dropped bits only and would become an infinity without them, so it is replaced by the default
// NaN.
static MlirValue leading_tf32(const kiln_ir_t *ir, MlirValue value)
{
    MlirType type = mlirValueGetType(value);
    MlirValue bits = bitcast(ir, value, mlirIntegerTypeGet(ir->context, 32));
    MlirValue mask = kiln_ir_const_int(ir, mlirValueGetType(bits), (int64_t)(int32_t)0xFFFFE000);
    MlirValue part =
        bitcast(ir, kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, bits, mask), kiln_type_element(type));
    return kiln_tile_select(ir, is_nan(ir, value), kiln_ir_const_float(ir, type, (double)NAN),
                            part);
}

// value ≈ parts[0] + … + parts[count − 1], in f32 for tf32, else in bf16.
static void split(const kiln_ir_t *ir, MlirValue value, int precision, int count,
                  MlirValue parts[MAX_PARTS])
{
    MlirType bf16 = mlirBF16TypeGet(ir->context), f32 = mlirF32TypeGet(ir->context);
    for (int i = 0; i < count; ++i) {
        parts[i] = precision == TF32X3 ? leading_tf32(ir, value)
                                       : kiln_tile_cast(ir, KILN_OP_ARITH_TRUNCF, value, bf16);
        if (i + 1 < count)
            value = kiln_ir_binary(ir, KILN_OP_ARITH_SUBF, value,
                                   kiln_tile_cast(ir, KILN_OP_ARITH_EXTF, parts[i], f32));
    }
}

static MlirValue without_nans(const kiln_ir_t *ir, MlirValue value)
{
    return kiln_tile_select(ir, is_nan(ir, value),
                            kiln_ir_const_float(ir, mlirValueGetType(value), 0), value);
}

static void decompose_precision(MlirOperation op, int precision)
{
    kiln_ir_t ir = kiln_ir_before(op);
    int count = precision == BF16X6 ? 3 : 2, part_precision = precision == TF32X3 ? TF32 : IEEE;
    MlirValue a[MAX_PARTS], b[MAX_PARTS], c = kiln_op_operand(op, 2);
    MlirType wanted = kiln_type_element(mlirValueGetType(c)), f32 = mlirF32TypeGet(ir.context);
    c = convert_float(&ir, c, f32); // a narrower result is rounded once, at the end
    split(&ir, kiln_op_operand(op, 0), precision, count, a);
    split(&ir, kiln_op_operand(op, 1), precision, count, b);
    MlirValue sum = kiln_ir_const_float(&ir, mlirValueGetType(c), 0);
    for (int order = count - 1; order > 0; --order) // smallest first
        for (int i = 0; i <= order; ++i)
            sum = dot(&ir, a[order - i], b[i], sum, part_precision);
    sum = dot(&ir, a[0], b[0], without_nans(&ir, sum), part_precision);
    sum = kiln_ir_binary(&ir, KILN_OP_ARITH_ADDF, sum, c);
    kiln_value_replace(kiln_op_result(op, 0), convert_float(&ir, sum, wanted));
}

// Integers ----------------------------------------------------------------------------------------

static bool needs_wide_sum(MlirOperation op)
{
    enum { MAX_TERMS = 1 << 16 }; // each at most 2^14
    MlirType a = mlirValueGetType(kiln_op_operand(op, 0)),
             d = mlirValueGetType(kiln_op_result(op, 0));
    return mlirTypeIsAInteger(kiln_type_element(a)) && kiln_type_bits(a) == 8 &&
           kiln_type_bits(d) == 64 && kiln_type_dim(a, kiln_type_rank(a) - 1) <= MAX_TERMS;
}

static void decompose_wide_sum(MlirOperation op)
{
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue c = kiln_op_operand(op, 2);
    MlirType wide = kiln_type_element(mlirValueGetType(c));
    MlirType narrow =
        kiln_type_with_element(mlirValueGetType(c), mlirIntegerTypeGet(ir.context, 32));
    MlirValue sum = dot(&ir, kiln_op_operand(op, 0), kiln_op_operand(op, 1),
                        kiln_ir_const_int(&ir, narrow, 0), IEEE);
    sum = kiln_tile_cast(&ir, KILN_OP_ARITH_EXTSI, sum, wide);
    kiln_value_replace(kiln_op_result(op, 0), kiln_ir_binary(&ir, KILN_OP_ARITH_ADDI, sum, c));
}

// Micro-scaled operands ---------------------------------------------------------------------------

typedef struct scaled_operand {
    MlirValue value, scale; // scale: null if there is none
    int kind;               // E4M3 …
    int packed;             // the dimension along which a byte holds two e2m1
    bool k_first;           // the inner dimension is the second to last (b), not the last (a)
} scaled_operand_t;

// Widens e2m3 or e3m2 in the low six bits of an i16 to f16 or bf16, as an integer times the
// smallest value. Both types represent the result exactly.
static MlirValue widen_6_bits(const kiln_ir_t *ir, MlirValue code, int kind, MlirType element)
{
    int mantissa_bits = kind == E2M3 ? 3 : 2;
    double min = kind == E2M3 ? 0x1p-3 : 0x1p-4;
    MlirType type = mlirValueGetType(code);
#define CONSTANT(n) kiln_ir_const_int(ir, type, n)
    MlirValue magnitude = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, code, CONSTANT(31));
    MlirValue sign =
        kiln_ir_binary(ir, KILN_OP_ARITH_SHLI,
                       kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, code, CONSTANT(32)), CONSTANT(10));
    MlirValue exponent =
        kiln_ir_binary(ir, KILN_OP_ARITH_SHRUI, magnitude, CONSTANT(mantissa_bits));
    MlirValue mantissa =
        kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, magnitude, CONSTANT((1 << mantissa_bits) - 1));
    MlirValue is_subnormal = kiln_ir_compare(ir, KILN_CMPI_EQ, exponent, CONSTANT(0));
    MlirValue normal =
        kiln_ir_binary(ir, KILN_OP_ARITH_ORI, mantissa, CONSTANT(1 << mantissa_bits));
    normal = kiln_ir_binary(ir, KILN_OP_ARITH_SHLI, normal,
                            kiln_ir_binary(ir, KILN_OP_ARITH_SUBI, exponent, CONSTANT(1)));
    MlirValue whole = kiln_tile_select(ir, is_subnormal, mantissa, normal);
    MlirValue value = kiln_tile_cast(ir, KILN_OP_ARITH_SITOFP, whole, element);
    value = kiln_ir_binary(ir, KILN_OP_ARITH_MULF, value,
                           kiln_ir_const_float(ir, mlirValueGetType(value), min));
    MlirValue bits = bitcast(ir, value, mlirIntegerTypeGet(ir->context, 16));
    return bitcast(ir, kiln_ir_binary(ir, KILN_OP_ARITH_ORI, bits, sign), element);
#undef CONSTANT
}

// Unpacks the two e2m1 of each byte along one dimension, low half first.
static MlirValue unpack_e2m1(const kiln_ir_t *ir, MlirValue packed, int dim, MlirType element)
{
    MlirType i16 = mlirIntegerTypeGet(ir->context, 16);
    MlirValue bytes = kiln_tile_cast(ir, KILN_OP_ARITH_EXTUI, packed, i16);
    MlirType type = mlirValueGetType(bytes);
    MlirValue high = kiln_ir_binary(ir, KILN_OP_ARITH_SHRUI, bytes, kiln_ir_const_int(ir, type, 4));
    MlirValue pair = kiln_tile_join(ir, kiln_tile_widen_e2m1(ir, bytes, element),
                                    kiln_tile_widen_e2m1(ir, high, element));
    int rank = kiln_type_rank(type);
    int32_t order[KILN_MAX_RANK];
    int64_t shape[KILN_MAX_RANK];
    for (int i = 0; i < rank; ++i)
        shape[i] = kiln_type_dim(type, i) * (i == dim ? 2 : 1);
    if (dim != rank - 1) {
        for (int i = 0; i <= rank; ++i) // the new last dimension moves after `dim`
            order[i] = i <= dim ? i : i == dim + 1 ? rank : i - 1;
        pair = kiln_tile_trans(ir, pair, order);
    }
    return kiln_tile_reshape(ir, pair, rank, shape);
}

static MlirValue widen(const kiln_ir_t *ir, const scaled_operand_t *operand, MlirType element)
{
    MlirValue value = operand->value;
    if (operand->kind == E2M1)
        return unpack_e2m1(ir, value, operand->packed, element);
    if (operand->kind == E2M3 || operand->kind == E3M2) {
        value = bitcast(ir, value, mlirIntegerTypeGet(ir->context, 8)); // the type may be a float
        value = kiln_tile_cast(ir, KILN_OP_ARITH_EXTUI, value, mlirIntegerTypeGet(ir->context, 16));
        return widen_6_bits(ir, value, operand->kind, element);
    }
    if (mlirTypeIsAInteger(kiln_type_element(mlirValueGetType(value))))
        value = bitcast(ir, value,
                        operand->kind == E4M3 ? mlirFloat8E4M3FNTypeGet(ir->context)
                                              : mlirFloat8E5M2TypeGet(ir->context));
    return convert_float(ir, value, element);
}

static MlirValue scale_factor(const kiln_ir_t *ir, MlirValue scale, MlirType element)
{
    return mlirTypeIsAInteger(kiln_type_element(mlirValueGetType(scale)))
               ? kiln_tile_widen_e8m0(ir, scale, element)
               : convert_float(ir, scale, element);
}

// Repeats each element of a scale of [B,] rows × K/group `group` times: [B,] rows × K.
static MlirValue spread_scale(const kiln_ir_t *ir, MlirValue factor, int64_t k)
{
    MlirType type = mlirValueGetType(factor);
    int rank = kiln_type_rank(type);
    int64_t shape[KILN_MAX_RANK];
    for (int i = 0; i < rank; ++i)
        shape[i] = kiln_type_dim(type, i);
    shape[rank] = k / shape[rank - 1];
    MlirType wide =
        kiln_type_tensor(rank + 1, shape, kiln_type_element(type), (MlirAttribute){NULL});
    factor = kiln_tile_broadcast(ir, wide, kiln_tile_expand_dims(ir, factor, rank));
    shape[rank - 1] = k;
    return kiln_tile_reshape(ir, factor, rank, shape);
}

// Rounds f32 to bf16, to nearest even, for values whose NaNs have no bit set in the lower half:
// such a NaN stays one without a check.
static MlirValue round_product(const kiln_ir_t *ir, MlirValue product)
{
    MlirValue bits = bitcast(ir, product, mlirIntegerTypeGet(ir->context, 32));
    MlirType type = mlirValueGetType(bits);
#define CONSTANT(n) kiln_ir_const_int(ir, type, n)
    MlirValue upper = kiln_ir_binary(ir, KILN_OP_ARITH_SHRUI, bits, CONSTANT(16));
    MlirValue odd = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, upper, CONSTANT(1));
    MlirValue rounded = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, bits, odd);
    rounded = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, rounded, CONSTANT(0x7fff));
    upper = kiln_ir_binary(ir, KILN_OP_ARITH_SHRUI, rounded, CONSTANT(16));
#undef CONSTANT
    upper = kiln_tile_cast(ir, KILN_OP_ARITH_TRUNCI, upper, mlirIntegerTypeGet(ir->context, 16));
    return bitcast(ir, upper, mlirBF16TypeGet(ir->context));
}

// Returns the operand times its scale, as `element`: f16 (which must hold the products), bf16 or
// f32.
static MlirValue scaled(const kiln_ir_t *ir, const scaled_operand_t *operand, MlirType element)
{
    // There is no bf16 multiplication: the product is computed in f32, so 8-bit floats are widened
    // to f32 directly. Codes of fewer bits and scales are widened to 16 bits first.
    const bool has_scale = !mlirValueIsNull(operand->scale), is_f16 = mlirTypeIsAF16(element),
               by_f32 = !is_f16 && (has_scale || mlirTypeIsAF32(element)),
               is_code = operand->kind == E2M1 || operand->kind == E2M3 || operand->kind == E3M2;
    MlirType f32 = mlirF32TypeGet(ir->context),
             half = is_f16 ? element : mlirBF16TypeGet(ir->context);
    MlirValue value = widen(ir, operand, by_f32 && !is_code ? f32 : half);
    if (!has_scale)
        return convert_float(ir, value, element);
    int rank = kiln_type_rank(mlirValueGetType(value)),
        inner = operand->k_first ? rank - 2 : rank - 1;
    MlirValue factor = scale_factor(ir, operand->scale, half);
    factor = spread_scale(ir, factor, kiln_type_dim(mlirValueGetType(value), inner));
    if (operand->k_first) {
        int32_t order[KILN_MAX_RANK];
        for (int i = 0; i < rank; ++i)
            order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
        factor = kiln_tile_trans(ir, factor, order);
    }
    if (!by_f32)
        return kiln_ir_binary(ir, KILN_OP_ARITH_MULF, value, factor);
    value = convert_float(ir, value, f32);
    value = kiln_ir_binary(ir, KILN_OP_ARITH_MULF, value, convert_float(ir, factor, f32));
    return mlirTypeIsAF32(element) ? value : round_product(ir, value);
}

// The type that holds both operands and their scaled values. With f16, whose range is small, that
// is f32, multiplied as tf32, which has the range of bf16 and the precision of f16.
static MlirType type_of_products(const kiln_ir_t *ir, const scaled_operand_t *a,
                                 const scaled_operand_t *b)
{
    if (a->kind != FP16 && b->kind != FP16)
        return mlirBF16TypeGet(ir->context);
    const bool is_wide = a->kind == BF16 || b->kind == BF16 || !mlirValueIsNull(a->scale) ||
                         !mlirValueIsNull(b->scale);
    return is_wide ? mlirF32TypeGet(ir->context) : mlirF16TypeGet(ir->context);
}

static void decompose_scaled(MlirOperation op)
{
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    int rank = kiln_type_rank(type);
    scaled_operand_t a = {.value = kiln_op_segment(op, 0),
                          .scale = kiln_op_segment(op, 3),
                          .kind = (int)kiln_ir_int_attr(op, "a_elem_type", 0),
                          .packed = kiln_ir_int_attr(op, "lhs_k_pack", 1) ? rank - 1 : rank - 2};
    scaled_operand_t b = {.value = kiln_op_segment(op, 1),
                          .scale = kiln_op_segment(op, 4),
                          .kind = (int)kiln_ir_int_attr(op, "b_elem_type", 0),
                          .packed = kiln_ir_int_attr(op, "rhs_k_pack", 1) ? rank - 2 : rank - 1,
                          .k_first = true};
    kiln_ir_t ir = kiln_ir_before(op);
    const MlirType element = type_of_products(&ir, &a, &b);
    MlirValue left = scaled(&ir, &a, element), right = scaled(&ir, &b, element);
    kiln_value_replace(kiln_op_result(op, 0), dot(&ir, left, right, kiln_op_segment(op, 2),
                                                  mlirTypeIsAF32(element) ? TF32 : IEEE));
}

// The pass ----------------------------------------------------------------------------------------

// Returns the number of registers of a lane that hold both operands, all their parts and the sum,
// if the warps divide the result as a square.
static int64_t registers_of_parts(const kiln_mfma_problem_t *problem, int precision, int num_warps)
{
    int64_t rows = problem->m, columns = problem->n;
    for (int warps = num_warps; warps > 1; warps /= 2)
        *(rows >= columns ? &rows : &columns) /= 2;
    int64_t elements = problem->k * (rows + columns),
            parts_in_half_registers = precision == BF16X3   ? 2
                                      : precision == BF16X6 ? 3
                                                            : 4;
    return (elements + elements * parts_in_half_registers / 2 + rows * columns) / KILN_GFX942_LANES;
}

// Returns the precision of a dot to be computed in several passes, or −1. The passes take less time
// on the matrix cores than f32 instructions, which are more precise; so the dot stays one of f32 if
// no instruction fits the parts, or if the parts do not fit the registers.
static int split_precision(const kiln_pass_context_t *context, MlirOperation op)
{
    enum { ROOM = 384 }; // of 512; addresses and loads in flight need registers, too
    int64_t precision = kiln_ir_int_attr(op, "inputPrecision", IEEE);
    if (precision != TF32X3 && precision != BF16X3 && precision != BF16X6)
        return -1;
    kiln_mfma_problem_t problem = kiln_mfma_problem(op, context->options->matrix_instr_nonkdim);
    if (problem.a != KILN_MFMA_F32)
        return -1;
    problem.a = problem.b = precision == TF32X3 ? KILN_MFMA_F32 : KILN_MFMA_BF16;
    problem.precision = precision == TF32X3 ? KILN_MFMA_XF32 : KILN_MFMA_ANY;
    const kiln_mfma_instruction_t *found = kiln_mfma_choose(&problem);
    if (!found || found->precision != problem.precision ||
        registers_of_parts(&problem, (int)precision, context->options->num_warps) > ROOM)
        return -1;
    return (int)precision;
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    kiln_op_t kind = kiln_op_kind(op);
    int precision = kind == KILN_OP_TT_DOT ? split_precision(user, op) : -1;
    if (kind == KILN_OP_TT_DOT_SCALED)
        decompose_scaled(op);
    else if (precision >= 0)
        decompose_precision(op, precision);
    else if (kind == KILN_OP_TT_DOT && needs_wide_sum(op))
        decompose_wide_sum(op);
    else
        return MlirWalkResultAdvance;
    kiln_op_erase(op);
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_decompose_dots(const kiln_pass_context_t *context, MlirModule module)
{
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPostOrder, visit, (void *)context);
    return KILN_OK;
}
