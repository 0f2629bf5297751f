// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves that a reduction's region commutes: that f(a, b) and f(b, a) are the same value, or the
// same tuple. Two proofs, of which each result of the region needs one:
//
//   - Symmetry. The expression with its arguments exchanged is the same expression, where operands
//     of sums, products, maxima and so on may be exchanged: a + b, max(|a|, |b|), …
//   - Selection. The result is one of its two elements by a condition on how the elements compare,
//     as in argmax: `a > b or (a == b and i < j) ? a : b`. The condition is evaluated for all
//     combinations of <, = and > (and NaN) of each operand; it must choose the other side when the
//     elements change places, unless they are equal.
//
// Note that a region which takes the same side for a NaN on either side, as `a > b ? a : b` does,
// is not associative for NaNs: there is no result to keep, so NaNs need not be proved.
#include "analysis/plan/combine.h"
#include "builder/compare.h"
#include "builder/ir.h"

enum { MAX_VISITS = 1024, MAX_SELECTED = 4, MAX_DEPTH = 32 };

typedef struct region {
    MlirBlock block;
    int operands, visits;
} region_t;

// The number of the region's argument; −1 for other values.
static int argument_of(const region_t *region, MlirValue value)
{
    if (!mlirValueIsABlockArgument(value) ||
        !mlirBlockEqual(mlirBlockArgumentGetOwner(value), region->block))
        return -1;
    return (int)mlirBlockArgumentGetArgNumber(value);
}

// How two floats compare, as bits, and those for which a predicate of arith.cmpf is true.
enum { CMPF_EQUAL = 1, CMPF_GREATER = 2, CMPF_LESS = 4, CMPF_UNORDERED = 8, CMPF_ANY = 15 };

static int float_predicate(MlirOperation op)
{
    enum { UEQ = 8, UNO = 14 }; // MLIR's numbers; those before UEQ are sums of the bits
    const int number = (int)kiln_ir_int_attr(op, "predicate", 0);
    return number < UEQ    ? number
           : number == UNO ? CMPF_UNORDERED
           : number < UNO  ? (number - UEQ + CMPF_EQUAL) | CMPF_UNORDERED
                           : CMPF_ANY;
}

// Symmetry ----------------------------------------------------------------------------------------

static bool takes_operands_in_any_order(kiln_op_t kind)
{
    switch (kind) {
    case KILN_OP_ARITH_ADDF:
    case KILN_OP_ARITH_MULF:
    case KILN_OP_ARITH_MAXIMUMF:
    case KILN_OP_ARITH_MAXNUMF:
    case KILN_OP_ARITH_MINIMUMF:
    case KILN_OP_ARITH_MINNUMF:
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_MULI:
    case KILN_OP_ARITH_ANDI:
    case KILN_OP_ARITH_ORI:
    case KILN_OP_ARITH_XORI:
    case KILN_OP_ARITH_MAXSI:
    case KILN_OP_ARITH_MAXUI:
    case KILN_OP_ARITH_MINSI:
    case KILN_OP_ARITH_MINUI:
        return true;
    default:
        return false;
    }
}

static bool have_equal_attributes(MlirOperation a, MlirOperation b)
{
    const intptr_t count = mlirOperationGetNumAttributes(a);
    bool equal = count == mlirOperationGetNumAttributes(b);
    for (intptr_t i = 0; equal && i < count; i++) {
        const MlirNamedAttribute x = mlirOperationGetAttribute(a, i),
                                 y = mlirOperationGetAttribute(b, i);
        equal = mlirIdentifierEqual(x.name, y.name) && mlirAttributeEqual(x.attribute, y.attribute);
    }
    return equal;
}

// Whether two operations compute the same if their operands do, in this order or exchanged.
static bool are_alike(MlirOperation a, MlirOperation b, bool exchanged)
{
    const kiln_op_t kind = kiln_op_kind(a);
    if (exchanged && kind == KILN_OP_ARITH_CMPI)
        return kiln_cmpi_of(a) == kiln_cmpi_mirrored(kiln_cmpi_of(b));
    if (exchanged && kind == KILN_OP_ARITH_CMPF) {
        const int x = float_predicate(a), y = float_predicate(b);
        return (x & (CMPF_EQUAL | CMPF_UNORDERED)) == (y & (CMPF_EQUAL | CMPF_UNORDERED)) &&
               !(x & CMPF_LESS) == !(y & CMPF_GREATER) && !(x & CMPF_GREATER) == !(y & CMPF_LESS);
    }
    return have_equal_attributes(a, b) && (!exchanged || takes_operands_in_any_order(kind));
}

// Whether `a`, with the sides of the region's arguments exchanged, is `b`.
static bool is_mirrored(region_t *region, MlirValue a, MlirValue b, int depth)
{
    const int x = argument_of(region, a), y = argument_of(region, b), n = region->operands;
    if (x >= 0 || y >= 0)
        return x >= 0 && y == (x + n) % (2 * n);
    MlirOperation p, q;
    kiln_value_op(a, &p);
    kiln_value_op(b, &q);
    if (mlirOperationIsNull(p) || mlirOperationIsNull(q) ||
        !mlirBlockEqual(mlirOperationGetBlock(p), region->block))
        return mlirValueEqual(a, b);
    const intptr_t count = mlirOperationGetNumOperands(p);
    if (region->visits++ > MAX_VISITS || depth > MAX_DEPTH ||
        !mlirBlockEqual(mlirOperationGetBlock(q), region->block) ||
        !mlirIdentifierEqual(mlirOperationGetName(p), mlirOperationGetName(q)) ||
        !mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b)) ||
        mlirOpResultGetResultNumber(a) != mlirOpResultGetResultNumber(b) ||
        mlirOperationGetNumRegions(p) || count != mlirOperationGetNumOperands(q))
        return false;
    for (int exchanged = 0; exchanged < (count == 2 ? 2 : 1); exchanged++) {
        bool same = are_alike(p, q, exchanged);
        for (intptr_t i = 0; same && i < count; i++)
            same = is_mirrored(region, mlirOperationGetOperand(p, i),
                               mlirOperationGetOperand(q, exchanged ? 1 - i : i), depth + 1);
        if (same)
            return true;
    }
    return false;
}

// Selection ---------------------------------------------------------------------------------------

// How the left element of an operand compares with the right one.
typedef enum relation {
    EQUAL,
    GREATER,
    LESS,
    INTEGER_RELATIONS,
    LEFT_IS_NAN = INTEGER_RELATIONS,
    RIGHT_IS_NAN,
    BOTH_ARE_NAN,
    RELATIONS
} relation_t;

static const relation_t mirrored[RELATIONS] = {EQUAL,        LESS,        GREATER,
                                               RIGHT_IS_NAN, LEFT_IS_NAN, BOTH_ARE_NAN};

typedef enum truth { NO, YES, UNKNOWN } truth_t;

typedef struct selection {
    region_t *region;
    relation_t state[MAX_SELECTED];
    bool used[MAX_SELECTED];        // by the condition
    bool orders_nans[MAX_SELECTED]; // it tells a NaN on the left and right apart
    bool as_signed[MAX_SELECTED], as_unsigned[MAX_SELECTED]; // how integers are compared
} selection_t;

// How arguments x and y, of the same operand, compare in this state.
static relation_t relation_of(const selection_t *selection, int x, int y)
{
    const int n = selection->region->operands;
    const relation_t relation = selection->state[x % n];
    if (x != y)
        return x < y ? relation : mirrored[relation];
    return relation == BOTH_ARE_NAN || relation == (x < n ? LEFT_IS_NAN : RIGHT_IS_NAN)
               ? BOTH_ARE_NAN
               : EQUAL;
}

static truth_t compare(selection_t *selection, MlirOperation op)
{
    const int x = argument_of(selection->region, mlirOperationGetOperand(op, 0)),
              y = argument_of(selection->region, mlirOperationGetOperand(op, 1)),
              n = selection->region->operands;
    if (x < 0 || y < 0 || x % n != y % n)
        return UNKNOWN;
    const relation_t relation = relation_of(selection, x, y);
    selection->used[x % n] = true;
    if (kiln_op_kind(op) == KILN_OP_ARITH_CMPF) {
        const int bit = relation == EQUAL     ? CMPF_EQUAL
                        : relation == GREATER ? CMPF_GREATER
                        : relation == LESS    ? CMPF_LESS
                                              : CMPF_UNORDERED;
        return float_predicate(op) & bit ? YES : NO;
    }
    const kiln_cmpi_t predicate = kiln_cmpi_of(op);
    switch (predicate) {
    case KILN_CMPI_EQ:
        return relation == EQUAL ? YES : NO;
    case KILN_CMPI_NE:
        return relation != EQUAL ? YES : NO;
    case KILN_CMPI_SLT:
    case KILN_CMPI_ULT:
        selection->as_signed[x % n] |= predicate == KILN_CMPI_SLT;
        selection->as_unsigned[x % n] |= predicate == KILN_CMPI_ULT;
        return relation == LESS ? YES : NO;
    case KILN_CMPI_SGT:
    case KILN_CMPI_UGT:
        selection->as_signed[x % n] |= predicate == KILN_CMPI_SGT;
        selection->as_unsigned[x % n] |= predicate == KILN_CMPI_UGT;
        return relation == GREATER ? YES : NO;
    case KILN_CMPI_SLE:
    case KILN_CMPI_ULE:
        selection->as_signed[x % n] |= predicate == KILN_CMPI_SLE;
        selection->as_unsigned[x % n] |= predicate == KILN_CMPI_ULE;
        return relation != GREATER ? YES : NO;
    case KILN_CMPI_SGE:
    case KILN_CMPI_UGE:
        selection->as_signed[x % n] |= predicate == KILN_CMPI_SGE;
        selection->as_unsigned[x % n] |= predicate == KILN_CMPI_UGE;
        return relation != LESS ? YES : NO;
    default:
        return UNKNOWN;
    }
}

static truth_t evaluate(selection_t *selection, MlirValue value, int depth)
{
    MlirOperation op;
    int64_t constant;
    truth_t of[3] = {NO, NO, NO};
    const kiln_op_t kind = kiln_value_op(value, &op);
    if (kiln_type_bits(mlirValueGetType(value)) != 1 || depth > MAX_DEPTH)
        return UNKNOWN;
    if (kiln_ir_constant_int(value, &constant))
        return constant & 1 ? YES : NO;
    if (kind == KILN_OP_ARITH_CMPI || kind == KILN_OP_ARITH_CMPF)
        return compare(selection, op);
    if (kind != KILN_OP_ARITH_ANDI && kind != KILN_OP_ARITH_ORI && kind != KILN_OP_ARITH_XORI &&
        kind != KILN_OP_ARITH_SELECT)
        return UNKNOWN;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        if (selection->region->visits++ > MAX_VISITS ||
            (of[i] = evaluate(selection, mlirOperationGetOperand(op, i), depth + 1)) == UNKNOWN)
            return UNKNOWN;
    }
    return kind == KILN_OP_ARITH_ANDI   ? of[0] & of[1]
           : kind == KILN_OP_ARITH_ORI  ? of[0] | of[1]
           : kind == KILN_OP_ARITH_XORI ? of[0] ^ of[1]
           : of[0]                      ? of[1]
                                        : of[2];
}

// Whether the condition chooses the same side when the elements of the state change places.
static truth_t chooses_same_side(selection_t *selection, MlirValue condition)
{
    const int n = selection->region->operands;
    selection->region->visits = 0;
    const truth_t here = evaluate(selection, condition, 0);
    for (int i = 0; i < n; i++)
        selection->state[i] = mirrored[selection->state[i]];
    const truth_t there = evaluate(selection, condition, 0);
    for (int i = 0; i < n; i++)
        selection->state[i] = mirrored[selection->state[i]];
    return here == UNKNOWN || there == UNKNOWN ? UNKNOWN : here == there ? YES : NO;
}

static bool is_float(const region_t *region, int operand)
{
    const MlirType type = mlirValueGetType(mlirBlockGetArgument(region->block, operand));
    return mlirTypeIsAFloat(type);
}

// Whether the state has NaNs among which the region keeps no order.
static bool has_unordered_nan(const selection_t *selection)
{
    for (int i = 0; i < selection->region->operands; i++)
        if (selection->state[i] >= INTEGER_RELATIONS && !selection->orders_nans[i])
            return true;
    return false;
}

// Finds the operands that the condition uses, and those whose NaNs it orders.
static void find_used(selection_t *selection, MlirValue condition)
{
    const int n = selection->region->operands;
    chooses_same_side(selection, condition);
    for (int i = 0; i < n; i++) {
        selection->orders_nans[i] = true;
        if (!selection->used[i] || !is_float(selection->region, i))
            continue;
        selection->state[i] = LEFT_IS_NAN;
        selection->orders_nans[i] = chooses_same_side(selection, condition) == NO;
        selection->state[i] = EQUAL;
    }
}

static bool selects_by_order(region_t *region, MlirValue result, int operand)
{
    MlirOperation select;
    if (region->operands > MAX_SELECTED || kiln_value_op(result, &select) != KILN_OP_ARITH_SELECT)
        return false;
    const int n = region->operands, x = argument_of(region, mlirOperationGetOperand(select, 1)),
              y = argument_of(region, mlirOperationGetOperand(select, 2));
    if (x < 0 || y < 0 || x == y || x % n != operand || y % n != operand)
        return false;
    const MlirValue condition = mlirOperationGetOperand(select, 0);
    selection_t selection = {.region = region};
    find_used(&selection, condition);
    for (bool more = true; more;) {
        const relation_t own = selection.state[operand];
        if (own != EQUAL && own != BOTH_ARE_NAN && !has_unordered_nan(&selection) &&
            chooses_same_side(&selection, condition) != NO)
            return false;
        more = false;
        for (int i = 0; i < n && !more; i++) { // the next state
            const relation_t count = is_float(region, i) ? RELATIONS : INTEGER_RELATIONS;
            more = ++selection.state[i] < count;
            if (!more)
                selection.state[i] = EQUAL;
        }
    }
    for (int i = 0; i < n; i++)
        if (selection.as_signed[i] && selection.as_unsigned[i])
            return false;
    return true;
}

bool kiln_reduction_commutes(MlirOperation op)
{
    const MlirRegion body = mlirOperationGetRegion(op, 0);
    region_t region = {.block = mlirRegionGetFirstBlock(body),
                       .operands = (int)mlirOperationGetNumOperands(op)};
    if (!mlirBlockIsNull(mlirBlockGetNextInRegion(region.block)))
        return false;
    const MlirOperation end = kiln_block_terminator(region.block);
    for (int i = 0; i < region.operands; i++) {
        const MlirValue result = mlirOperationGetOperand(end, i);
        region.visits = 0;
        if (!is_mirrored(&region, result, result, 0) && !selects_by_order(&region, result, i))
            return false;
    }
    return true;
}
