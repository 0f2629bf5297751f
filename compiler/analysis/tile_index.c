// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A forward analysis with a lattice of few levels for each dimension of each tensor, repeated until
// nothing changes because of loops; see tile_index.h. A second walk checks every operation that
// has an operand that varies with the index.
//
// Note that a value that varies with the index along one dimension and with something else along
// another, as a tile of B does, keeps indices apart; one that does both along one dimension does
// not.
#include "analysis/tile_index.h"
#include "analysis/pointer_map.h"
#include "base/array.h"
#include "builder/ir.h"
#include "builder/op_facts.h"

#include <mlir-c/BuiltinAttributes.h>
#include <stdlib.h>

enum { CARRIED = 3 };

typedef struct row {
    uint8_t dims[KILN_MAX_RANK];
} row_t;

struct kiln_tile_index {
    MlirOperation root;
    MlirValue start, bound;
    int64_t size, constant;
    kiln_pointer_map_t row_of;
    row_t *rows;
    size_t count, capacity;
    bool changed, out_of_memory, fails;
};

typedef kiln_tile_index_t analysis_t;

// Rows --------------------------------------------------------------------------------------------

static int rank_of(MlirValue value)
{
    return kiln_type_rank(mlirValueGetType(value));
}

kiln_variation_t kiln_variation_of(const analysis_t *a, MlirValue value, int dim)
{
    const int row = kiln_pointer_map_get(&a->row_of, value.ptr);
    if (rank_of(value) == 0 || kiln_type_dim(mlirValueGetType(value), dim) == 1)
        return KILN_VARIES_NOT;
    return row < 0 ? KILN_VARIES_UNKNOWN : (kiln_variation_t)a->rows[row].dims[dim];
}

int kiln_dim_of_index(const analysis_t *a, MlirValue value)
{
    for (int d = 0; d < rank_of(value); d++)
        if (kiln_varies_with_index(kiln_variation_of(a, value, d)))
            return d;
    return -1;
}

// Of a value that is one of two.
static kiln_variation_t either(kiln_variation_t x, kiln_variation_t y)
{
    if (x == KILN_VARIES_UNKNOWN || x == y)
        return y;
    if (y == KILN_VARIES_UNKNOWN)
        return x;
    return x == KILN_VARIES_OTHERWISE || y == KILN_VARIES_OTHERWISE ? KILN_VARIES_OTHERWISE
                                                                    : KILN_WITH_INDEX;
}

// Of a function of two values.
static kiln_variation_t both(kiln_variation_t x, kiln_variation_t y)
{
    if (x == KILN_VARIES_UNKNOWN || y == KILN_VARIES_UNKNOWN)
        return KILN_VARIES_UNKNOWN;
    if (x == KILN_VARIES_OTHERWISE || y == KILN_VARIES_OTHERWISE)
        return KILN_VARIES_OTHERWISE;
    return x == KILN_VARIES_NOT && y == KILN_VARIES_NOT ? KILN_VARIES_NOT : KILN_WITH_INDEX;
}

static void put(analysis_t *a, MlirValue value, int dim, kiln_variation_t variation)
{
    int row = kiln_pointer_map_get(&a->row_of, value.ptr);
    if (row < 0) {
        row = (int)a->count;
        if (!KILN_ARRAY_RESERVE(&a->rows, &a->capacity, a->count + 1) ||
            !kiln_pointer_map_put(&a->row_of, value.ptr, row)) {
            a->out_of_memory = true;
            return;
        }
        a->rows[a->count++] = (row_t){0};
    }
    const kiln_variation_t joined = either((kiln_variation_t)a->rows[row].dims[dim], variation);
    a->changed |= a->rows[row].dims[dim] != joined;
    a->rows[row].dims[dim] = (uint8_t)joined;
}

static void put_all(analysis_t *a, MlirValue value, kiln_variation_t variation)
{
    for (int d = 0; d < rank_of(value); d++)
        put(a, value, d, variation);
}

static void put_value(analysis_t *a, MlirValue to, MlirValue from)
{
    for (int d = 0; d < rank_of(to); d++)
        put(a, to, d, kiln_variation_of(a, from, d));
}

// Operations --------------------------------------------------------------------------------------

bool kiln_is_index_bound(const analysis_t *a, MlirValue value)
{
    int64_t number;
    if (mlirValueIsNull(a->bound))
        return kiln_ir_constant_int(value, &number) && number == a->constant;
    MlirValue scalar = rank_of(value) ? kiln_ir_scalar_of(value) : value;
    return !mlirValueIsNull(scalar) && mlirValueEqual(scalar, a->bound);
}

bool kiln_makes_index(const analysis_t *a, MlirOperation op)
{
    if (kiln_op_kind(op) != KILN_OP_ARITH_ADDI || rank_of(kiln_op_result(op, 0)) != 1)
        return false;
    for (int i = 0; i < 2; i++) {
        MlirOperation splat, range;
        if (kiln_value_op(kiln_op_operand(op, i), &splat) == KILN_OP_TT_SPLAT &&
            mlirValueEqual(kiln_op_operand(splat, 0), a->start) &&
            kiln_value_op(kiln_op_operand(op, 1 - i), &range) == KILN_OP_TT_MAKE_RANGE &&
            kiln_ir_int_attr(range, "start", -1) == 0 &&
            kiln_type_count(mlirValueGetType(kiln_op_result(range, 0))) == a->size)
            return true;
    }
    return false;
}

static bool is_elementwise(MlirOperation op)
{
    return kiln_op_has(kiln_op_kind(op), KILN_ELEMENTWISE) && kiln_op_own_effects(op) == 0;
}

static kiln_variation_t operand_variation(const analysis_t *a, MlirOperation op, int index, int dim)
{
    return kiln_variation_of(a, kiln_op_operand(op, index), dim);
}

// The variation of an element-wise result along a dimension.
static kiln_variation_t of_elements(const analysis_t *a, MlirOperation op, int dim)
{
    const kiln_op_t kind = kiln_op_kind(op);
    const kiln_variation_t first = operand_variation(a, op, 0, dim);
    if (kiln_makes_index(a, op))
        return KILN_IS_INDEX;
    if (kind == KILN_OP_ARITH_EXTSI && (first == KILN_IS_INDEX || first == KILN_IS_REMAINDER))
        return first;
    if ((kind == KILN_OP_ARITH_REMSI || kind == KILN_OP_ARITH_REMUI) && first == KILN_IS_INDEX &&
        kiln_is_index_bound(a, kiln_op_operand(op, 1)))
        return KILN_IS_REMAINDER;
    if (kind == KILN_OP_TT_ADDPTR) {
        const kiln_variation_t second = operand_variation(a, op, 1, dim);
        if ((first == KILN_VARIES_NOT && second == KILN_IS_REMAINDER) ||
            (first == KILN_AT_REMAINDER && second == KILN_VARIES_NOT))
            return KILN_AT_REMAINDER;
    }
    kiln_variation_t all = KILN_VARIES_NOT;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        all = both(all, operand_variation(a, op, (int)i, dim));
    return all;
}

static bool is_dot(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_TT_DOT && rank_of(kiln_op_result(op, 0)) == 2;
}

// Of a constant: the elements of a splat are all equal.
static kiln_variation_t of_constant(MlirOperation op)
{
    MlirAttribute value = kiln_ir_attr(op, "value");
    return mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value)
               ? KILN_VARIES_NOT
               : KILN_VARIES_OTHERWISE;
}

static void put_view(analysis_t *a, MlirOperation op)
{
    MlirValue from = kiln_op_operand(op, 0), to = kiln_op_result(op, 0);
    const kiln_op_t kind = kiln_op_kind(op);
    if (kind == KILN_OP_TT_BROADCAST) {
        put_value(a, to, from);
        return;
    }
    const int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    for (int d = 0; d < rank_of(to); d++)
        put(a, to, d,
            d == axis ? KILN_VARIES_NOT : kiln_variation_of(a, from, d > axis ? d - 1 : d));
}

// Results of other operations, and arguments of other regions, vary in unknown ways.
static void put_unknown(analysis_t *a, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
        put_all(a, mlirOperationGetResult(op, i), KILN_VARIES_OTHERWISE);
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
        for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
             !mlirBlockIsNull(block); block = mlirBlockGetNextInRegion(block))
            for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
                put_all(a, mlirBlockGetArgument(block, i), KILN_VARIES_OTHERWISE);
}

static void put_loop(analysis_t *a, MlirOperation loop)
{
    for (intptr_t i = 0; i < mlirOperationGetNumResults(loop); i++) {
        MlirValue initial = mlirOperationGetOperand(loop, CARRIED + i);
        put_value(a, mlirBlockGetArgument(kiln_op_body(loop, 0), 1 + i), initial);
        put_value(a, mlirOperationGetResult(loop, i), initial);
    }
}

static void put_yield(analysis_t *a, MlirOperation yield)
{
    MlirOperation parent = kiln_op_parent(yield);
    const bool is_loop = kiln_op_kind(parent) == KILN_OP_SCF_FOR;
    if (!is_loop && kiln_op_kind(parent) != KILN_OP_SCF_IF)
        return;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(yield); i++) {
        MlirValue value = mlirOperationGetOperand(yield, i);
        put_value(a, mlirOperationGetResult(parent, i), value);
        if (is_loop)
            put_value(a, mlirBlockGetArgument(kiln_op_body(parent, 0), 1 + i), value);
    }
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    analysis_t *a = user;
    const kiln_op_t kind = kiln_op_kind(op);
    MlirValue result = mlirOperationGetNumResults(op) ? kiln_op_result(op, 0) : (MlirValue){NULL};
    if (kind == KILN_OP_SCF_FOR)
        put_loop(a, op);
    else if (kind == KILN_OP_SCF_YIELD)
        put_yield(a, op);
    else if (kind == KILN_OP_ARITH_CONSTANT)
        put_all(a, result, of_constant(op));
    else if (kind == KILN_OP_TT_SPLAT)
        put_all(a, result, KILN_VARIES_NOT);
    else if (kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_EXPAND_DIMS)
        put_view(a, op);
    else if (is_dot(op))
        for (int d = 0; d < 2; d++)
            put(a, result, d, both(operand_variation(a, op, d, d), operand_variation(a, op, 2, d)));
    else if (is_elementwise(op) || kind == KILN_OP_TT_LOAD)
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
            for (int d = 0; d < rank_of(mlirOperationGetResult(op, i)); d++)
                put(a, mlirOperationGetResult(op, i), d,
                    kind == KILN_OP_TT_LOAD ? both(KILN_VARIES_NOT, of_elements(a, op, d))
                                            : of_elements(a, op, d));
    else if (kind != KILN_OP_SCF_IF)
        put_unknown(a, op);
    return a->out_of_memory ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// The check ---------------------------------------------------------------------------------------

// Whether values that are combined element by element along a dimension, or that take one place,
// vary with the index and otherwise.
static bool is_other(kiln_variation_t v)
{
    return v == KILN_VARIES_OTHERWISE || v == KILN_VARIES_UNKNOWN;
}

static bool clash(kiln_variation_t x, kiln_variation_t y)
{
    return (kiln_varies_with_index(x) && is_other(y)) || (kiln_varies_with_index(y) && is_other(x));
}

static bool values_clash(const analysis_t *a, MlirValue x, MlirValue y)
{
    for (int d = 0; d < rank_of(x) && d < rank_of(y); d++)
        if (clash(kiln_variation_of(a, x, d), kiln_variation_of(a, y, d)))
            return true;
    return false;
}

// Whether values vary with the index along different dimensions.
static bool dims_differ(const analysis_t *a, MlirValue x, MlirValue y)
{
    const int x_dim = kiln_dim_of_index(a, x), y_dim = kiln_dim_of_index(a, y);
    return x_dim >= 0 && y_dim >= 0 && x_dim != y_dim;
}

static bool operands_clash(const analysis_t *a, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        for (intptr_t k = 0; k < i; k++) {
            MlirValue x = mlirOperationGetOperand(op, i), y = mlirOperationGetOperand(op, k);
            if (values_clash(a, x, y) || dims_differ(a, x, y))
                return true;
        }
    return false;
}

static bool has_index(const analysis_t *a, MlirOperation op)
{
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (kiln_dim_of_index(a, mlirOperationGetOperand(op, i)) >= 0)
            return true;
    return false;
}

// Whether each iteration of a loop may have another start. What the loop carries then belongs to
// indices of an earlier iteration.
static bool changes_start(const analysis_t *a, MlirOperation loop)
{
    MlirOperation op = mlirValueIsAOpResult(a->start)
                           ? mlirOpResultGetOwner(a->start)
                           : mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(a->start));
    while (!mlirOperationIsNull(op) && !mlirOperationEqual(op, loop))
        op = kiln_op_parent(op);
    return !mlirOperationIsNull(op);
}

// Whether the dot's sums are of elements of one index, and its result is added to such.
static bool dot_keeps_apart(const analysis_t *a, MlirOperation op)
{
    for (int i = 0; i < 2; i++)
        if (kiln_varies_with_index(operand_variation(a, op, i, 1 - i)) ||
            clash(operand_variation(a, op, i, i), operand_variation(a, op, 2, i)))
            return false;
    return true;
}

static bool keeps_apart(const analysis_t *a, MlirOperation op)
{
    const kiln_op_t kind = kiln_op_kind(op);
    if (kiln_makes_index(a, op))
        return true;
    if (kind == KILN_OP_SCF_FOR) {
        for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
            if (values_clash(a, mlirOperationGetOperand(op, CARRIED + i),
                             mlirOperationGetResult(op, i)))
                return false;
        return true;
    }
    if (kind == KILN_OP_SCF_YIELD) {
        MlirOperation parent = kiln_op_parent(op);
        for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
            if (values_clash(a, mlirOperationGetOperand(op, i), mlirOperationGetResult(parent, i)))
                return false;
        return kiln_op_kind(parent) == KILN_OP_SCF_IF ||
               (kiln_op_kind(parent) == KILN_OP_SCF_FOR && !changes_start(a, parent));
    }
    if (is_dot(op))
        return dot_keeps_apart(a, op);
    if (kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_EXPAND_DIMS)
        return true;
    if (kind == KILN_OP_TT_LOAD || kind == KILN_OP_TT_STORE)
        return !(kiln_op_own_effects(op) & KILN_ORDERED) && !operands_clash(a, op);
    return is_elementwise(op) && !operands_clash(a, op);
}

// Fails also where a value varies with the index along two dimensions.
static MlirWalkResult check(MlirOperation op, void *user)
{
    analysis_t *a = user;
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op) && !a->fails; i++) {
        MlirValue result = mlirOperationGetResult(op, i);
        const int dim = kiln_dim_of_index(a, result);
        for (int d = dim + 1; dim >= 0 && d < rank_of(result); d++)
            a->fails |= kiln_varies_with_index(kiln_variation_of(a, result, d));
    }
    a->fails |= has_index(a, op) && !keeps_apart(a, op);
    return a->fails ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

bool kiln_keeps_indices_apart(const analysis_t *a)
{
    return !a->fails;
}

kiln_status_t kiln_tile_index_create(MlirOperation root, MlirValue start, int64_t size,
                                     MlirValue bound, int64_t constant, kiln_tile_index_t **out)
{
    *out = NULL;
    analysis_t *a = calloc(1, sizeof *a);
    if (!a)
        return kiln_status_out_of_memory();
    *a = (analysis_t){
        .root = root, .start = start, .size = size, .bound = bound, .constant = constant};
    do {
        a->changed = false;
        kiln_walk(root, MlirWalkPreOrder, visit, a);
    } while (a->changed && !a->out_of_memory);
    if (a->out_of_memory) {
        kiln_tile_index_destroy(a);
        return kiln_status_out_of_memory();
    }
    kiln_walk(root, MlirWalkPreOrder, check, a);
    *out = a;
    return KILN_OK;
}

void kiln_tile_index_destroy(kiln_tile_index_t *a)
{
    if (!a)
        return;
    kiln_pointer_map_free(&a->row_of);
    free(a->rows);
    free(a);
}
