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
// Integers of at most 256 are bf16 numbers, too. gfx942 computes in f32 instead and lacks an
// instruction that rounds to bf16, but cutting the lower half off is the same here:
//
//   %b = arith.truncf %d : f32 to bf16       →   %b = arith.truncf %d toward_zero : f32 to bf16
//
// A conversion of a sum or difference of such integers becomes one of floats:
//
//   %i = arith.subi %q, %zero : i32              %f = arith.sitofp %q : i32 to f16
//   %d = arith.sitofp %i : i32 to f16        →   %z = arith.sitofp %zero : i32 to f16
//                                                %d = arith.subf %f, %z : f16
//
// To f16, sums with a constant stay integers, and so do those of integers that are no bytes.
//
// Note that arithmetic with other uses stays in f32, or in integers, where they need it. What a
// splat or a broadcast repeats is small, so there other uses of the tile convert the f16 result
// back.
#include "analysis/range/integer_range.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"
#include "passes/rewrite/tile_ops.h"

enum {
    MAX_INTEGER = 2048, // up to which all are f16 numbers
    NO_INTEGER = MAX_INTEGER + 1,
    MAX_BFLOAT_INTEGER = 256, // up to which all are bf16 numbers
    MAX_VALUES = 64,          // that are visited for one result: views have several uses
    BYTE_BITS = 8,
};

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

// What no integer exceeds in magnitude, or NO_INTEGER.
static int magnitude_of(MlirValue integer, bool is_signed)
{
    const kiln_range_t range = kiln_range_nearby(integer);
    if (is_signed && range.signed_min >= -MAX_INTEGER && range.signed_max <= MAX_INTEGER)
        return (int)(range.signed_max > -range.signed_min ? range.signed_max : -range.signed_min);
    return !is_signed && range.unsigned_max <= MAX_INTEGER ? (int)range.unsigned_max : NO_INTEGER;
}

// Whether every element of an f32 value is an f16 number. If they are integers, *out is what none
// of them exceeds in magnitude, else NO_INTEGER. *io_left is how many values may still be visited.
static bool find_half(MlirValue value, int *io_left, int *out)
{
    MlirOperation op;
    double constant;
    int a, b;
    const kiln_op_t kind = kiln_value_op(value, &op);
    *out = NO_INTEGER;
    if (--*io_left < 0)
        return false;
    if (kind == KILN_OP_ARITH_EXTF)
        return mlirTypeIsAF16(kiln_type_element(mlirValueGetType(kiln_op_operand(op, 0))));
    if (kind == KILN_OP_ARITH_SITOFP || kind == KILN_OP_ARITH_UITOFP) {
        *out = magnitude_of(kiln_op_operand(op, 0), kind == KILN_OP_ARITH_SITOFP);
    } else if (kind == KILN_OP_ARITH_CONSTANT && constant_of(op, &constant)) {
        if (constant >= -MAX_INTEGER && constant <= MAX_INTEGER && constant == (int)constant)
            *out = constant < 0 ? -(int)constant : (int)constant;
    } else if (is_view(kind)) {
        return find_half(kiln_op_operand(op, 0), io_left, out);
    } else if (is_arithmetic(kind) && kiln_value_has_one_use(value) &&
               find_half(kiln_op_operand(op, 0), io_left, &a) && a != NO_INTEGER &&
               find_half(kiln_op_operand(op, 1), io_left, &b) && b != NO_INTEGER) {
        const int most = kind == KILN_OP_ARITH_MULF ? a * b : a + b;
        *out = most <= MAX_INTEGER ? most : NO_INTEGER;
    }
    return *out != NO_INTEGER;
}

static bool is_half(MlirValue value, int *out)
{
    int left = MAX_VALUES;
    return find_half(value, &left, out);
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

static void narrow_rounded(MlirOperation op)
{
    MlirOperation rounded;
    int magnitude;
    MlirValue wide = kiln_op_operand(op, 0);
    if (!is_arithmetic(kiln_value_op(wide, &rounded)) || !kiln_value_has_one_use(wide) ||
        !is_half(kiln_op_operand(rounded, 0), &magnitude) ||
        !is_half(kiln_op_operand(rounded, 1), &magnitude))
        return;
    kiln_ir_t ir = kiln_ir_before(op);
    MlirValue a = narrow(kiln_op_operand(rounded, 0));
    MlirValue b = narrow(kiln_op_operand(rounded, 1));
    MlirValue result = kiln_ir_binary(&ir, kiln_op_kind(rounded), a, b);
    if (kiln_op_kind(rounded) == KILN_OP_ARITH_MULF)
        mlirOperationSetDiscardableAttributeByName(
            mlirOpResultGetOwner(result), mlirStringRefCreateFromCString(KILN_PRODUCT_IS_ROUNDED),
            mlirUnitAttrGet(ir.context));
    kiln_value_replace(kiln_op_result(op, 0), result);
}

// Truncations ------------------------------------------------------------------------------------

static void cut(MlirOperation truncation)
{
    enum { TOWARD_ZERO = 3 };
    mlirOperationSetAttributeByName(
        truncation, mlirStringRefCreateFromCString("roundingmode"),
        kiln_ir_i32_attr(mlirOperationGetContext(truncation), TOWARD_ZERO));
}

static void visit_truncation(MlirOperation op)
{
    const MlirType to = kiln_type_element(mlirValueGetType(kiln_op_result(op, 0)));
    int magnitude;
    if (!mlirTypeIsAF32(kiln_type_element(mlirValueGetType(kiln_op_operand(op, 0)))) ||
        !mlirAttributeIsNull(kiln_ir_attr(op, "roundingmode")))
        return;
    if (mlirTypeIsAF16(to))
        narrow_rounded(op);
    else if (mlirTypeIsABF16(to) && is_half(kiln_op_operand(op, 0), &magnitude) &&
             magnitude <= MAX_BFLOAT_INTEGER)
        cut(op);
}

// Conversions of integers ------------------------------------------------------------------------

// The operation whose result is the integer, if it is a sum or difference that never exceeds `most`
// in magnitude and has no other uses; null otherwise.
static MlirOperation small_sum(MlirValue integer, int most)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(integer, &op);
    if ((kind != KILN_OP_ARITH_ADDI && kind != KILN_OP_ARITH_SUBI) ||
        !kiln_value_has_one_use(integer))
        return (MlirOperation){NULL};
    const int bound = magnitude_of(kiln_op_operand(op, 0), true) +
                      magnitude_of(kiln_op_operand(op, 1), true),
              bits = kiln_type_bits(kiln_type_element(mlirValueGetType(integer)));
    const bool may_wrap = bits < 32 && bound >= 1 << (bits - 1);
    return bound > most || may_wrap ? (MlirOperation){NULL} : op;
}

// Whether the integers are bytes, or masked or shifted ones, of which codegen/ir/pair_bytes.c
// converts two at once.
static bool are_bytes(MlirValue integer)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(integer, &op);
    while (kind == KILN_OP_ARITH_EXTUI || kind == KILN_OP_ARITH_ANDI ||
           kind == KILN_OP_ARITH_SHRUI || kind == KILN_OP_ARITH_SHRSI) {
        integer = kiln_op_operand(op, 0);
        kind = kiln_value_op(integer, &op);
    }
    return kiln_type_bits(kiln_type_element(mlirValueGetType(integer))) == BYTE_BITS;
}

// Whether the sum or difference takes less in f16: LLVM adds constants before it converts, anyway.
static bool gains_in_half(MlirOperation sum)
{
    MlirOperation op;
    return kiln_value_op(kiln_op_operand(sum, 0), &op) != KILN_OP_ARITH_CONSTANT &&
           kiln_value_op(kiln_op_operand(sum, 1), &op) != KILN_OP_ARITH_CONSTANT &&
           are_bytes(kiln_op_operand(sum, 0));
}

static MlirValue converted(const kiln_ir_t *ir, MlirValue integer, MlirType element, int most)
{
    const MlirOperation sum = small_sum(integer, most);
    if (mlirOperationIsNull(sum))
        return kiln_ir_unary(ir, KILN_OP_ARITH_SITOFP,
                             kiln_type_with_element(mlirValueGetType(integer), element), integer);
    return kiln_ir_binary(
        ir, kiln_op_kind(sum) == KILN_OP_ARITH_ADDI ? KILN_OP_ARITH_ADDF : KILN_OP_ARITH_SUBF,
        converted(ir, kiln_op_operand(sum, 0), element, most),
        converted(ir, kiln_op_operand(sum, 1), element, most));
}

// Integers of at most 8 bits become bf16 without rounding in codegen/ir/round_bfloats.c.
static void visit_conversion(MlirOperation op)
{
    const kiln_ir_t ir = kiln_ir_before(op);
    const MlirType type = mlirValueGetType(kiln_op_result(op, 0)), to = kiln_type_element(type);
    const MlirValue integer = kiln_op_operand(op, 0);
    const bool is_bfloat = mlirTypeIsABF16(to),
               is_signed = kiln_op_kind(op) == KILN_OP_ARITH_SITOFP;
    if (!is_bfloat && !mlirTypeIsAF16(to))
        return;
    const MlirType element = is_bfloat ? mlirF32TypeGet(ir.context) : to;
    const int most = is_bfloat ? MAX_BFLOAT_INTEGER : MAX_INTEGER;
    const int bits = kiln_type_bits(kiln_type_element(mlirValueGetType(integer)));
    const MlirOperation sum = is_signed ? small_sum(integer, most) : (MlirOperation){NULL};
    MlirValue result;
    if (!mlirOperationIsNull(sum) && (is_bfloat || gains_in_half(sum)))
        result = converted(&ir, integer, element, most);
    else if (is_bfloat && bits > BYTE_BITS && magnitude_of(integer, is_signed) <= most)
        result =
            kiln_ir_unary(&ir, kiln_op_kind(op), kiln_type_with_element(type, element), integer);
    else
        return;
    if (is_bfloat) {
        result = kiln_ir_unary(&ir, KILN_OP_ARITH_TRUNCF, type, result);
        cut(mlirOpResultGetOwner(result));
    }
    kiln_value_replace(kiln_op_result(op, 0), result);
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    (void)user;
    const kiln_op_t kind = kiln_op_kind(op);
    if (kind == KILN_OP_ARITH_TRUNCF)
        visit_truncation(op);
    else if (kind == KILN_OP_ARITH_SITOFP || kind == KILN_OP_ARITH_UITOFP)
        visit_conversion(op);
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_narrow_arithmetic(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, visit, NULL);
    return KILN_OK;
}
