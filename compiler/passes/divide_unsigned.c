// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides without a sign what the masks say is not negative, where only masked addresses are made of it:
//
//   %v = arith.addi %x, -192                        %v = arith.addi %x, -192
//   %q = arith.divsi %v, 64                         %q = arith.divui %v, 64
//   %m = arith.cmpi sge, %x, 192           →        %m = arith.cmpi sge, %x, 192
//   %p = tt.addptr %base, %q                        %p = tt.addptr %base, %q
//   %l = tt.load %p, %m                             %l = tt.load %p, %m
//
// So pieces of a concatenation are read. Groups of numbers around zero are not divided evenly with a sign, so that
// neighbours would not be seen to lie side by side, and rounding towards zero costs instructions.
//
// The thing one gets wrong: the mask's element and the number's must be the same one, so dimensions are followed on
// both ways.
#include "builder/ir.h"
#include "passes/loop_effects.h"
#include "passes/pass.h"

enum {
    MOST_DIMS = 8,
    MOST_STEPS = 400, // of the ways from one division to its accesses, and from a mask to its comparisons
};

// Which dimension of an access each of a value's dimensions is.
typedef struct place {
    int rank;
    int dim[MOST_DIMS];
} place_t;

// A number as another one plus a constant.
typedef struct number {
    MlirValue root;
    place_t place;
    int64_t plus;
} number_t;

static bool begin_place(MlirValue value, place_t *out)
{
    out->rank = kiln_type_rank(mlirValueGetType(value));
    for (int d = 0; d < out->rank && d < MOST_DIMS; ++d)
        out->dim[d] = d;
    return out->rank < MOST_DIMS;
}

static bool same_place(const place_t *a, const place_t *b)
{
    bool same = a->rank == b->rank;
    for (int d = 0; d < a->rank && same; ++d)
        same = a->dim[d] == b->dim[d];
    return same;
}

static int expanded_dim(MlirOperation expand)
{
    return (int)kiln_ir_int_attr(expand, "axis", 0);
}

static bool reshapes(kiln_op_t kind)
{
    return kind == KILN_OP_TT_SPLAT || kind == KILN_OP_TT_BROADCAST || kind == KILN_OP_TT_EXPAND_DIMS;
}

static bool is_arithmetic(kiln_op_t kind)
{
    return kind > KILN_OP_ARITH_CONSTANT && kind <= KILN_OP_MATH_ISFINITE;
}

// The place of a reshaping operation's operand, from its result's.
static place_t operand_place(MlirOperation op, const place_t *result)
{
    place_t place = {0};
    if (kiln_op_kind(op) == KILN_OP_TT_SPLAT)
        return place;
    bool expands = kiln_op_kind(op) == KILN_OP_TT_EXPAND_DIMS;
    for (int d = 0; d < result->rank; ++d)
        if (!expands || d != expanded_dim(op))
            place.dim[place.rank++] = result->dim[d];
    return place;
}

static int64_t wrapped(int64_t value, int bits)
{
    return bits >= 64 ? value : (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

// Follows a number to what constants are added to. Widened, it is the same one if nothing was added since.
static number_t split(MlirValue value, const place_t *place)
{
    number_t number = {value, *place, 0};
    for (;;) {
        MlirOperation op;
        int64_t constant;
        kiln_op_t kind = kiln_value_op(number.root, &op);
        bool adds = (kind == KILN_OP_ARITH_ADDI || kind == KILN_OP_ARITH_SUBI) &&
                    kiln_ir_constant_int(kiln_op_operand(op, 1), &constant);
        int bits = kiln_type_bits(mlirValueGetType(number.root));
        if (adds)
            number.plus = wrapped(kind == KILN_OP_ARITH_ADDI ? (int64_t)((uint64_t)number.plus + (uint64_t)constant)
                                                             : (int64_t)((uint64_t)number.plus - (uint64_t)constant),
                                  bits);
        else if (reshapes(kind))
            number.place = operand_place(op, &number.place);
        else if (kind != KILN_OP_ARITH_EXTSI || number.plus != 0)
            return number;
        number.root = kiln_op_operand(op, 0);
    }
}

// The least value that a comparison leaves its first operand; false where it sets no lower bound of zero or more.
static bool lower_bound(MlirOperation compare, int64_t *out)
{
    enum { EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE };
    int64_t predicate = kiln_ir_int_attr(compare, "predicate", NE), constant;
    if (!kiln_ir_constant_int(kiln_op_operand(compare, 1), &constant) || constant < 0 || constant == INT64_MAX)
        return false;
    *out = predicate == SGT ? constant + 1 : predicate == ULT || predicate == ULE ? 0 : constant;
    return predicate == EQ || predicate == SGT || predicate == SGE || predicate == ULT || predicate == ULE;
}

// Whether the mask holds only where the number is not negative.
static bool mask_bounds(MlirValue mask, const place_t *place, const number_t *number, int *steps)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(mask, &op);
    if (--*steps < 0)
        return false;
    if (kind == KILN_OP_ARITH_ANDI)
        return mask_bounds(kiln_op_operand(op, 0), place, number, steps) ||
               mask_bounds(kiln_op_operand(op, 1), place, number, steps);
    if (reshapes(kind)) {
        place_t inner = operand_place(op, place);
        return mask_bounds(kiln_op_operand(op, 0), &inner, number, steps);
    }
    int64_t least;
    if (kind != KILN_OP_ARITH_CMPI || !lower_bound(op, &least))
        return false;
    number_t compared = split(kiln_op_operand(op, 0), place);
    // number = compared + distance, which wraps nowhere from `least` up if the distance is not positive.
    int64_t distance = wrapped((int64_t)((uint64_t)number->plus - (uint64_t)compared.plus),
                               kiln_type_bits(mlirValueGetType(number->root)));
    return mlirValueEqual(compared.root, number->root) && same_place(&compared.place, &number->place) &&
           distance <= 0 && least + distance >= 0;
}

// Whether the value is not negative where the mask holds.
static bool is_bounded(MlirValue value, const place_t *place, MlirValue mask, int *steps)
{
    MlirOperation op;
    int64_t constant;
    kiln_op_t kind = kiln_value_op(value, &op);
    if (--*steps < 0)
        return false;
    if (reshapes(kind)) {
        place_t inner = operand_place(op, place);
        return is_bounded(kiln_op_operand(op, 0), &inner, mask, steps);
    }
    bool divides = kind == KILN_OP_ARITH_DIVSI || kind == KILN_OP_ARITH_DIVUI || kind == KILN_OP_ARITH_REMSI ||
                   kind == KILN_OP_ARITH_REMUI;
    if (divides && kiln_ir_constant_int(kiln_op_operand(op, 1), &constant) && constant > 0)
        return is_bounded(kiln_op_operand(op, 0), place, mask, steps);
    place_t whole;
    number_t number = split(value, place);
    return begin_place(mask, &whole) && mask_bounds(mask, &whole, &number, steps);
}

// The mask of an access, whose address is operand 0; null where it has none, or is no such access.
static MlirValue mask_of(MlirOperation op)
{
    int mask, shape;
    return kiln_op_mask(kiln_op_kind(op), &mask, &shape) ? kiln_op_segment(op, mask) : (MlirValue){NULL};
}

// Whether all that becomes of `value` is addresses of accesses whose masks bound `dividend`, whose place in `value` is
// given.
static bool is_masked(MlirValue value, MlirValue dividend, const place_t *place, int *steps)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        unsigned index = mlirOpOperandGetOperandNumber(use);
        kiln_op_t kind = kiln_op_kind(user);
        MlirValue mask = mask_of(user);
        if (--*steps < 0)
            return false;
        if (!mlirValueIsNull(mask)) {
            if (index != 0 || !is_bounded(dividend, place, mask, steps))
                return false;
            continue;
        }
        bool is_divisor = index == 1 && kind >= KILN_OP_ARITH_DIVSI && kind <= KILN_OP_ARITH_REMUI;
        if (is_divisor || mlirOperationGetNumResults(user) != 1 ||
            !(is_arithmetic(kind) || reshapes(kind) || kind == KILN_OP_TT_ADDPTR))
            return false;
        place_t outer = *place;
        if (kind == KILN_OP_TT_EXPAND_DIMS)
            for (int d = 0; d < outer.rank; ++d)
                outer.dim[d] += outer.dim[d] >= expanded_dim(user);
        if (!is_masked(kiln_op_result(user, 0), dividend, &outer, steps))
            return false;
    }
    return true;
}

static MlirWalkResult visit(MlirOperation op, void *user)
{
    (void)user;
    kiln_op_t kind = kiln_op_kind(op);
    int64_t divisor;
    if ((kind != KILN_OP_ARITH_DIVSI && kind != KILN_OP_ARITH_REMSI) ||
        !kiln_ir_constant_int(kiln_op_operand(op, 1), &divisor) || divisor <= 0)
        return MlirWalkResultAdvance;
    MlirValue dividend = kiln_op_operand(op, 0), result = kiln_op_result(op, 0);
    place_t place;
    int steps = MOST_STEPS;
    if (!begin_place(dividend, &place) || !is_masked(result, dividend, &place, &steps))
        return MlirWalkResultAdvance;
    kiln_ir_t ir = kiln_ir_before(op);
    kiln_value_replace(result,
                       kiln_ir_binary(&ir, kind == KILN_OP_ARITH_DIVSI ? KILN_OP_ARITH_DIVUI : KILN_OP_ARITH_REMUI,
                                      dividend, kiln_op_operand(op, 1)));
    kiln_op_erase(op);
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_divide_unsigned(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPostOrder, visit, NULL);
    return KILN_OK;
}
