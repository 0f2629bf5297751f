// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves that pointers are not before their root; see pointer_sign.h. The proof for a loop-carried
// pointer is by induction: it assumes that the pointer is at or after the root, and shows that each
// iteration adds only non-negative offsets.
//
// Values without a rule here may be anywhere.
#include "analysis/memory/pointer_sign.h"

#include <stdlib.h>

#include "analysis/memory/effects.h"
#include "analysis/memory/pointer_root.h"
#include "analysis/range/covered_product.h"
#include "analysis/range/masked_range.h"

enum { MAX_JOINS = 64, DEPTH = 200 };

typedef struct search {
    const kiln_range_analysis_t *ranges;
    MlirValue joins[MAX_JOINS]; // results and arguments of regions that are being visited, or were
                                // proved
    int count;
} search_t;

static bool is_after(search_t *search, MlirValue value, int depth);

static MlirValue yielded(MlirOperation op, int region, intptr_t index)
{
    return mlirOperationGetOperand(kiln_block_terminator(kiln_op_body(op, region)), index);
}

static bool enter(search_t *search, MlirValue value, bool *out_is_known)
{
    *out_is_known = false;
    for (int i = 0; i < search->count && !*out_is_known; i++)
        *out_is_known = mlirValueEqual(search->joins[i], value);
    if (*out_is_known || search->count == MAX_JOINS)
        return false;
    search->joins[search->count++] = value;
    return true;
}

static bool is_argument_after(search_t *search, MlirValue argument, int depth)
{
    bool is_known;
    MlirBlock block = mlirBlockArgumentGetOwner(argument);
    MlirOperation parent = mlirBlockGetParentOperation(block);
    const intptr_t index = mlirBlockArgumentGetArgNumber(argument);
    if (kiln_op_kind(parent) == KILN_OP_TT_FUNC)
        return mlirBlockEqual(block, kiln_op_body(parent, 0)) &&
               !kiln_type_is_tensor(mlirValueGetType(argument));
    if (kiln_op_kind(parent) != KILN_OP_SCF_FOR || index == 0)
        return false;
    if (!enter(search, argument, &is_known))
        return is_known;
    return is_after(search, mlirOperationGetOperand(parent, 2 + index), depth) &&
           is_after(search, yielded(parent, 0, index - 1), depth);
}

static bool is_after(search_t *search, MlirValue value, int depth)
{
    bool is_known;
    MlirOperation op;
    if (depth == 0)
        return false;
    if (mlirValueIsABlockArgument(value))
        return is_argument_after(search, value, depth - 1);
    const intptr_t result = mlirOpResultGetResultNumber(value);
    switch (kiln_value_op(value, &op)) {
    case KILN_OP_TT_ADDPTR:
        return kiln_is_known_non_negative(search->ranges, kiln_op_operand(op, 1)) &&
               is_after(search, kiln_op_operand(op, 0), depth - 1);
    case KILN_OP_TT_BITCAST:
        return kiln_type_is_ptr(kiln_type_element(mlirValueGetType(kiln_op_operand(op, 0)))) &&
               is_after(search, kiln_op_operand(op, 0), depth - 1);
    case KILN_OP_ARITH_SELECT:
        return is_after(search, kiln_op_operand(op, 1), depth - 1) &&
               is_after(search, kiln_op_operand(op, 2), depth - 1);
    case KILN_OP_SCF_IF:
        if (!enter(search, value, &is_known))
            return is_known;
        return is_after(search, yielded(op, 0, result), depth - 1) &&
               is_after(search, yielded(op, 1, result), depth - 1);
    case KILN_OP_SCF_FOR:
        if (!enter(search, value, &is_known))
            return is_known;
        return is_after(search, mlirOperationGetOperand(op, 3 + result), depth - 1) &&
               is_after(search, mlirBlockGetArgument(kiln_op_body(op, 0), 1 + result), depth - 1);
    default:
        return kiln_op_reshapes_pointers(kiln_op_kind(op)) &&
               is_after(search, kiln_op_operand(op, 0), depth - 1);
    }
}

bool kiln_pointer_is_at_or_after_root(const kiln_range_analysis_t *ranges, MlirValue pointer)
{
    search_t search = {.ranges = ranges};
    return is_after(&search, pointer, DEPTH);
}

// Results of a loop or a branch were computed where the mask does not apply, so the mask is ignored
// from there on.
static bool is_after_masked(kiln_masked_ranges_t *masked, MlirValue value, kiln_place_t place,
                            int depth)
{
    for (MlirOperation op; depth > 0; depth--) {
        const kiln_op_t kind = kiln_value_op(value, &op);
        if (mlirOperationIsNull(op))
            break;
        if (kind == KILN_OP_TT_ADDPTR) {
            const kiln_range_t range = kiln_masked_range_of(masked, kiln_op_operand(op, 1), &place);
            if (!range.bits || range.signed_min < 0)
                return false;
        } else if (!kiln_place_of_operand(op, &place, &place)) {
            break;
        }
        value = kiln_op_operand(op, 0);
    }
    return kiln_pointer_is_at_or_after_root(masked->ranges, value);
}

kiln_status_t kiln_access_is_at_or_after_root(const kiln_range_analysis_t *ranges,
                                              MlirOperation access, bool *out)
{
    int segment, shape;
    kiln_place_t place;
    *out = false;
    if (!kiln_op_mask(kiln_op_kind(access), &segment, &shape) || shape != 0 ||
        mlirValueIsNull(kiln_op_segment(access, segment)) ||
        !kiln_place_begin(kiln_op_operand(access, 0), &place))
        return KILN_OK;
    kiln_masked_ranges_t *masked = malloc(sizeof *masked);
    if (!masked)
        return kiln_status_out_of_memory();
    MlirValue mask = kiln_op_segment(access, segment);
    kiln_masked_ranges_begin(ranges, access, mask, masked);
    *out =
        masked->count > 0 && (is_after_masked(masked, kiln_op_operand(access, 0), place, DEPTH) ||
                              kiln_covered_product_is_after_root(masked, access, mask));
    free(masked);
    return KILN_OK;
}
