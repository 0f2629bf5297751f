// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates the operations declared in tile_ops.h.
#include "passes/rewrite/tile_ops.h"

static const MlirAttribute NO_LAYOUT = {NULL};

static int shape_of(MlirValue value, int64_t shape[KILN_MAX_RANK])
{
    MlirType type = mlirValueGetType(value);
    for (int i = 0; i < kiln_type_rank(type); ++i)
        shape[i] = kiln_type_dim(type, i);
    return kiln_type_rank(type);
}

static MlirType same_element(MlirValue value, int rank, const int64_t *shape)
{
    return kiln_type_tensor(rank, shape, kiln_type_element(mlirValueGetType(value)), NO_LAYOUT);
}

static MlirValue create(const kiln_ir_t *ir, kiln_op_t kind, MlirType result, int operand_count,
                        const MlirValue *operands, const char *name, MlirAttribute value)
{
    MlirNamedAttribute attribute;
    if (name)
        attribute = kiln_ir_named(ir->context, name, value);
    kiln_ir_op_t op = {.kind = kind,
                       .operand_count = operand_count,
                       .operands = operands,
                       .result_count = 1,
                       .results = &result,
                       .attribute_count = name ? 1 : 0,
                       .attributes = &attribute};
    return mlirOperationGetResult(kiln_ir_create(ir, &op), 0);
}

MlirValue kiln_tile_select(const kiln_ir_t *ir, MlirValue condition, MlirValue yes, MlirValue no)
{
    return create(ir, KILN_OP_ARITH_SELECT, mlirValueGetType(yes), 3,
                  (MlirValue[]){condition, yes, no}, NULL, NO_LAYOUT);
}

MlirValue kiln_tile_splat(const kiln_ir_t *ir, MlirType shape, MlirValue scalar)
{
    return kiln_ir_unary(ir, KILN_OP_TT_SPLAT,
                         kiln_type_with_element(shape, mlirValueGetType(scalar)), scalar);
}

MlirValue kiln_tile_broadcast(const kiln_ir_t *ir, MlirType shape, MlirValue value)
{
    MlirType type = kiln_type_with_element(shape, kiln_type_element(mlirValueGetType(value)));
    if (mlirTypeEqual(type, mlirValueGetType(value)))
        return value;
    return kiln_ir_unary(ir, KILN_OP_TT_BROADCAST, type, value);
}

MlirValue kiln_tile_expand_dims(const kiln_ir_t *ir, MlirValue value, int axis)
{
    int64_t shape[KILN_MAX_RANK];
    int rank = shape_of(value, shape);
    for (int i = rank; i > axis; --i)
        shape[i] = shape[i - 1];
    shape[axis] = 1;
    return kiln_ir_unary_attr(ir, KILN_OP_TT_EXPAND_DIMS, same_element(value, rank + 1, shape),
                              value, "axis", kiln_ir_i32_attr(ir->context, axis));
}

MlirValue kiln_tile_trans(const kiln_ir_t *ir, MlirValue value, const int32_t *order)
{
    int64_t shape[KILN_MAX_RANK], result[KILN_MAX_RANK];
    int rank = shape_of(value, shape);
    for (int i = 0; i < rank; ++i)
        result[i] = shape[order[i]];
    return kiln_ir_unary_attr(ir, KILN_OP_TT_TRANS, same_element(value, rank, result), value,
                              "order", mlirDenseI32ArrayGet(ir->context, rank, order));
}

MlirValue kiln_tile_reshape(const kiln_ir_t *ir, MlirValue value, int rank, const int64_t *shape)
{
    MlirType type = same_element(value, rank, shape);
    if (mlirTypeEqual(type, mlirValueGetType(value)))
        return value;
    return kiln_ir_unary(ir, KILN_OP_TT_RESHAPE, type, value);
}

MlirValue kiln_tile_join(const kiln_ir_t *ir, MlirValue a, MlirValue b)
{
    int64_t shape[KILN_MAX_RANK];
    int rank = shape_of(a, shape);
    shape[rank] = 2;
    return create(ir, KILN_OP_TT_JOIN, same_element(a, rank + 1, shape), 2, (MlirValue[]){a, b},
                  NULL, NO_LAYOUT);
}

MlirValue kiln_tile_cast(const kiln_ir_t *ir, kiln_op_t kind, MlirValue value, MlirType element)
{
    MlirType type = kiln_type_with_element(mlirValueGetType(value), element);
    return mlirTypeEqual(type, mlirValueGetType(value)) ? value
                                                        : kiln_ir_unary(ir, kind, type, value);
}

MlirValue kiln_tile_widen_e2m1(const kiln_ir_t *ir, MlirValue code, MlirType element)
{
    bool is_f16 = mlirTypeIsAF16(element);
    int mantissa_bits = is_f16 ? 10 : 7, bias = is_f16 ? 15 : 127;
    MlirType type = mlirValueGetType(code);
#define CONSTANT(n) kiln_ir_const_int(ir, type, n)
    MlirValue magnitude = kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, code, CONSTANT(7));
    MlirValue sign =
        kiln_ir_binary(ir, KILN_OP_ARITH_SHLI,
                       kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, code, CONSTANT(8)), CONSTANT(12));
    // Shifts exponent and mantissa together and corrects the bias; the only subnormal is 0.5.
    MlirValue moved =
        kiln_ir_binary(ir, KILN_OP_ARITH_SHLI, magnitude, CONSTANT(mantissa_bits - 1));
    MlirValue normal = kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, moved,
                                      CONSTANT((int64_t)(bias - 1) << mantissa_bits));
    MlirValue is_half = kiln_ir_compare(ir, KILN_CMPI_EQ, magnitude, CONSTANT(1));
    MlirValue is_zero = kiln_ir_compare(ir, KILN_CMPI_EQ, magnitude, CONSTANT(0));
    MlirValue bits =
        kiln_tile_select(ir, is_half, CONSTANT((int64_t)(bias - 1) << mantissa_bits), normal);
    bits = kiln_tile_select(ir, is_zero, CONSTANT(0), bits);
#undef CONSTANT
    return kiln_tile_cast(ir, KILN_OP_TT_BITCAST, kiln_ir_binary(ir, KILN_OP_ARITH_ORI, bits, sign),
                          element);
}

MlirValue kiln_tile_widen_e8m0(const kiln_ir_t *ir, MlirValue code, MlirType element)
{
    code = kiln_tile_cast(ir, KILN_OP_ARITH_EXTUI, code, mlirIntegerTypeGet(ir->context, 32));
    MlirType type = mlirValueGetType(code);
    MlirValue exponent =
        kiln_ir_binary(ir, KILN_OP_ARITH_SHLI, code, kiln_ir_const_int(ir, type, 23));
    MlirValue is_nan = kiln_ir_compare(ir, KILN_CMPI_EQ, code, kiln_ir_const_int(ir, type, 255));
    MlirValue is_least = kiln_ir_compare(ir, KILN_CMPI_EQ, code, kiln_ir_const_int(ir, type, 0));
    MlirValue bits = kiln_tile_select(ir, is_least, kiln_ir_const_int(ir, type, 1 << 22), exponent);
    bits = kiln_tile_select(ir, is_nan, kiln_ir_const_int(ir, type, 0x7FC00000), bits);
    MlirValue factor = kiln_tile_cast(ir, KILN_OP_TT_BITCAST, bits, mlirF32TypeGet(ir->context));
    return kiln_tile_cast(ir, KILN_OP_ARITH_TRUNCF, factor, element);
}

MlirValue kiln_tile_nothing(const kiln_ir_t *ir, MlirType type)
{
    MlirType element = kiln_type_element(type);
    if (mlirTypeIsAInteger(element) || mlirTypeIsAIndex(element))
        return kiln_ir_const_int(ir, type, 0);
    if (mlirTypeIsAFloat(element))
        return kiln_ir_const_float(ir, type, 0);
    if (kiln_type_is_ptr(element)) {
        MlirValue null = kiln_ir_const_int(
            ir, kiln_type_with_element(type, mlirIntegerTypeGet(ir->context, 64)), 0);
        return kiln_ir_unary(ir, KILN_OP_TT_INT_TO_PTR, type, null);
    }
    kiln_ir_op_t poison = {.kind = KILN_OP_UB_POISON, .result_count = 1, .results = &type};
    return kiln_op_result(kiln_ir_create(ir, &poison), 0);
}
