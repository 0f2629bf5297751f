// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.dot: by matrix instructions if the result has an MFMA layout, by fused multiply-adds if it has
// a blocked one.
//
// For multiply-adds every thread holds whole rows of A and columns of B for its elements of the
// result; as for matrix instructions, the layouts determine the registers. Note that i8 and 8-bit
// floats have the same LLVM type; only the MLIR type distinguishes them.
#include "dots.h"
#include "lower/elements/elements.h"
#include "lower/emit.h"
#include "lower/tile.h"

#include <mlir-c/BuiltinTypes.h>

// The type to compute in: wide enough that products and sums are rounded as by the matrix
// instructions; a narrower result is rounded once, at the end. Integers wrap alike in every type,
// so the result's type suffices.
static LLVMTypeRef computing_type(kiln_lowering_t *l, const kiln_tile_t *a, const kiln_tile_t *b,
                                  const kiln_tile_t *result)
{
    if (mlirTypeIsAInteger(kiln_type_element(result->type)))
        return result->element;
    bool is_double = a->element == l->f64 || b->element == l->f64 || result->element == l->f64;
    return is_double ? l->f64 : l->f32;
}

static LLVMValueRef to_computing_type(kiln_lowering_t *l, LLVMValueRef value, MlirType type,
                                      LLVMTypeRef computing)
{
    if (mlirTypeIsAInteger(type))
        return LLVMBuildIntCast2(l->builder, value, computing, true, "");
    if (LLVMTypeOf(value) == computing)
        return value;
    value = kiln_lower_widen_float(l, value, type);
    return LLVMTypeOf(value) == computing ? value
                                          : LLVMBuildFPCast(l->builder, value, computing, "");
}

void kiln_lower_dot_corner(const kiln_tile_t *a, const kiln_tile_t *b, const kiln_tile_t *result,
                           uint32_t reg, uint32_t *flat_a, uint32_t *flat_b)
{
    int rank = result->layout->rank;
    uint32_t element = kiln_layout_apply(result->layout, reg, 0, 0);
    *flat_a = *flat_b = 0;
    for (int d = 0; d < rank; d++) {
        uint32_t coordinate = kiln_layout_coord(result->layout, element, d);
        if (d != rank - 1)
            *flat_a |= coordinate << kiln_layout_shift(a->layout, d);
        if (d != rank - 2)
            *flat_b |= coordinate << kiln_layout_shift(b->layout, d);
    }
}

static void lower_dot_fma(kiln_lowering_t *l, kiln_tile_t *a, kiln_tile_t *b, kiln_tile_t *c,
                          kiln_tile_t *result)
{
    MlirType result_type = kiln_type_element(result->type);
    int rank = result->layout->rank, k_shift_b = kiln_layout_shift(b->layout, rank - 2);
    int64_t k_size = kiln_type_dim(a->type, rank - 1);
    kiln_layout_inverse_t in_a = kiln_layout_invert(a->layout),
                          in_b = kiln_layout_invert(b->layout);
    kiln_tile_t *tiles[2] = {a, b};
    LLVMTypeRef computing = computing_type(l, a, b, result);
    LLVMValueRef *wide[2];
    for (int i = 0; i < 2; i++) {
        MlirType type = kiln_type_element(tiles[i]->type);
        wide[i] = KILN_LOWER_ARRAY(l, LLVMValueRef, tiles[i]->count);
        for (uint32_t r = 0; r < tiles[i]->count; r++)
            wide[i][r] = to_computing_type(l, kiln_tile_value(l, tiles[i], r), type, computing);
    }
    bool is_integer = LLVMGetTypeKind(computing) == LLVMIntegerTypeKind;
    for (uint32_t r = 0; r < result->count; r++) {
        uint32_t flat_a, flat_b;
        kiln_lower_dot_corner(a, b, result, r, &flat_a, &flat_b);
        LLVMValueRef sum = to_computing_type(l, kiln_tile_value(l, c, r), result_type, computing);
        for (uint32_t k = 0; k < k_size; k++) {
            LLVMValueRef x = wide[0][kiln_layout_inverse_apply(&in_a, KILN_REGISTER, flat_a | k)];
            LLVMValueRef y =
                wide[1][kiln_layout_inverse_apply(&in_b, KILN_REGISTER, flat_b | k << k_shift_b)];
            if (is_integer) {
                sum = LLVMBuildAdd(l->builder, LLVMBuildMul(l->builder, x, y, ""), sum, "");
            } else {
                LLVMValueRef args[3] = {x, y, sum};
                sum = kiln_emit_intrinsic(l, "llvm.fma", &computing, 1, args, 3);
            }
        }
        if (computing != result->element)
            sum = kiln_type_bits(result_type) == 8
                      ? kiln_lower_narrow_float(l, sum, result_type)
                      : LLVMBuildFPCast(l->builder, sum, result->element, "");
        kiln_tile_set(result, r, sum, false);
    }
}

kiln_status_t kiln_lower_dot(kiln_lowering_t *l, MlirOperation op)
{
    kiln_tile_t *a = kiln_lower_operand(l, op, 0), *b = kiln_lower_operand(l, op, 1),
                *c = kiln_lower_operand(l, op, 2);
    kiln_tile_t *result = kiln_tile_create(l, mlirValueGetType(mlirOperationGetResult(op, 0)));
    if (l->failure || !result)
        return KILN_OK;
    switch (kiln_encoding_kind(kiln_type_encoding(result->type))) {
    case KILN_ENCODING_MFMA:
        KILN_TRY(kiln_lower_dot_mfma(l, op, a, b, c, result));
        break;
    case KILN_ENCODING_BLOCKED:
        lower_dot_fma(l, a, b, c, result);
        break;
    default:
        return kiln_op_unsupported(op, "a result layout other than MFMA and blocked");
    }
    kiln_lower_bind_result(l, op, 0, result);
    return KILN_OK;
}
