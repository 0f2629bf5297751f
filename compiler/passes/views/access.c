// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes addresses of a block's elements: for each dimension a tensor of indices, broadcast along
// the others.
//
//   index_d   = splat(first_d) + range(shape_d)               tensor<S_d>, then tensor<1×…×S_d×…×1>
//   pointers  = base + Σ_d broadcast(index_d · stride_d)
//   mask      = ∧_d broadcast(0 ≤ index_d ∧ index_d < size_d)
//
// Everything is computed in 64 bits, since a tensor may be larger than 2 GiB.
#include "passes/views/access.h"

#include "passes/rewrite/tile_ops.h"

static MlirType i64_type(const kiln_ir_t *ir)
{
    return mlirIntegerTypeGet(ir->context, 64);
}

MlirValue kiln_ir_to_i64(const kiln_ir_t *ir, MlirValue value)
{
    return kiln_tile_cast(ir, KILN_OP_ARITH_EXTSI, value, i64_type(ir));
}

// Returns first, first + 1, … as tensor<length×i64>.
static MlirValue range_from(const kiln_ir_t *ir, MlirValue first, int64_t length)
{
    MlirType i32 = mlirIntegerTypeGet(ir->context, 32);
    MlirType type = kiln_type_tensor(1, &length, i32, (MlirAttribute){NULL});
    MlirNamedAttribute bounds[] = {
        kiln_ir_named(ir->context, "start", kiln_ir_i32_attr(ir->context, 0)),
        kiln_ir_named(ir->context, "end", kiln_ir_i32_attr(ir->context, length))};
    kiln_ir_op_t range = {.kind = KILN_OP_TT_MAKE_RANGE,
                          .result_count = 1,
                          .results = &type,
                          .attribute_count = 2,
                          .attributes = bounds};
    MlirValue steps = kiln_ir_to_i64(ir, mlirOperationGetResult(kiln_ir_create(ir, &range), 0));
    return kiln_ir_binary(ir, KILN_OP_ARITH_ADDI,
                          kiln_tile_splat(ir, mlirValueGetType(steps), first), steps);
}

// Expands tensor<S> to dimension `dim` of `rank`: tensor<1×…×S×…×1>. Dimensions before it are added
// first.
static MlirValue along(const kiln_ir_t *ir, MlirValue value, int dim, int rank)
{
    for (int made = 1; made < rank; ++made)
        value = kiln_tile_expand_dims(ir, value, made <= dim ? 0 : made);
    return value;
}

static MlirValue in_bounds(const kiln_ir_t *ir, MlirValue index, MlirValue size)
{
    MlirType type = mlirValueGetType(index);
    MlirValue from = kiln_ir_compare(ir, KILN_CMPI_SGE, index, kiln_ir_const_int(ir, type, 0));
    MlirValue below = kiln_ir_compare(ir, KILN_CMPI_SLT, index, kiln_tile_splat(ir, type, size));
    return kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, from, below);
}

kiln_tensor_access_t kiln_tensor_access(const kiln_ir_t *ir, const kiln_tensor_view_t *view,
                                        MlirType type, const MlirValue *indices, uint32_t checked)
{
    kiln_tensor_access_t access = {
        .type = type, .pointers = kiln_tile_splat(ir, type, view->base), .mask = {NULL}};
    for (int dim = 0; dim < view->rank; ++dim) {
        MlirValue index = indices[dim];
        index = kiln_type_is_tensor(mlirValueGetType(index))
                    ? kiln_ir_to_i64(ir, index)
                    : range_from(ir, index, kiln_type_dim(type, dim));
        index = along(ir, index, dim, view->rank);
        MlirValue scaled =
            kiln_ir_binary(ir, KILN_OP_ARITH_MULI, index,
                           kiln_tile_splat(ir, mlirValueGetType(index), view->strides[dim]));
        access.pointers = kiln_ir_binary(ir, KILN_OP_TT_ADDPTR, access.pointers,
                                         kiln_tile_broadcast(ir, type, scaled));
        if (!(checked & 1u << dim))
            continue;
        MlirValue inside = kiln_tile_broadcast(ir, type, in_bounds(ir, index, view->sizes[dim]));
        access.mask = mlirValueIsNull(access.mask)
                          ? inside
                          : kiln_ir_binary(ir, KILN_OP_ARITH_ANDI, access.mask, inside);
    }
    return access;
}
