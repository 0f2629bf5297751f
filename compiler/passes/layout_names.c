// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   %y = tt.reshape %x : tensor<32x128xf32, #blocked> -> tensor<2048x2x1xf32, #linear>
//   %z = tt.reshape %w : tensor<2048x2x1xf32, #linear> -> tensor<32x128xf32, #blocked>
//   %s = arith.addf %x, %z : tensor<32x128xf32, #blocked>
//
// A reshape moves nothing, so any layout passes through it; but what comes out has no name of its own, only vectors
// (#ttg.linear). The thing one gets wrong: on the way back those vectors are #blocked's again, and if they are not
// called so, every operation that joins the two gets a conversion. Hence a table of the names in use.
#include "passes/layout_names.h"

#include <stdlib.h>

#include "builder/ir.h"
#include "layout/infer.h"

static bool layout_in_shape(const kiln_layout_names_t *names, MlirType shaped, MlirAttribute encoding,
                            kiln_layout_t *out)
{
    int64_t shape[KILN_MAX_RANK];
    int rank = kiln_type_rank(shaped);
    for (int i = 0; i < rank; ++i)
        shape[i] = kiln_type_dim(shaped, i);
    kiln_status_t status = kiln_layout_of_encoding(encoding, rank, shape, names->num_warps, out);
    kiln_status_free(status);
    return !status;
}

// The name that this layout has already, or `encoding` from now on.
static MlirAttribute name_of(kiln_layout_names_t *names, const kiln_layout_t *layout, MlirAttribute encoding)
{
    for (size_t i = 0; i < names->count; ++i)
        if (kiln_layout_equal(&names->items[i].layout, layout))
            return names->items[i].encoding;
    if (mlirAttributeIsNull(encoding))
        return encoding;
    if (names->count == names->capacity) {
        size_t larger = names->capacity ? names->capacity * 2 : 16;
        kiln_layout_name_t *moved = realloc(names->items, larger * sizeof *moved);
        if (!moved)
            return encoding; // a name more costs a conversion, no more
        names->items = moved;
        names->capacity = larger;
    }
    names->items[names->count++] = (kiln_layout_name_t){encoding, *layout};
    return encoding;
}

static bool reshaped(kiln_layout_names_t *names, MlirType from, MlirAttribute encoding, MlirType to, MlirAttribute *out)
{
    kiln_layout_t layout;
    if (!layout_in_shape(names, from, encoding, &layout))
        return false;
    name_of(names, &layout, encoding);
    int64_t shape[KILN_MAX_RANK];
    int rank = kiln_type_rank(to);
    for (int i = 0; i < rank; ++i)
        shape[i] = kiln_type_dim(to, i);
    layout = kiln_layout_reshape(&layout, rank, shape);
    *out = name_of(names, &layout, (MlirAttribute){NULL});
    if (mlirAttributeIsNull(*out))
        *out = name_of(names, &layout, kiln_layout_to_linear_attr(mlirAttributeGetContext(encoding), &layout));
    return true;
}

bool kiln_names_infer_result(kiln_layout_names_t *names, MlirOperation op, MlirAttribute operand, MlirAttribute *out)
{
    if (kiln_op_kind(op) != KILN_OP_TT_RESHAPE)
        return kiln_infer_result_encoding(op, operand, out);
    return reshaped(names, mlirValueGetType(kiln_op_operand(op, 0)), operand, mlirValueGetType(kiln_op_result(op, 0)),
                    out);
}

bool kiln_names_infer_operand(kiln_layout_names_t *names, MlirOperation op, MlirAttribute result, MlirAttribute *out)
{
    if (kiln_op_kind(op) != KILN_OP_TT_RESHAPE)
        return kiln_infer_operand_encoding(op, result, out);
    return reshaped(names, mlirValueGetType(kiln_op_result(op, 0)), result, mlirValueGetType(kiln_op_operand(op, 0)),
                    out);
}

bool kiln_names_is_lean(const kiln_layout_names_t *names, MlirType shaped, MlirAttribute encoding)
{
    MlirAttribute root = encoding;
    while (kiln_encoding_kind(root) == KILN_ENCODING_SLICE)
        root = kiln_slice_parent(root);
    kiln_encoding_kind_t kind = kiln_encoding_kind(root);
    kiln_layout_t layout;
    if ((kind != KILN_ENCODING_BLOCKED && kind != KILN_ENCODING_LINEAR) ||
        !layout_in_shape(names, shaped, encoding, &layout))
        return false;
    int64_t threads = INT64_C(1) << (layout.bits[KILN_LANE] + layout.bits[KILN_WARP]);
    int64_t count = kiln_type_count(shaped);
    return kiln_layout_registers(&layout) <= (count > threads ? count / threads : 1);
}

int64_t kiln_names_places(const kiln_layout_names_t *names, MlirType shaped, MlirAttribute encoding)
{
    kiln_layout_t layout;
    if (!layout_in_shape(names, shaped, encoding, &layout))
        return kiln_type_count(shaped);
    return INT64_C(1) << (layout.bits[KILN_REGISTER] + layout.bits[KILN_LANE] + layout.bits[KILN_WARP]);
}

void kiln_names_free(kiln_layout_names_t *names)
{
    free(names->items);
}
