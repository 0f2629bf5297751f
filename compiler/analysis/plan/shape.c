// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans operations that change a tensor's shape or layout; see shape.h.
//
// Note that a slice layout has fewer registers than its parent, so even expand_dims maps registers.
#include "analysis/plan/shape.h"

#include "builder/ir.h"
#include "layout/rearrange.h"

kiln_status_t kiln_plan_shape(MlirOperation op, int num_warps, kiln_layout_t *from,
                              kiln_layout_t *to)
{
    int64_t shape[KILN_MAX_RANK];
    int32_t order[KILN_MAX_RANK];
    KILN_TRY(kiln_layout_of_type(mlirValueGetType(kiln_op_operand(op, 0)), num_warps, from));
    KILN_TRY(kiln_layout_of_type(mlirValueGetType(kiln_op_result(op, 0)), num_warps, to));
    switch (kiln_op_kind(op)) {
    case KILN_OP_TT_EXPAND_DIMS:
        *from = kiln_layout_expand_dims(from, (int)kiln_ir_int_attr(op, "axis", 0));
        break;
    case KILN_OP_TT_TRANS: {
        MlirAttribute attribute = kiln_ir_attr(op, "order");
        for (int d = 0; d < from->rank; d++)
            order[d] = mlirDenseI32ArrayGetElement(attribute, d);
        *from = kiln_layout_transpose(from, order);
        break;
    }
    case KILN_OP_TT_RESHAPE:
        for (int d = 0; d < to->rank; d++)
            shape[d] = INT64_C(1) << to->log2_shape[d];
        *from = kiln_layout_reshape(from, to->rank, shape);
        break;
    case KILN_OP_TT_BROADCAST: // the result's layout without the dimensions that the source lacks
        *to = kiln_layout_project(to, from);
        break;
    case KILN_OP_TT_JOIN:
        *from = kiln_layout_append_pair(from);
        break;
    case KILN_OP_TT_SPLIT:
        *to = kiln_layout_append_pair(to);
        break;
    case KILN_OP_TT_CAT: // the second tensor becomes one more register bit, along dimension 0
        from->log2_shape[0]++;
        from->basis[KILN_REGISTER][from->bits[KILN_REGISTER]++] =
            1u << (kiln_layout_shift(from, 0) + from->log2_shape[0] - 1);
        break;
    default: // ttg.convert_layout: the layouts of the types
        break;
    }
    return KILN_OK;
}
