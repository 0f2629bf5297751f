// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows a mask to its comparisons; see mask_order.h.
//
// Note that numbers may wrap within a group that does not start at a multiple of its size: a mask
// that compares them would change twice.
#include "analysis/axis/mask_order.h"
#include "analysis/dot_chain.h"
#include "analysis/memory/effects.h"
#include "analysis/range/integer_range.h"
#include "builder/compare.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

enum { BUDGET = 64 }; // values have several uses, so the number of paths may be exponential

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// The size of groups of consecutive numbers that do not wrap.
static int64_t numbers(const kiln_axis_analysis_t *analysis, MlirValue value, int dim,
                       bool has_sign)
{
    const kiln_axis_info_t info = kiln_axis_info(analysis, value);
    if (kiln_is_known_not_to_wrap(kiln_axis_ranges(analysis), value, has_sign))
        return info.contiguity[dim];
    return min(info.contiguity[dim], info.divisibility[dim]);
}

static kiln_mask_order_t order_of_comparison(const kiln_axis_analysis_t *analysis, MlirOperation op,
                                             int dim)
{
    kiln_mask_order_t order = {1, 1};
    const kiln_cmpi_t predicate = kiln_cmpi_of(op);
    if (predicate == KILN_CMPI_EQ || predicate == KILN_CMPI_NE || predicate == KILN_CMPI_NONE)
        return order;
    const bool has_sign = predicate == KILN_CMPI_SLT || predicate == KILN_CMPI_SLE ||
                          predicate == KILN_CMPI_SGT || predicate == KILN_CMPI_SGE,
               less = predicate == KILN_CMPI_SLT || predicate == KILN_CMPI_SLE ||
                      predicate == KILN_CMPI_ULT || predicate == KILN_CMPI_ULE;
    for (int i = 0; i < 2; i++) {
        MlirValue value = kiln_op_operand(op, i), bound = kiln_op_operand(op, 1 - i);
        const int64_t group = min(numbers(analysis, value, dim, has_sign),
                                  kiln_axis_info(analysis, bound).constancy[dim]);
        int64_t *to = less == (i == 0) ? &order.falls : &order.rises;
        *to = group > *to ? group : *to;
    }
    return order;
}

static kiln_mask_order_t order_of(const kiln_axis_analysis_t *analysis, MlirValue mask, int dim,
                                  int *budget)
{
    MlirOperation op;
    const kiln_op_t kind = kiln_value_op(mask, &op);
    const int64_t equal = kiln_axis_mask_alignment(analysis, mask, dim);
    kiln_mask_order_t order = {equal, equal}, more = {1, 1};
    if (--*budget < 0)
        return order;
    if (kind == KILN_OP_ARITH_CMPI) {
        more = order_of_comparison(analysis, op, dim);
    } else if (kind == KILN_OP_ARITH_ANDI) {
        const kiln_mask_order_t a = order_of(analysis, kiln_op_operand(op, 0), dim, budget),
                                b = order_of(analysis, kiln_op_operand(op, 1), dim, budget);
        more = (kiln_mask_order_t){min(a.falls, b.falls), min(a.rises, b.rises)};
    } else if (kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TTG_CONVERT_LAYOUT) {
        MlirValue from = kiln_op_operand(op, 0);
        if (kiln_type_dim(mlirValueGetType(from), dim) ==
            kiln_type_dim(mlirValueGetType(mask), dim))
            more = order_of(analysis, from, dim, budget);
    } else if (kind == KILN_OP_TT_EXPAND_DIMS) {
        const int axis = (int)kiln_ir_int_attr(op, "axis", 0);
        if (axis != dim)
            more = order_of(analysis, kiln_op_operand(op, 0), dim > axis ? dim - 1 : dim, budget);
    }
    order.falls = more.falls > order.falls ? more.falls : order.falls;
    order.rises = more.rises > order.rises ? more.rises : order.rises;
    return order;
}

kiln_mask_order_t kiln_mask_order(const kiln_axis_analysis_t *analysis, MlirValue mask, int dim)
{
    int budget = BUDGET;
    return order_of(analysis, mask, dim, &budget);
}

bool kiln_is_peeled_rest(MlirOperation op)
{
    return !mlirOperationIsNull(op) && !mlirAttributeIsNull(kiln_ir_attr(op, KILN_PEELED_REST));
}

// Whether the operation is directly in such a loop, not in a branch in it.
static bool is_in_loop_with_dots(MlirOperation op)
{
    for (MlirOperation at = kiln_op_parent(op); !mlirOperationIsNull(at); at = kiln_op_parent(at)) {
        if (kiln_is_peeled_rest(at) || kiln_op_kind(at) == KILN_OP_SCF_IF)
            return false;
        if ((kiln_op_kind(at) == KILN_OP_SCF_FOR || kiln_op_kind(at) == KILN_OP_SCF_WHILE) &&
            kiln_has_dot(at))
            return true;
    }
    return false;
}

static bool may_split(MlirOperation op)
{
    return !mlirValueIsNull(kiln_tile_mask(op)) && !is_in_loop_with_dots(op);
}

// `whole`: the access without a mask; returns it narrowed to groups in which the mask is in order.
static kiln_axis_access_t narrowed(const kiln_axis_analysis_t *analysis, MlirOperation op,
                                   kiln_axis_access_t whole)
{
    const kiln_mask_order_t order = kiln_mask_order(analysis, kiln_mask_of(op), whole.dim);
    const int64_t group = order.falls > order.rises ? order.falls : order.rises;
    if (whole.elements > group)
        whole.elements = (int)group;
    if (whole.elements < KILN_SPLIT_MIN)
        whole.elements = 1;
    return whole;
}

kiln_axis_access_t kiln_split_access_along(const kiln_axis_analysis_t *analysis, MlirOperation op,
                                           int dim)
{
    MlirValue pointers = kiln_op_operand(op, 0), none = {NULL};
    if (!may_split(op))
        return (kiln_axis_access_t){.elements = 1, .repeat = 1, .alignment = 1, .dim = dim};
    return narrowed(analysis, op,
                    kiln_axis_access_along(analysis, pointers, none, KILN_AXIS_DISTINCT, dim));
}

kiln_axis_access_t kiln_split_access(const kiln_axis_analysis_t *analysis, MlirOperation op,
                                     int num_warps)
{
    MlirValue pointers = kiln_op_operand(op, 0), none = {NULL};
    if (!may_split(op))
        return (kiln_axis_access_t){.elements = 1, .repeat = 1, .alignment = 1};
    return narrowed(analysis, op,
                    kiln_axis_access(analysis, pointers, none, KILN_AXIS_DISTINCT, num_warps));
}
