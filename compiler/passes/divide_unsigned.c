// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces signed divisions by unsigned ones if the operands are not negative: if the ranges of
// both operands prove it (analysis/range/integer_range.h), or if the dividend is used only in
// masked addresses and the masks prove it:
//
//   %v = arith.addi %x, -192                        %v = arith.addi %x, -192
//   %q = arith.divsi %v, 64                         %q = arith.divui %v, 64
//   %m = arith.cmpi sge, %x, 192           →        %m = arith.cmpi sge, %x, 192
//   %p = tt.addptr %base, %q                        %p = tt.addptr %base, %q
//   %l = tt.load %p, %m                             %l = tt.load %p, %m
//
// Programs that read the pieces of a concatenation have this form. The quotients of a signed
// division are not evenly spaced around zero, so axis analysis would not find contiguous
// neighbours, and rounding towards zero costs instructions.
//
// The mask and the dividend must be compared at the same element, so dimensions are tracked along
// both use-def chains.
#include <stdlib.h>

#include "analysis/memory/effects.h"
#include "analysis/range/integer_range.h"
#include "analysis/range/masked_range.h"
#include "analysis/range/place.h"
#include "base/array.h"
#include "builder/compare.h"
#include "builder/ir.h"
#include "builder/op_facts.h"
#include "passes/pass.h"

enum {
    MAX_STEPS = 400, // from one division to its accesses, and from a mask to its comparisons
};

// The elements that accesses let through; caches the last mask that was analysed.
typedef struct masks {
    const kiln_range_analysis_t *ranges;
    MlirValue mask; // the mask that `facts` describe
    kiln_masked_ranges_t facts;
} masks_t;

// A number as root + constant.
typedef struct number {
    MlirValue root;
    kiln_place_t place;
    int64_t plus;
} number_t;

static int expanded_dim(MlirOperation expand)
{
    return (int)kiln_ir_int_attr(expand, "axis", 0);
}

static bool reshapes(kiln_op_t kind)
{
    return kind == KILN_OP_TT_SPLAT || kind == KILN_OP_TT_BROADCAST ||
           kind == KILN_OP_TT_EXPAND_DIMS;
}

static int64_t wrapped(int64_t value, int bits)
{
    return bits >= 64 ? value : (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

// Strips constants that are added to a number. A widening is stripped only if no constant has been
// added after it.
static number_t split(MlirValue value, const kiln_place_t *place)
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
            number.plus = wrapped(kind == KILN_OP_ARITH_ADDI
                                      ? (int64_t)((uint64_t)number.plus + (uint64_t)constant)
                                      : (int64_t)((uint64_t)number.plus - (uint64_t)constant),
                                  bits);
        else if (!(reshapes(kind) && kiln_place_of_operand(op, &number.place, &number.place)) &&
                 (kind != KILN_OP_ARITH_EXTSI || number.plus != 0))
            return number;
        number.root = kiln_op_operand(op, 0);
    }
}

// The smallest value of its first operand for which a comparison holds; false if the comparison
// does not imply a lower bound of zero or more.
static bool lower_bound(MlirOperation compare, int64_t *out)
{
    const kiln_cmpi_t predicate = kiln_cmpi_of(compare);
    int64_t constant;
    if (!kiln_ir_constant_int(kiln_op_operand(compare, 1), &constant) || constant < 0 ||
        constant == INT64_MAX)
        return false;
    *out = predicate == KILN_CMPI_SGT                                 ? constant + 1
           : predicate == KILN_CMPI_ULT || predicate == KILN_CMPI_ULE ? 0
                                                                      : constant;
    return predicate == KILN_CMPI_EQ || predicate == KILN_CMPI_SGT || predicate == KILN_CMPI_SGE ||
           predicate == KILN_CMPI_ULT || predicate == KILN_CMPI_ULE;
}

// Whether the mask implies that the number is not negative.
static bool mask_bounds(MlirValue mask, const kiln_place_t *place, const number_t *number,
                        int *steps)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(mask, &op);
    if (--*steps < 0)
        return false;
    if (kind == KILN_OP_ARITH_ANDI)
        return mask_bounds(kiln_op_operand(op, 0), place, number, steps) ||
               mask_bounds(kiln_op_operand(op, 1), place, number, steps);
    kiln_place_t inner;
    if (reshapes(kind) && kiln_place_of_operand(op, place, &inner))
        return mask_bounds(kiln_op_operand(op, 0), &inner, number, steps);
    int64_t min;
    if (kind != KILN_OP_ARITH_CMPI || !lower_bound(op, &min))
        return false;
    number_t compared = split(kiln_op_operand(op, 0), place);
    // number = compared + distance, which does not wrap from `min` up if the distance is not
    // positive.
    int64_t distance = wrapped((int64_t)((uint64_t)number->plus - (uint64_t)compared.plus),
                               kiln_type_bits(mlirValueGetType(number->root)));
    return mlirValueEqual(compared.root, number->root) &&
           kiln_place_equal(&compared.place, &number->place) && distance <= 0 &&
           min + distance >= 0;
}

// Whether the mask implies that the value is not negative.
static bool is_bounded(MlirValue value, const kiln_place_t *place, MlirValue mask, int *steps)
{
    MlirOperation op;
    int64_t constant;
    kiln_op_t kind = kiln_value_op(value, &op);
    if (--*steps < 0)
        return false;
    kiln_place_t inner;
    if (reshapes(kind) && kiln_place_of_operand(op, place, &inner))
        return is_bounded(kiln_op_operand(op, 0), &inner, mask, steps);
    bool keeps_sign = kind == KILN_OP_ARITH_DIVSI || kind == KILN_OP_ARITH_DIVUI ||
                      kind == KILN_OP_ARITH_REMSI || kind == KILN_OP_ARITH_REMUI;
    if (keeps_sign && kiln_ir_constant_int(kiln_op_operand(op, 1), &constant) && constant > 0)
        return is_bounded(kiln_op_operand(op, 0), place, mask, steps);
    kiln_place_t whole;
    number_t number = split(value, place);
    return kiln_place_begin(mask, &whole) && mask_bounds(mask, &whole, &number, steps);
}

// Whether ranges prove that the value is not negative wherever the access's mask is true.
static bool is_not_negative(masks_t *masks, MlirOperation access, MlirValue mask, MlirValue value,
                            const kiln_place_t *place)
{
    if (mlirValueIsNull(masks->mask) || !mlirValueEqual(masks->mask, mask))
        kiln_masked_ranges_begin(masks->ranges, access, mask, &masks->facts);
    masks->mask = mask;
    const kiln_range_t range = kiln_masked_range_of(&masks->facts, value, place);
    return range.bits && range.signed_min >= 0;
}

// Whether `value` is used only in addresses of accesses whose masks bound `dividend`, whose place
// in `value` is given.
static bool is_masked(MlirValue value, MlirValue dividend, const kiln_place_t *place,
                      masks_t *masks, int *steps)
{
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
        MlirOperation user = mlirOpOperandGetOwner(use);
        unsigned index = mlirOpOperandGetOperandNumber(use);
        kiln_op_t kind = kiln_op_kind(user);
        MlirValue mask = kiln_mask_of(user);
        if (--*steps < 0)
            return false;
        if (!mlirValueIsNull(mask)) {
            if (index != 0 || !(is_bounded(dividend, place, mask, steps) ||
                                is_not_negative(masks, user, mask, dividend, place)))
                return false;
            continue;
        }
        // A wrong value in a masked element is harmless, because the element is not accessed. The
        // exception is a divisor, which could become zero.
        bool is_arithmetic =
            kiln_op_has(kind, KILN_PLAIN) || (kiln_op_has(kind, KILN_DIVIDES) && index == 0);
        if (mlirOperationGetNumResults(user) != 1 ||
            !(is_arithmetic || reshapes(kind) || kind == KILN_OP_TT_ADDPTR))
            return false;
        kiln_place_t outer = *place;
        if (kind == KILN_OP_TT_EXPAND_DIMS)
            for (int d = 0; d < outer.rank; ++d)
                outer.dim[d] += outer.dim[d] >= expanded_dim(user);
        if (!is_masked(kiln_op_result(user, 0), dividend, &outer, masks, steps))
            return false;
    }
    return true;
}

// Whether all elements with a negative dividend are masked. The divisor is a positive constant.
static bool is_masked_dividend(masks_t *masks, MlirOperation op)
{
    int64_t divisor;
    kiln_place_t place;
    int steps = MAX_STEPS;
    return kiln_ir_constant_int(kiln_op_operand(op, 1), &divisor) && divisor > 0 &&
           kiln_place_begin(kiln_op_operand(op, 0), &place) &&
           is_masked(kiln_op_result(op, 0), kiln_op_operand(op, 0), &place, masks, &steps);
}

// Returns the unsigned form of a signed division, or KILN_OP_UNKNOWN for other operations.
static kiln_op_t without_sign(kiln_op_t kind)
{
    switch (kind) {
    case KILN_OP_ARITH_DIVSI:
    case KILN_OP_ARITH_FLOORDIVSI:
        return KILN_OP_ARITH_DIVUI;
    case KILN_OP_ARITH_CEILDIVSI:
        return KILN_OP_ARITH_CEILDIVUI;
    case KILN_OP_ARITH_REMSI:
        return KILN_OP_ARITH_REMUI;
    default:
        return KILN_OP_UNKNOWN;
    }
}

typedef struct divisions {
    kiln_range_analysis_t *ranges; // created at the first division
    masks_t masks;
    MlirOperation *replaced; // erased at the end: ranges are keyed by address, which new operations
                             // could reuse
    size_t count, capacity;
    kiln_status_t status;
    MlirOperation root;
} divisions_t;

static MlirWalkResult visit(MlirOperation op, void *user)
{
    divisions_t *divisions = user;
    kiln_op_t kind = kiln_op_kind(op);
    if (without_sign(kind) == KILN_OP_UNKNOWN)
        return MlirWalkResultAdvance;
    if (!divisions->ranges)
        divisions->status = kiln_range_analysis_create(divisions->root, &divisions->ranges);
    if (divisions->status)
        return MlirWalkResultInterrupt;
    MlirValue dividend = kiln_op_operand(op, 0), divisor = kiln_op_operand(op, 1),
              result = kiln_op_result(op, 0);
    divisions->masks.ranges = divisions->ranges;
    bool neither_is_negative = kiln_is_known_non_negative(divisions->ranges, dividend) &&
                               kiln_is_known_non_negative(divisions->ranges, divisor);
    bool may_be_masked = kind == KILN_OP_ARITH_DIVSI || kind == KILN_OP_ARITH_REMSI;
    if (!neither_is_negative && !(may_be_masked && is_masked_dividend(&divisions->masks, op)))
        return MlirWalkResultAdvance;
    if (!KILN_ARRAY_RESERVE(&divisions->replaced, &divisions->capacity, divisions->count + 1)) {
        divisions->status = kiln_status_out_of_memory();
        return MlirWalkResultInterrupt;
    }
    kiln_ir_t ir = kiln_ir_before(op);
    kiln_value_replace(result, kiln_ir_binary(&ir, without_sign(kind), dividend, divisor));
    divisions->replaced[divisions->count++] = op;
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_divide_unsigned(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    divisions_t divisions = {.root = mlirModuleGetOperation(module)};
    kiln_walk(divisions.root, MlirWalkPostOrder, visit, &divisions);
    kiln_range_analysis_destroy(divisions.ranges);
    for (size_t i = 0; i < divisions.count; i++)
        kiln_op_erase(divisions.replaced[i]);
    free(divisions.replaced);
    return divisions.status;
}
