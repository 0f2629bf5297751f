// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes in f16 what is computed in f32 from numbers that are f16 numbers, too, and rounded to
// f16 at once, as in 4-bit weights. Two f16 fit in a register, and one instruction computes both:
//
//   %f = arith.sitofp %q : i32 to f32
//   %s = arith.extf %scale : f16 to f32          %f = arith.sitofp %q : i32 to f16
//   %d = arith.subf %f, %z : f32            →    %d = arith.subf %f, %z' : f16
//   %w = arith.mulf %d, %s : f32                 %w = arith.mulf %d, %scale : f16
//   %h = arith.truncf %w : f32 to f16
//
// The results are the same. A sum, a difference, or a product of f16 numbers that is rounded to f32
// and then to f16 is that rounded to f16 at once, because f32 has 2 * 11 + 2 bits (Figueroa, "When
// is double rounding innocuous?", 1995). Operations whose result is not rounded must be exact in
// f16: those on integers, with a result of at most 2048.
//
// A product that is rounded must stay rounded: a mark keeps it from being fused with a sum that
// uses it. Products that are not rounded are exact, so fusing them changes nothing.
//
// Note that arithmetic with other uses stays in f32, where they need it. What a splat or a
// broadcast repeats is small, so there other uses of the tile convert the f16 result back.
#include "analysis/range/integer_range.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"
#include "passes/rewrite/tile_ops.h"

enum { MAX_INTEGER = 2048, NO_INTEGER = MAX_INTEGER + 1, MAX_DEPTH = 32 };

static bool is_arithmetic(kiln_op_t kind)
{
    return kind == KILN_OP_ARITH_ADDF || kind == KILN_OP_ARITH_SUBF || kind == KILN_OP_ARITH_MULF;
}

static bool is_view(kiln_op_t kind)
{
    return kind == KILN_OP_TT_SPLAT || kind == KILN_OP_TT_BROADCAST ||
           kind == KILN_OP_TT_EXPAND_DIMS;
}

static bool constant_of(MlirOperation op, double *out)
{
    MlirAttribute value = kiln_ir_attr(op, "value");
    if (mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value))
        value = mlirDenseElementsAttrGetSplatValue(value);
    if (!mlirAttributeIsAFloat(value))
        return false;
    *out = mlirFloatAttrGetValueDouble(value);
    return true;
}

static int magnitude_of(MlirOperation conversion)
{
    const kiln_range_t range = kiln_range_nearby(kiln_op_operand(conversion, 0));
    const bool is_signed = kiln_op_kind(conversion) == KILN_OP_ARITH_SITOFP;
    if (is_signed && range.signed_min >= -MAX_INTEGER && range.signed_max <= MAX_INTEGER)
        return (int)(range.signed_max > -range.signed_min ? range.signed_max : -range.signed_min);
    return !is_signed && range.unsigned_max <= MAX_INTEGER ? (int)range.unsigned_max : NO_INTEGER;
}

// Whether every element of an f32 value is an f16 number. If they are integers, *out is what none
// of them exceeds in magnitude, else NO_INTEGER.
static bool is_half(MlirValue value, int depth, int *out)
{
    MlirOperation op;
    double constant;
    int a, b;
    const kiln_op_t kind = kiln_value_op(value, &op);
    *out = NO_INTEGER;
    if (depth == MAX_DEPTH)
        return false;
    if (kind == KILN_OP_ARITH_EXTF)
        return mlirTypeIsAF16(kiln_type_element(mlirValueGetType(kiln_op_operand(op, 0))));
    if (kind == KILN_OP_ARITH_SITOFP || kind == KILN_OP_ARITH_UITOFP) {
        *out = magnitude_of(op);
    } else if (kind == KILN_OP_ARITH_CONSTANT && constant_of(op, &constant)) {
        if (constant >= -MAX_INTEGER && constant <= MAX_INTEGER && constant == (int)constant)
            *out = constant < 0 ? -(int)constant : (int)constant;
    } else if (is_view(kind)) {
        return is_half(kiln_op_operand(op, 0), depth + 1, out);
    } else if (is_arithmetic(kind) && kiln_value_has_one_use(value) &&
               is_half(kiln_op_operand(op, 0), depth + 1, &a) && a != NO_INTEGER &&
               is_half(kiln_op_operand(op, 1), depth + 1, &b) && b != NO_INTEGER) {
        const int most = kind == KILN_OP_ARITH_MULF ? a * b : a + b;
        *out = most <= MAX_INTEGER ? most : NO_INTEGER;
    }
    return *out != NO_INTEGER;
}

// The same numbers as f16, of a value that is_half. They are computed where the value is, so that
// its other uses can have them.
static MlirValue narrow(MlirValue value)
{
    MlirOperation op;
    double constant;
    const kiln_op_t kind = kiln_value_op(value, &op);
    const kiln_ir_t ir = kiln_ir_before(op);
    const MlirType wide = mlirValueGetType(value),
                   type = kiln_type_with_element(wide, mlirF16TypeGet(ir.context));
    if (kind == KILN_OP_ARITH_EXTF)
        return kiln_op_operand(op, 0);
    if (kind == KILN_OP_ARITH_CONSTANT && constant_of(op, &constant))
        return kiln_ir_const_float(&ir, type, constant);
    if (kind == KILN_OP_ARITH_SITOFP || kind == KILN_OP_ARITH_UITOFP)
        return kiln_ir_unary(&ir, kind, type, kiln_op_operand(op, 0));
    MlirValue a = narrow(kiln_op_operand(op, 0));
    if (kind == KILN_OP_TT_SPLAT)
        return kiln_tile_splat(&ir, type, a);
    if (kind == KILN_OP_TT_BROADCAST)
        return kiln_tile_broadcast(&ir, type, a);
    if (kind == KILN_OP_TT_EXPAND_DIMS)
        return kiln_tile_expand_dims(&ir, a, (int)kiln_ir_int_attr(op, "axis", 0));
    MlirValue result = kiln_ir_binary(&ir, kind, a, narrow(kiln_op_operand(op, 1)));
    kiln_value_replace(value, kiln_ir_unary(&ir, KILN_OP_ARITH_EXTF, wide, result));
    return result;
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    (void)user;
    MlirOperation rounded;
    int magnitude;
    if (kiln_op_kind(op) != KILN_OP_ARITH_TRUNCF ||
        !mlirTypeIsAF16(kiln_type_element(mlirValueGetType(kiln_op_result(op, 0)))) ||
        !mlirTypeIsAF32(kiln_type_element(mlirValueGetType(kiln_op_operand(op, 0)))) ||
        !mlirAttributeIsNull(kiln_ir_attr(op, "roundingmode")))
        return MlirWalkResultAdvance;
    MlirValue wide = kiln_op_operand(op, 0);
    if (!is_arithmetic(kiln_value_op(wide, &rounded)) || !kiln_value_has_one_use(wide) ||
        !is_half(kiln_op_operand(rounded, 0), 0, &magnitude) ||
        !is_half(kiln_op_operand(rounded, 1), 0, &magnitude))
        return MlirWalkResultAdvance;
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue a = narrow(kiln_op_operand(rounded, 0));
    MlirValue b = narrow(kiln_op_operand(rounded, 1));
    MlirValue result = kiln_ir_binary(&ir, kiln_op_kind(rounded), a, b);
    if (kiln_op_kind(rounded) == KILN_OP_ARITH_MULF)
        mlirOperationSetDiscardableAttributeByName(
            mlirOpResultGetOwner(result), mlirStringRefCreateFromCString(KILN_PRODUCT_IS_ROUNDED),
            mlirUnitAttrGet(ir.context));
    kiln_value_replace(kiln_op_result(op, 0), result);
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_narrow_arithmetic(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, visit, NULL);
    return KILN_OK;
}
