// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures the widths of accesses; see access_widths.h.
#include "passes/rewrite/access_widths.h"

#include "builder/ir.h"

static int64_t equal_along(const kiln_axis_analysis_t *axis, MlirValue pointers, MlirValue mask,
                           int dim)
{
    const int64_t equal = kiln_axis_info(axis, pointers).constancy[dim],
                  masked = kiln_axis_mask_alignment(axis, mask, dim);
    return equal < masked ? equal : masked;
}

static MlirWalkResult measure_access(MlirOperation op, void *user)
{
    kiln_access_widths_t *widths = user;
    kiln_op_t kind = kiln_op_kind(op);
    if ((kind != KILN_OP_TT_LOAD && kind != KILN_OP_TT_STORE) ||
        widths->count == KILN_ACCESS_WIDTHS_MAX)
        return MlirWalkResultAdvance;
    MlirValue pointers = kiln_op_operand(op, 0),
              mask = kiln_op_segment(op, kind == KILN_OP_TT_LOAD ? 1 : 2);
    MlirType type = mlirValueGetType(pointers);
    int64_t best = 1;
    for (int d = 0; kiln_type_is_tensor(type) && d < kiln_type_rank(type); d++) {
        const kiln_axis_access_t access = kiln_axis_access_along(
            widths->axis, pointers, mask,
            kind == KILN_OP_TT_LOAD ? KILN_AXIS_SHARED : KILN_AXIS_DISTINCT, d);
        const int64_t width = access.elements * access.repeat,
                      equal = kind == KILN_OP_TT_LOAD && widths->kind == KILN_WIDTH_OR_EQUAL
                                  ? equal_along(widths->axis, pointers, mask, d)
                                  : 1;
        best = width > best ? width : best;
        best = equal > best ? equal : best;
    }
    widths->access[widths->count] = op;
    widths->of[widths->count++] = best;
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_access_widths_measure(MlirOperation function, kiln_access_width_t kind,
                                         kiln_access_widths_t *out)
{
    kiln_axis_analysis_t *axis;
    KILN_TRY(kiln_axis_analysis_create(function, &axis));
    *out = (kiln_access_widths_t){.kind = kind, .axis = axis};
    kiln_walk(function, MlirWalkPreOrder, measure_access, out);
    kiln_axis_analysis_destroy(axis);
    out->axis = NULL;
    return KILN_OK;
}

bool kiln_access_widths_gain(const kiln_access_widths_t *now, const kiln_access_widths_t *before)
{
    for (int i = 0; i < now->count; i++)
        if (now->of[i] > before->of[i])
            return true;
    return false;
}

bool kiln_access_widths_suffice(const kiln_access_widths_t *now, const kiln_access_widths_t *wanted)
{
    for (int i = 0; i < now->count; i++)
        if (now->of[i] < wanted->of[i])
            return false;
    return true;
}
