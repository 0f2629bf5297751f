// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagates encodings through reshapes and finds the known encoding of a layout:
//
//   %y = tt.reshape %x : tensor<32x128xf32, #blocked> -> tensor<2048x2x1xf32, #linear>
//   %z = tt.reshape %w : tensor<2048x2x1xf32, #linear> -> tensor<32x128xf32, #blocked>
//   %s = arith.addf %x, %z : tensor<32x128xf32, #blocked>
//
// A reshape moves no data, so any layout passes through it, but the result has no encoding except
// basis vectors (#ttg.linear). The second reshape restores the vectors of #blocked. Unless they are
// recognized as #blocked, every operation that combines the two needs a conversion; hence this
// table of the encodings in use.
#include "passes/layouts/names.h"

#include <stdlib.h>

#include "base/array.h"
#include "builder/ir.h"
#include "layout/infer.h"
#include "layout/rearrange.h"

static bool layout_in_shape(const kiln_layout_names_t *names, MlirType shaped,
                            MlirAttribute encoding, kiln_layout_t *out)
{
    int64_t shape[KILN_MAX_RANK];
    int rank = kiln_type_rank(shaped);
    for (int i = 0; i < rank; ++i)
        shape[i] = kiln_type_dim(shaped, i);
    kiln_status_t status = kiln_layout_of_encoding(encoding, rank, shape, names->num_warps, out);
    kiln_status_free(status);
    return !status;
}

// Returns the encoding already known for this layout, or records `encoding` for it.
static MlirAttribute name_of(kiln_layout_names_t *names, const kiln_layout_t *layout,
                             MlirAttribute encoding)
{
    for (size_t i = 0; i < names->count; ++i)
        if (kiln_layout_equal(&names->items[i].layout, layout))
            return names->items[i].encoding;
    if (mlirAttributeIsNull(encoding))
        return encoding;
    if (!KILN_ARRAY_RESERVE(&names->items, &names->capacity, names->count + 1))
        return encoding; // out of memory: a second name for one layout only costs a conversion
    names->items[names->count++] = (kiln_layout_name_t){encoding, *layout};
    return encoding;
}

typedef enum direction { FORWARD, BACKWARD } direction_t;

static bool is_rearrangement(kiln_op_t kind)
{
    return kind == KILN_OP_TT_RESHAPE || kind == KILN_OP_TT_TRANS || kind == KILN_OP_TT_JOIN ||
           kind == KILN_OP_TT_SPLIT;
}

// Computes the layout after a rearrangement, or before it, in a tensor of type `to`. Returns false
// if there is none.
static bool rearrange(MlirOperation op, MlirType to, direction_t direction, kiln_layout_t *layout)
{
    kiln_op_t kind = kiln_op_kind(op);
    int64_t shape[KILN_MAX_RANK];
    int32_t order[KILN_MAX_RANK];
    if (kind == KILN_OP_TT_RESHAPE) {
        for (int i = 0; i < kiln_type_rank(to); ++i)
            shape[i] = kiln_type_dim(to, i);
        *layout = kiln_layout_reshape(layout, kiln_type_rank(to), shape);
        return true;
    }
    if (kind == KILN_OP_TT_TRANS) {
        for (int i = 0; i < layout->rank; ++i) {
            int dim = mlirDenseI32ArrayGetElement(kiln_ir_attr(op, "order"), i);
            order[direction == FORWARD ? i : dim] = direction == FORWARD ? dim : i;
        }
        *layout = kiln_layout_transpose(layout, order);
        return true;
    }
    if ((kind == KILN_OP_TT_JOIN) == (direction == BACKWARD)) // splits a pair
        return kiln_layout_drop_pair(layout, layout);
    *layout = kiln_layout_prepend_pair(layout);
    return true;
}

static bool rearranged(kiln_layout_names_t *names, MlirOperation op, MlirAttribute encoding,
                       direction_t direction, MlirAttribute *out)
{
    if (!is_rearrangement(kiln_op_kind(op)))
        return false;
    MlirType operand = mlirValueGetType(kiln_op_operand(op, 0)),
             result = mlirValueGetType(kiln_op_result(op, 0));
    MlirType from = direction == FORWARD ? operand : result,
             to = direction == FORWARD ? result : operand;
    kiln_layout_t layout;
    if (!layout_in_shape(names, from, encoding, &layout))
        return false;
    name_of(names, &layout, encoding);
    if (!rearrange(op, to, direction, &layout))
        return false;
    *out = name_of(names, &layout, (MlirAttribute){NULL});
    if (mlirAttributeIsNull(*out))
        *out = name_of(names, &layout,
                       kiln_layout_to_linear_attr(mlirAttributeGetContext(encoding), &layout));
    return true;
}

bool kiln_names_infer_result(kiln_layout_names_t *names, MlirOperation op, MlirAttribute operand,
                             MlirAttribute *out)
{
    return kiln_infer_result_encoding(op, operand, out) ||
           rearranged(names, op, operand, FORWARD, out);
}

bool kiln_names_infer_operand(kiln_layout_names_t *names, MlirOperation op, MlirAttribute result,
                              MlirAttribute *out)
{
    return kiln_infer_operand_encoding(op, result, out) ||
           rearranged(names, op, result, BACKWARD, out);
}

bool kiln_names_is_minimal(const kiln_layout_names_t *names, MlirType shaped,
                           MlirAttribute encoding)
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
    return INT64_C(1) << (layout.bits[KILN_REGISTER] + layout.bits[KILN_LANE] +
                          layout.bits[KILN_WARP]);
}

void kiln_names_free(kiln_layout_names_t *names)
{
    free(names->items);
}
