// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks places through operations that only reshape; see place.h. A broadcast dimension stays a
// dimension, although all its elements are equal.
#include "analysis/range/place.h"

#include <mlir-c/BuiltinAttributes.h>

bool kiln_place_begin(MlirValue value, kiln_place_t *out)
{
    *out = (kiln_place_t){.rank = kiln_type_rank(mlirValueGetType(value))};
    for (int d = 0; d < out->rank && d < KILN_PLACE_MAX_DIMS; d++)
        out->dim[d] = d;
    return out->rank < KILN_PLACE_MAX_DIMS;
}

bool kiln_place_equal(const kiln_place_t *a, const kiln_place_t *b)
{
    bool same = a->rank == b->rank;
    for (int d = 0; d < a->rank && same; d++)
        same = a->dim[d] == b->dim[d];
    return same;
}

bool kiln_place_of_operand(MlirOperation op, const kiln_place_t *result, kiln_place_t *out)
{
    const kiln_op_t kind = kiln_op_kind(op);
    const int64_t expanded = kind == KILN_OP_TT_EXPAND_DIMS ? kiln_ir_int_attr(op, "axis", 0) : -1;
    kiln_place_t place = {0};
    switch (kind) {
    case KILN_OP_TT_SPLAT:
        break;
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TTG_CONVERT_LAYOUT:
        for (int d = 0; d < result->rank; d++)
            if (d != expanded)
                place.dim[place.rank++] = result->dim[d];
        break;
    default:
        return false;
    }
    *out = place;
    return true;
}
