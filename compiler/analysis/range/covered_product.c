// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves that products in addresses do not wrap; see covered_product.h. The first row for which row
// · stride exceeds 2^31 bytes, for elements of `bytes` each, has a product of less than 2^31: it is
// below ceil(2^31 / bytes) + stride, or, if the stride alone exceeds that, it is row 1. Elements of
// one byte have no such row: the first product outside the memory wraps.
//
// Note that the row itself must not wrap, or the smaller rows would not count up to it.
#include "analysis/range/covered_product.h"

#include "analysis/range/program_bound.h"
#include "builder/compare.h"
#include "builder/op_facts.h"

enum { MAX_STEPS = 400, DEPTH = 24, MAX_ADDENDS = 16 };

static const kiln_place_t scalar_place; // of rank 0

// program_id(axis) · factor + range(extent) along a dimension of the access; axis and dim are -1 if
// absent.
typedef struct row {
    int64_t axis, factor, extent;
    int dim;
} row_t;

typedef struct addend {
    MlirValue value;
    kiln_place_t place;
} addend_t;

typedef struct search {
    kiln_masked_ranges_t *masked;
    MlirOperation function;
    row_t row;
    int steps;
} search_t;

static addend_t before_reshapes(MlirValue value, const kiln_place_t *place)
{
    addend_t at = {value, *place};
    for (MlirOperation op;
         kiln_value_op(at.value, &op),
         !mlirOperationIsNull(op) && kiln_place_of_operand(op, &at.place, &at.place);)
        at.value = kiln_op_operand(op, 0);
    return at;
}

// Rows --------------------------------------------------------------------------------------------

static bool is_range(addend_t at, row_t *row)
{
    MlirOperation op;
    if (kiln_value_op(at.value, &op) != KILN_OP_TT_MAKE_RANGE ||
        kiln_ir_int_attr(op, "start", -1) != 0)
        return false;
    row->extent = kiln_ir_int_attr(op, "end", 0);
    row->dim = at.place.dim[0];
    return true;
}

// program_id · factor, if that does not wrap and leaves room for the addend.
static bool is_start(search_t *search, MlirValue value, row_t *row)
{
    MlirOperation op;
    row->factor = 1;
    if (kiln_value_op(value, &op) == KILN_OP_ARITH_MULI) {
        if (!kiln_ir_constant_int(kiln_op_operand(op, 1), &row->factor))
            return false;
        value = kiln_op_operand(op, 0);
    }
    if (kiln_value_op(value, &op) != KILN_OP_TT_GET_PROGRAM_ID || row->factor < 1 ||
        row->factor > row->extent)
        return false;
    row->axis = kiln_ir_int_attr(op, "axis", 0);
    const kiln_range_t id = kiln_masked_range_of(search->masked, value, &scalar_place);
    return id.bits == 32 && id.signed_min >= 0 &&
           id.signed_max <= (INT32_MAX - (row->extent - 1)) / row->factor;
}

// Whether all numbers from 0 to the value are also rows of the same launch.
static bool is_row(search_t *search, MlirValue value, const kiln_place_t *place, row_t *out)
{
    MlirOperation op;
    const addend_t at = before_reshapes(value, place);
    *out = (row_t){.axis = -1, .factor = 0, .extent = 1, .dim = -1};
    if (kiln_type_bits(mlirValueGetType(at.value)) != 32)
        return false;
    if (is_range(at, out) || is_start(search, at.value, out))
        return true;
    if (kiln_value_op(at.value, &op) != KILN_OP_ARITH_ADDI)
        return false;
    for (int i = 0; i < 2; i++) {
        const addend_t range = before_reshapes(kiln_op_operand(op, i), &at.place),
                       start = before_reshapes(kiln_op_operand(op, 1 - i), &at.place);
        if (is_range(range, out) && is_start(search, start.value, out))
            return true;
    }
    return false;
}

static bool is_same_row(const row_t *a, const row_t *b)
{
    return a->axis == b->axis && a->factor == b->factor && a->extent == b->extent &&
           a->dim == b->dim;
}

// Values that are equal in all rows ---------------------------------------------------------------

static bool is_free(search_t *search, MlirValue value, const kiln_place_t *place, int depth)
{
    MlirOperation op;
    kiln_place_t inner;
    if (depth == 0 || --search->steps < 0)
        return false;
    if (mlirValueIsABlockArgument(value))
        return mlirBlockEqual(mlirBlockArgumentGetOwner(value), kiln_op_body(search->function, 0));
    const kiln_op_t kind = kiln_value_op(value, &op);
    if (kind == KILN_OP_ARITH_CONSTANT)
        return true;
    if (kind == KILN_OP_TT_GET_PROGRAM_ID)
        return kiln_ir_int_attr(op, "axis", 0) != search->row.axis;
    if (kind == KILN_OP_TT_MAKE_RANGE)
        return place->dim[0] != search->row.dim;
    if (kiln_place_of_operand(op, place, &inner))
        return is_free(search, kiln_op_operand(op, 0), &inner, depth - 1);
    bool free = kiln_op_has(kind, KILN_ELEMENTWISE) && mlirOperationGetNumRegions(op) == 0 &&
                (kiln_op_has(kind, KILN_PLAIN) || kiln_op_has(kind, KILN_DIVIDES));
    for (intptr_t i = 0; free && i < mlirOperationGetNumOperands(op); i++) {
        MlirValue operand = mlirOperationGetOperand(op, i);
        free = is_free(search, operand,
                       kiln_type_is_tensor(mlirValueGetType(operand)) ? place : &scalar_place,
                       depth - 1);
    }
    return free;
}

// Whether the mask is true for all smaller rows if it is true for a row.
static bool admits_smaller(search_t *search, MlirValue mask, const kiln_place_t *place, int depth)
{
    MlirOperation op;
    kiln_place_t inner;
    if (depth == 0 || --search->steps < 0)
        return false;
    if (is_free(search, mask, place, depth))
        return true;
    const kiln_op_t kind = kiln_value_op(mask, &op);
    if (mlirOperationIsNull(op))
        return false;
    if (kind == KILN_OP_ARITH_ANDI)
        return admits_smaller(search, kiln_op_operand(op, 0), place, depth - 1) &&
               admits_smaller(search, kiln_op_operand(op, 1), place, depth - 1);
    if (kiln_place_of_operand(op, place, &inner))
        return admits_smaller(search, kiln_op_operand(op, 0), &inner, depth - 1);
    const kiln_cmpi_t predicate = kiln_cmpi_of(op);
    const int below = predicate == KILN_CMPI_SLT || predicate == KILN_CMPI_SLE   ? 0
                      : predicate == KILN_CMPI_SGT || predicate == KILN_CMPI_SGE ? 1
                                                                                 : -1;
    row_t row;
    return below >= 0 && is_row(search, kiln_op_operand(op, below), place, &row) &&
           is_same_row(&row, &search->row) &&
           is_free(search, kiln_op_operand(op, 1 - below), place, depth);
}

// Products ----------------------------------------------------------------------------------------

// Whether the addend is row · stride, with a non-negative stride that is the same in all rows; sets
// the row.
static bool is_product(search_t *search, const addend_t *addend)
{
    MlirOperation op;
    addend_t at = before_reshapes(addend->value, &addend->place);
    if (kiln_value_op(at.value, &op) == KILN_OP_ARITH_EXTSI)
        at = before_reshapes(kiln_op_operand(op, 0), &at.place);
    if (kiln_value_op(at.value, &op) != KILN_OP_ARITH_MULI ||
        kiln_type_bits(mlirValueGetType(at.value)) != 32)
        return false;
    for (int i = 0; i < 2; i++) {
        MlirValue row = kiln_op_operand(op, i), stride = kiln_op_operand(op, 1 - i);
        const kiln_range_t range = kiln_masked_range_of(search->masked, stride, &at.place);
        if (range.bits && range.signed_min >= 0 && is_row(search, row, &at.place, &search->row) &&
            is_free(search, stride, &at.place, DEPTH))
            return true;
    }
    return false;
}

// Whether every program executes the access.
static bool is_executed(MlirOperation function, MlirOperation access)
{
    MlirBlock block = kiln_op_body(function, 0);
    if (!mlirBlockEqual(mlirOperationGetBlock(access), block) || !kiln_is_whole_program(function))
        return false;
    MlirOperation op = mlirBlockGetFirstOperation(block);
    while (!mlirOperationEqual(op, access) && kiln_op_always_continues(op))
        op = mlirOperationGetNextInBlock(op);
    return mlirOperationEqual(op, access);
}

bool kiln_covered_product_is_after_root(kiln_masked_ranges_t *masked, MlirOperation access,
                                        MlirValue mask)
{
    MlirOperation op, function = kiln_op_parent(access);
    MlirValue pointer = kiln_op_operand(access, 0);
    addend_t others[MAX_ADDENDS], product = {{NULL}, {0}};
    kiln_place_t whole, place;
    int count = 0;
    if (kiln_op_kind(function) != KILN_OP_TT_FUNC || !kiln_place_begin(pointer, &whole) ||
        kiln_type_bits(kiln_ptr_pointee(kiln_type_element(mlirValueGetType(pointer)))) < 16)
        return false;
    place = whole;
    for (; !mlirValueIsABlockArgument(pointer); pointer = kiln_op_operand(op, 0)) {
        if (kiln_value_op(pointer, &op) != KILN_OP_TT_ADDPTR) {
            if (!kiln_place_of_operand(op, &place, &place))
                return false;
            continue;
        }
        const addend_t addend = {kiln_op_operand(op, 1), place};
        const kiln_range_t range = kiln_masked_range_of(masked, addend.value, &place);
        if (range.bits && range.signed_min >= 0 && count < MAX_ADDENDS)
            others[count++] = addend;
        else if (mlirValueIsNull(product.value))
            product = addend;
        else
            return false;
    }
    search_t search = {.masked = masked, .function = function, .steps = MAX_STEPS};
    if (mlirValueIsNull(product.value) || !kiln_argument_lies_below_2_gib(function, pointer) ||
        !is_product(&search, &product) || !is_executed(function, access) ||
        !admits_smaller(&search, mask, &whole, DEPTH))
        return false;
    for (int i = 0; i < count; i++)
        if (!is_free(&search, others[i].value, &others[i].place, DEPTH))
            return false;
    return true;
}
