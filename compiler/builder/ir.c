// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates operations, constants and types through MLIR's C API; ir_read.c reads them.
//
// Note that MLIR stores an operation's inherent attributes in its properties, yet its C API sets
// and looks them up by name like other attributes.
#include "builder/ir.h"

static MlirStringRef string_ref(const char *text)
{
    return mlirStringRefCreateFromCString(text);
}

// Insertion points --------------------------------------------------------------------------------

kiln_ir_t kiln_ir_before(MlirOperation op)
{
    return (kiln_ir_t){mlirOperationGetContext(op), mlirOperationGetLocation(op),
                       mlirOperationGetBlock(op), op};
}

kiln_ir_t kiln_ir_after(MlirOperation op)
{
    kiln_ir_t ir = kiln_ir_before(op);
    ir.before = mlirOperationGetNextInBlock(op);
    return ir;
}

kiln_ir_t kiln_ir_at_start(MlirBlock block, MlirLocation loc)
{
    return (kiln_ir_t){mlirLocationGetContext(loc), loc, block, mlirBlockGetFirstOperation(block)};
}

kiln_ir_t kiln_ir_at_end(MlirBlock block, MlirLocation loc)
{
    return (kiln_ir_t){mlirLocationGetContext(loc), loc, block, {NULL}};
}

// Operations --------------------------------------------------------------------------------------

MlirOperation kiln_ir_create(const kiln_ir_t *ir, const kiln_ir_op_t *op)
{
    MlirOperationState state = mlirOperationStateGet(string_ref(kiln_op_name(op->kind)), ir->loc);
    if (op->result_count > 0)
        mlirOperationStateAddResults(&state, op->result_count, op->results);
    if (op->operand_count > 0)
        mlirOperationStateAddOperands(&state, op->operand_count, op->operands);
    if (op->attribute_count > 0)
        mlirOperationStateAddAttributes(&state, op->attribute_count, op->attributes);
    if (op->region_count > 0)
        mlirOperationStateAddOwnedRegions(&state, op->region_count, op->regions);
    MlirOperation made = mlirOperationCreate(&state);
    mlirBlockInsertOwnedOperationBefore(ir->block, ir->before, made);
    return made;
}

MlirValue kiln_ir_unary(const kiln_ir_t *ir, kiln_op_t kind, MlirType result, MlirValue a)
{
    kiln_ir_op_t op = {
        .kind = kind, .operand_count = 1, .operands = &a, .result_count = 1, .results = &result};
    return mlirOperationGetResult(kiln_ir_create(ir, &op), 0);
}

MlirValue kiln_ir_binary(const kiln_ir_t *ir, kiln_op_t kind, MlirValue a, MlirValue b)
{
    MlirValue operands[] = {a, b};
    MlirType result = mlirValueGetType(a);
    kiln_ir_op_t op = {.kind = kind,
                       .operand_count = 2,
                       .operands = operands,
                       .result_count = 1,
                       .results = &result};
    return mlirOperationGetResult(kiln_ir_create(ir, &op), 0);
}

MlirValue kiln_ir_unary_attr(const kiln_ir_t *ir, kiln_op_t kind, MlirType result, MlirValue a,
                             const char *name, MlirAttribute value)
{
    return mlirOperationGetResult(kiln_ir_with_attr(ir, kind, result, 1, &a, name, value), 0);
}

MlirOperation kiln_ir_with_attr(const kiln_ir_t *ir, kiln_op_t kind, MlirType result,
                                int operand_count, const MlirValue *operands, const char *name,
                                MlirAttribute value)
{
    const MlirNamedAttribute attribute = kiln_ir_named(ir->context, name, value);
    const kiln_ir_op_t op = {.kind = kind,
                             .operand_count = operand_count,
                             .operands = operands,
                             .result_count = mlirTypeIsNull(result) ? 0 : 1,
                             .results = &result,
                             .attribute_count = 1,
                             .attributes = &attribute};
    return kiln_ir_create(ir, &op);
}

static MlirValue constant(const kiln_ir_t *ir, MlirType type, MlirAttribute element)
{
    MlirAttribute value =
        kiln_type_is_tensor(type) ? mlirDenseElementsAttrSplatGet(type, element) : element;
    return mlirOperationGetResult(
        kiln_ir_with_attr(ir, KILN_OP_ARITH_CONSTANT, type, 0, NULL, "value", value), 0);
}

MlirValue kiln_ir_const_int(const kiln_ir_t *ir, MlirType type, int64_t value)
{
    return constant(ir, type, mlirIntegerAttrGet(kiln_type_element(type), value));
}

MlirValue kiln_ir_const_float(const kiln_ir_t *ir, MlirType type, double value)
{
    return constant(ir, type, mlirFloatAttrDoubleGet(ir->context, kiln_type_element(type), value));
}

// Attributes --------------------------------------------------------------------------------------

MlirNamedAttribute kiln_ir_named(MlirContext context, const char *name, MlirAttribute attribute)
{
    return mlirNamedAttributeGet(mlirIdentifierGet(context, string_ref(name)), attribute);
}

MlirAttribute kiln_ir_i32_attr(MlirContext context, int64_t value)
{
    return mlirIntegerAttrGet(mlirIntegerTypeGet(context, 32), value);
}

void kiln_ir_set_int_attr(MlirOperation op, const char *name, int value)
{
    mlirOperationSetDiscardableAttributeByName(
        op, mlirStringRefCreateFromCString(name),
        kiln_ir_i32_attr(mlirOperationGetContext(op), value));
}

// Types -------------------------------------------------------------------------------------------

MlirType kiln_type_element(MlirType type)
{
    return kiln_type_is_tensor(type) ? mlirShapedTypeGetElementType(type) : type;
}

MlirType kiln_type_tensor(int rank, const int64_t *shape, MlirType element, MlirAttribute encoding)
{
    return mlirRankedTensorTypeGet(rank, shape, element, encoding);
}

// The tensor type with another element type or encoding.
static MlirType tensor_like(MlirType tensor, MlirType element, MlirAttribute encoding)
{
    int64_t shape[KILN_MAX_RANK];
    int rank = kiln_type_rank(tensor);
    for (int d = 0; d < rank && d < KILN_MAX_RANK; d++)
        shape[d] = mlirShapedTypeGetDimSize(tensor, d);
    return kiln_type_tensor(rank, shape, element, encoding);
}

MlirType kiln_type_with_element(MlirType type, MlirType element)
{
    return kiln_type_is_tensor(type) ? tensor_like(type, element, kiln_type_encoding(type))
                                     : element;
}

MlirType kiln_type_with_encoding(MlirType tensor, MlirAttribute encoding)
{
    return tensor_like(tensor, kiln_type_element(tensor), encoding);
}

MlirAttribute kiln_type_encoding(MlirType tensor)
{
    return kiln_type_is_tensor(tensor) ? mlirRankedTensorTypeGetEncoding(tensor)
                                       : (MlirAttribute){NULL};
}

int kiln_type_rank(MlirType type)
{
    return kiln_type_is_tensor(type) ? (int)mlirShapedTypeGetRank(type) : 0;
}

int64_t kiln_type_dim(MlirType tensor, int dim)
{
    return mlirShapedTypeGetDimSize(tensor, dim);
}

int64_t kiln_type_count(MlirType type)
{
    int64_t count = 1;
    for (int d = 0; d < kiln_type_rank(type); d++)
        count *= kiln_type_dim(type, d);
    return count;
}

int kiln_type_bits(MlirType type)
{
    MlirType element = kiln_type_element(type);
    if (mlirTypeIsAInteger(element))
        return (int)mlirIntegerTypeGetWidth(element);
    if (mlirTypeIsAFloat(element))
        return (int)mlirFloatTypeGetWidth(element);
    return 64; // pointers and index
}
