// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of a block's elements: for each dimension a tensor of indices, stretched along the others.
//
//   index_d   = splat(first_d) + range(shape_d)               tensor<S_d>, then tensor<1×…×S_d×…×1>
//   pointers  = base + Σ_d broadcast(index_d · stride_d)
//   mask      = ∧_d broadcast(0 ≤ index_d ∧ index_d < size_d)
//
// The thing one gets wrong: all of it is computed in 64 bits, as a tensor may be larger than 2 GiB.
#include "passes/tensor_access.h"

enum { CMPI_SLT = 2, CMPI_SGE = 5 };

static MlirType i64_type(const kiln_ir_t *ir)
{
    return mlirIntegerTypeGet(ir->context, 64);
}

MlirValue kiln_ir_to_i64(const kiln_ir_t *ir, MlirValue value)
{
    MlirType wide = kiln_type_with_element(mlirValueGetType(value), i64_type(ir));
    if (mlirTypeEqual(wide, mlirValueGetType(value)))
        return value;
    return kiln_ir_unary(ir, KILN_OP_ARITH_EXTSI, wide, value);
}

static MlirValue splat(const kiln_ir_t *ir, MlirType tensor, MlirValue scalar)
{
    return kiln_ir_unary(ir, KILN_OP_TT_SPLAT, kiln_type_with_element(tensor, mlirValueGetType(scalar)), scalar);
}

// first, first + 1, … as tensor<length×i64>.
static MlirValue range_from(const kiln_ir_t *ir, MlirValue first, int64_t length)
{
    MlirType i32 = mlirIntegerTypeGet(ir->context, 32);
    MlirType type = kiln_type_tensor(1, &length, i32, (MlirAttribute){NULL});
    MlirNamedAttribute bounds[] = {kiln_ir_named(ir->context, "start", kiln_ir_i32_attr(ir->context, 0)),
                                   kiln_ir_named(ir->context, "end", kiln_ir_i32_attr(ir->context, length))};
    kiln_ir_op_t range = {
        .kind = KILN_OP_TT_MAKE_RANGE, .result_count = 1, .results = &type, .attribute_count = 2, .attributes = bounds};
    MlirValue steps = kiln_ir_to_i64(ir, mlirOperationGetResult(kiln_ir_create(ir, &range), 0));
    return kiln_ir_binary(ir, KILN_OP_ARITH_ADDI, splat(ir, mlirValueGetType(steps), first), steps);
}

// tensor<S> as dimension `dim` of `rank`: tensor<1×…×S×…×1>. Dimensions before it are added first.
static MlirValue along(const kiln_ir_t *ir, MlirValue value, int dim, int rank)
{
    MlirType element = kiln_type_element(mlirValueGetType(value));
    int64_t length = kiln_type_dim(mlirValueGetType(value), 0);
    for (int made = 1; made < rank; ++made) {
        int axis = made <= dim ? 0 : made, at = made <= dim ? made : dim;
        int64_t shape[KILN_MAX_RANK];
        for (int i = 0; i <= made; ++i)
            shape[i] = i == at ? length : 1;
        MlirType type = kiln_type_tensor(made + 1, shape, element, (MlirAttribute){NULL});
        value =
            kiln_ir_unary_attr(ir, KILN_OP_TT_EXPAND_DIMS, type, value, "axis", kiln_ir_i32_attr(ir->context, axis));
    }
    return value;
}

static MlirValue broadcast(const kiln_ir_t *ir, MlirType shape, MlirValue value)
{
    MlirType type = kiln_type_with_element(shape, kiln_type_element(mlirValueGetType(value)));
    if (mlirTypeEqual(type, mlirValueGetType(value)))
        return value;
    return kiln_ir_unary(ir, KILN_OP_TT_BROADCAST, type, value);
}

static MlirValue compare(const kiln_ir_t *ir, int64_t predicate, MlirValue a, MlirValue b)
{
    MlirNamedAttribute attribute =
        kiln_ir_named(ir->context, "predicate", mlirIntegerAttrGet(mlirIntegerTypeGet(ir->context, 64), predicate));
    MlirType type = kiln_type_with_element(mlirValueGetType(a), mlirIntegerTypeGet(ir->context, 1));
    MlirValue operands[] = {a, b};
    kiln_ir_op_t op = {.kind = KILN_OP_ARITH_CMPI,
                       .operand_count = 2,
                       .operands = operands,
                       .result_count = 1,
                       .results = &type,
                       .attribute_count = 1,
                       .attributes = &attribute};
    return mlirOperationGetResult(kiln_ir_create(ir, &op), 0);
}

static MlirValue in_bounds(const kiln_ir_t *ir, MlirValue index, MlirValue size)
{
    MlirType type = mlirValueGetType(index);
    MlirValue from = compare(ir, CMPI_SGE, index, kiln_ir_const_int(ir, type, 0));
    MlirValue below = compare(ir, CMPI_SLT, index, splat(ir, type, size));
    return kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, from, below);
}

kiln_tensor_access_t kiln_tensor_access(const kiln_ir_t *ir, const kiln_tensor_view_t *view, MlirType type,
                                        const MlirValue *indices, uint32_t checked)
{
    kiln_tensor_access_t access = {.type = type, .pointers = splat(ir, type, view->base), .mask = {NULL}};
    for (int dim = 0; dim < view->rank; ++dim) {
        MlirValue index = indices[dim];
        index = kiln_type_is_tensor(mlirValueGetType(index)) ? kiln_ir_to_i64(ir, index)
                                                             : range_from(ir, index, kiln_type_dim(type, dim));
        index = along(ir, index, dim, view->rank);
        MlirValue scaled =
            kiln_ir_binary(ir, KILN_OP_ARITH_MULI, index, splat(ir, mlirValueGetType(index), view->strides[dim]));
        access.pointers = kiln_ir_binary(ir, KILN_OP_TT_ADDPTR, access.pointers, broadcast(ir, type, scaled));
        if (!(checked & 1u << dim))
            continue;
        MlirValue inside = broadcast(ir, type, in_bounds(ir, index, view->sizes[dim]));
        access.mask =
            mlirValueIsNull(access.mask) ? inside : kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, access.mask, inside);
    }
    return access;
}
