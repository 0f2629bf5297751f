// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encodings through element-wise operations, broadcasts, expand_dims, reductions and
// transpositions.
#include "layout/infer.h"

#include "builder/ir.h"
#include "builder/op_facts.h"
#include "layout/blocked.h"

bool kiln_op_is_elementwise(kiln_op_t kind)
{
    return kiln_op_has(kind, KILN_ELEMENTWISE);
}

bool kiln_op_is_leaf(kiln_op_t kind)
{
    return kiln_op_has(kind, KILN_LEAF);
}

static int axis_of(MlirOperation op)
{
    return (int)kiln_ir_int_attr(op, "axis", 0);
}

typedef enum trans_direction { TRANS_FORWARD, TRANS_BACKWARD } trans_direction_t;

static bool transpose_blocked(MlirOperation op, MlirAttribute encoding, trans_direction_t direction,
                              MlirAttribute *out)
{
    if (kiln_encoding_kind(encoding) != KILN_ENCODING_BLOCKED)
        return false;
    kiln_blocked_t blocked = kiln_blocked_get(encoding);
    MlirAttribute order = kiln_ir_attr(op, "order");
    int32_t dims[KILN_MAX_RANK];
    for (int i = 0; i < blocked.rank; ++i) {
        int dim = mlirDenseI32ArrayGetElement(order, i);
        if (direction == TRANS_FORWARD)
            dims[i] = dim;
        else
            dims[dim] = i;
    }
    blocked = kiln_blocked_transpose(&blocked, dims);
    *out = kiln_blocked_attr(mlirAttributeGetContext(encoding), &blocked);
    return true;
}

bool kiln_infer_result_encoding(MlirOperation op, MlirAttribute operand, MlirAttribute *out)
{
    kiln_op_t kind = kiln_op_kind(op);
    if (kiln_op_is_elementwise(kind) || kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_SCAN) {
        *out = operand;
        return true;
    }
    switch (kind) {
    case KILN_OP_TT_EXPAND_DIMS:
        if (kiln_encoding_kind(operand) != KILN_ENCODING_SLICE ||
            kiln_slice_dim(operand) != axis_of(op))
            return false;
        *out = kiln_slice_parent(operand);
        return true;
    case KILN_OP_TT_REDUCE:
        *out = kiln_slice_attr(axis_of(op), operand);
        return true;
    case KILN_OP_TT_TRANS:
        return transpose_blocked(op, operand, TRANS_FORWARD, out);
    default:
        return false;
    }
}

bool kiln_infer_operand_encoding(MlirOperation op, MlirAttribute result, MlirAttribute *out)
{
    kiln_op_t kind = kiln_op_kind(op);
    if (kiln_op_is_elementwise(kind) || kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_SCAN) {
        *out = result;
        return true;
    }
    switch (kind) {
    case KILN_OP_TT_EXPAND_DIMS:
        *out = kiln_slice_attr(axis_of(op), result);
        return true;
    case KILN_OP_TT_REDUCE:
        if (kiln_encoding_kind(result) != KILN_ENCODING_SLICE ||
            kiln_slice_dim(result) != axis_of(op))
            return false;
        *out = kiln_slice_parent(result);
        return true;
    case KILN_OP_TT_TRANS:
        return transpose_blocked(op, result, TRANS_BACKWARD, out);
    default:
        return false;
    }
}
