// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfer functions of axis information, one short function per family of operations. All
// numbers are powers of two, so a greatest common divisor is a minimum.
#include "analysis/axis/transfer.h"

#include <mlir-c/BuiltinAttributes.h>

#include "analysis/memory/pointer_root.h"
#include "analysis/range/program_bound.h"
#include "builder/compare.h"
#include "builder/ir.h"

// Arithmetic --------------------------------------------------------------------------------------

typedef struct binary {
    MlirOperation op;
    MlirType type;
    const kiln_axis_info_t *a, *b;
    const kiln_range_analysis_t *ranges;
} binary_t;

// Facts that hold for every element-wise function of two values.
static kiln_axis_info_t begin_binary(const binary_t *in)
{
    kiln_axis_info_t info = kiln_axis_unknown(in->type);
    for (int d = 0; d < info.rank; d++)
        info.constancy[d] = kiln_axis_min(in->a->constancy[d], in->b->constancy[d]);
    return info;
}

// Steps of a sum with an addend that is constant in each of their groups.
static kiln_axis_steps_t steps_of_sum(const binary_t *in, int dim, int64_t sign, int64_t b_scale)
{
    const int64_t step = kiln_axis_step(in->type),
                  a = kiln_axis_divisibility_in(in->a, dim, 1, step),
                  b = kiln_axis_divisibility_in(in->b, dim, 1, 1) * b_scale;
    kiln_axis_steps_t steps =
        kiln_axis_steps_within(in->a->steps[dim], in->b->constancy[dim], step);
    if (steps.width > 1)
        return kiln_axis_steps_of_multiples(steps, b);
    steps = kiln_axis_steps_within(in->b->steps[dim], in->a->constancy[dim], 1);
    if (steps.width < 2 || sign < 0)
        return kiln_axis_no_steps;
    steps.multiple = (int32_t)kiln_axis_min(KILN_AXIS_MAX_MULTIPLE, steps.multiple * b_scale);
    return kiln_axis_steps_of_multiples(steps, a);
}

static kiln_axis_info_t sum(const binary_t *in, int64_t sign, int64_t b_scale)
{
    if (in->a->is_constant && in->b->is_constant && b_scale == 1)
        return kiln_axis_constant(in->type, (int64_t)((uint64_t)in->a->constant +
                                                      (uint64_t)sign * (uint64_t)in->b->constant));
    kiln_axis_info_t info = begin_binary(in);
    int64_t step = kiln_axis_step(in->type);
    for (int d = 0; d < info.rank; d++) {
        int64_t contiguity = kiln_axis_min(in->a->contiguity[d], in->b->constancy[d]);
        info.run[d] = kiln_axis_min(in->a->run[d], in->b->constancy[d]);
        if (sign > 0) {
            contiguity =
                kiln_axis_max(contiguity, kiln_axis_min(in->a->constancy[d], in->b->contiguity[d]));
            info.run[d] =
                kiln_axis_max(info.run[d], kiln_axis_min(in->a->constancy[d], in->b->run[d]));
        }
        info.contiguity[d] = contiguity;
        info.divisibility[d] = kiln_axis_min(
            kiln_axis_divisibility_in(in->a, d, contiguity, step),
            kiln_axis_min(KILN_AXIS_MAX,
                          kiln_axis_divisibility_in(in->b, d, contiguity, 1) * b_scale));
        info.steps[d] = steps_of_sum(in, d, sign, b_scale);
    }
    return info;
}

static kiln_axis_info_t product(const binary_t *in)
{
    if (in->a->is_constant && in->b->is_constant)
        return kiln_axis_constant(in->type,
                                  (int64_t)((uint64_t)in->a->constant * (uint64_t)in->b->constant));
    if ((in->a->is_constant && in->a->constant == 0) ||
        (in->b->is_constant && in->b->constant == 0))
        return kiln_axis_constant(in->type, 0);
    if (in->a->is_constant && in->a->constant == 1)
        return *in->b;
    if (in->b->is_constant && in->b->constant == 1)
        return *in->a;
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        int64_t a = kiln_axis_divisibility_in(in->a, d, 1, 1),
                b = kiln_axis_divisibility_in(in->b, d, 1, 1);
        info.divisibility[d] = a >= KILN_AXIS_MAX / b ? KILN_AXIS_MAX : a * b;
    }
    return info;
}

// The size of aligned groups of contiguous elements that start at multiples of their size, and
// therefore wrap neither as signed nor as unsigned numbers.
static int64_t whole_group(const kiln_axis_info_t *info, int dim, int bits)
{
    int64_t max = bits < 41 ? (int64_t)1 << (bits - 1) : KILN_AXIS_MAX;
    return kiln_axis_min(max, kiln_axis_min(info->contiguity[dim], info->divisibility[dim]));
}

// The size of aligned groups of contiguous elements of `a` that lie between two multiples of b,
// which is constant in them.
static int64_t group_between_multiples(const kiln_axis_info_t *a, const kiln_axis_info_t *b,
                                       int dim, int bits)
{
    int64_t size = kiln_axis_min(whole_group(a, dim, bits), b->constancy[dim]);
    return kiln_axis_min(size, kiln_axis_divisibility_in(b, dim, 1, 1));
}

static bool is_known_non_negative(const binary_t *in, int operand)
{
    return kiln_is_known_non_negative(in->ranges, kiln_op_operand(in->op, operand));
}

static bool is_known_positive(const binary_t *in, int operand)
{
    return kiln_is_known_positive(in->ranges, kiln_op_operand(in->op, operand));
}

// Quotients of consecutive numbers by a power of two, rounded down. A group that starts at a
// multiple of the divisor has whole steps only.
static kiln_axis_steps_t steps_of_quotient(const binary_t *in, int dim)
{
    const int64_t divisor = in->b->constant, first = in->a->divisibility[dim];
    int64_t group = whole_group(in->a, dim, kiln_type_bits(in->type));
    if (kiln_is_known_not_to_wrap(in->ranges, kiln_op_operand(in->op, 0), true) &&
        kiln_is_known_not_to_wrap(in->ranges, kiln_op_operand(in->op, 0), false))
        group = in->a->contiguity[dim];
    if (divisor < 2 || first < divisor || group < 2 * divisor)
        return kiln_axis_no_steps;
    return (kiln_axis_steps_t){
        (int32_t)divisor, (int32_t)(group / divisor),
        (int32_t)kiln_axis_min(KILN_AXIS_MAX_MULTIPLE, kiln_axis_min(first, group) / divisor)};
}

// a / b for b not 0. A group of a that lies between two multiples of b has equal quotients if these
// are rounded down or unsigned. Signed division rounds towards zero, so only the first of (−16 …
// −1) / 16 is −1.
static kiln_axis_info_t quotient(const binary_t *in, bool groups_are_equal)
{
    const int bits = kiln_type_bits(in->type);
    if (in->b->is_constant && in->b->constant == 1 && bits > 1)
        return *in->a;
    if (in->a->is_constant && in->b->is_constant && in->b->constant > 0 && in->a->constant >= 0)
        return kiln_axis_constant(in->type, in->a->constant / in->b->constant);
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        if (groups_are_equal)
            info.constancy[d] =
                kiln_axis_max(info.constancy[d], group_between_multiples(in->a, in->b, d, bits));
        // Exact only for a power of two: a = k·2^n, so a / 2^m = k·2^(n−m).
        int64_t a = kiln_axis_divisibility_in(in->a, d, 1, 1);
        if (in->b->is_constant && in->b->constant > 0 &&
            (in->b->constant & (in->b->constant - 1)) == 0) {
            info.divisibility[d] = kiln_axis_max(1, a / in->b->constant);
            if (groups_are_equal)
                info.steps[d] = steps_of_quotient(in, d);
        }
    }
    return info;
}

static kiln_axis_info_t remainder_of(const binary_t *in, bool groups_are_whole)
{
    if (in->a->is_constant && in->b->is_constant && in->b->constant > 0 && in->a->constant >= 0)
        return kiln_axis_constant(in->type, in->a->constant % in->b->constant);
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        if (groups_are_whole)
            info.contiguity[d] = info.run[d] =
                group_between_multiples(in->a, in->b, d, kiln_type_bits(in->type));
        info.divisibility[d] =
            kiln_axis_min(kiln_axis_divisibility_in(in->a, d, info.contiguity[d], 1),
                          kiln_axis_divisibility_in(in->b, d, 1, 1));
    }
    return info;
}

// Shifts by a constant are treated as products and quotients.
static bool shift_factor(const binary_t *in, kiln_axis_info_t *factor)
{
    int max = kiln_type_bits(in->type) - 2; // so that the factor is a positive number of the type
    if (!in->b->is_constant || in->b->constant < 0 || in->b->constant > (max < 39 ? max : 39))
        return false;
    *factor = kiln_axis_constant(in->type, (int64_t)1 << in->b->constant);
    return true;
}

static kiln_axis_info_t shift(const binary_t *in, kiln_op_t kind)
{
    kiln_axis_info_t factor;
    if (!shift_factor(in, &factor))
        return begin_binary(in);
    binary_t with = {in->op, in->type, in->a, &factor, in->ranges};
    if (kind == KILN_OP_ARITH_SHLI)
        return product(&with);
    // Shifts round down, so negative groups are equal, too.
    kiln_axis_info_t info = quotient(&with, true);
    if (kind == KILN_OP_ARITH_SHRUI)
        info.is_constant = false;
    return info;
}

// The largest power of two that divides a number other than 0.
static int64_t power_within(int64_t number)
{
    const int zeros = __builtin_ctzll((uint64_t)number);
    return INT64_C(1) << (zeros < 62 ? zeros : 62);
}

static kiln_axis_info_t bitwise(const binary_t *in, kiln_op_t kind)
{
    if (in->a->is_constant && in->b->is_constant) {
        int64_t a = in->a->constant, b = in->b->constant;
        return kiln_axis_constant(in->type, kind == KILN_OP_ARITH_ANDI  ? a & b
                                            : kind == KILN_OP_ARITH_ORI ? a | b
                                                                        : a ^ b);
    }
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        int64_t a = kiln_axis_divisibility_in(in->a, d, 1, 1),
                b = kiln_axis_divisibility_in(in->b, d, 1, 1);
        info.divisibility[d] =
            kind == KILN_OP_ARITH_ANDI ? kiln_axis_max(a, b) : kiln_axis_min(a, b);
        int64_t mask = in->b->is_constant ? in->b->constant : 0;
        // Consecutive numbers between multiples of 2^k differ in their low k bits alone.
        if (kind == KILN_OP_ARITH_ANDI && mask != 0)
            info.constancy[d] = kiln_axis_max(
                info.constancy[d],
                kiln_axis_min(kiln_axis_min(in->a->contiguity[d], in->a->divisibility[d]),
                              power_within(mask)));
        // x & (2^k − 1) is a remainder. 2^k may be 2^63, which no int64_t holds.
        if (kind == KILN_OP_ARITH_ANDI && mask > 0 && (mask & (int64_t)((uint64_t)mask + 1)) == 0) {
            const int64_t size = mask < KILN_AXIS_MAX ? mask + 1 : KILN_AXIS_MAX;
            info.contiguity[d] = info.run[d] =
                kiln_axis_min(in->a->contiguity[d], kiln_axis_min(in->a->divisibility[d], size));
            info.divisibility[d] = kiln_axis_min(
                KILN_AXIS_MAX, kiln_axis_divisibility_in(in->a, d, info.contiguity[d], 1));
        }
    }
    return info;
}

static kiln_axis_info_t choice(const binary_t *in)
{
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++)
        info.divisibility[d] = kiln_axis_min(kiln_axis_divisibility_in(in->a, d, 1, 1),
                                             kiln_axis_divisibility_in(in->b, d, 1, 1));
    return info;
}

static kiln_axis_info_t compare(const binary_t *in)
{
    kiln_axis_info_t info = begin_binary(in);
    const kiln_cmpi_t predicate = kiln_cmpi_of(in->op);
    const int bits = kiln_type_bits(mlirValueGetType(kiln_op_operand(in->op, 0)));
    // The first number m decides whether [m, m+1, …) < n if m and n are multiples of the group's
    // size. The same holds for the negation, but not for ≤.
    bool by_a = predicate == KILN_CMPI_SLT || predicate == KILN_CMPI_SGE ||
                predicate == KILN_CMPI_ULT || predicate == KILN_CMPI_UGE;
    bool by_b = predicate == KILN_CMPI_SGT || predicate == KILN_CMPI_SLE ||
                predicate == KILN_CMPI_UGT || predicate == KILN_CMPI_ULE;
    for (int d = 0; d < info.rank; d++) {
        int64_t group = by_a   ? group_between_multiples(in->a, in->b, d, bits)
                        : by_b ? group_between_multiples(in->b, in->a, d, bits)
                               : 1;
        info.constancy[d] = kiln_axis_max(info.constancy[d], group);
    }
    return info;
}

static kiln_axis_info_t select_info(MlirOperation op, const kiln_axis_info_t *operands)
{
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    const kiln_axis_info_t *condition = &operands[0];
    kiln_axis_info_t info = kiln_axis_join(&operands[1], &operands[2], type);
    if (!kiln_type_is_tensor(mlirValueGetType(kiln_op_operand(op, 0))))
        return info;
    int64_t step = kiln_axis_step(type);
    for (int d = 0; d < info.rank; d++) {
        int64_t contiguity = kiln_axis_min(info.contiguity[d], condition->constancy[d]);
        info.divisibility[d] = kiln_axis_divisibility_in(&info, d, contiguity, step);
        info.contiguity[d] = contiguity;
        info.constancy[d] = kiln_axis_min(info.constancy[d], condition->constancy[d]);
        info.run[d] = kiln_axis_min(info.run[d], condition->constancy[d]);
        info.steps[d] = kiln_axis_steps_within(info.steps[d], condition->constancy[d], step);
    }
    return info;
}

// Shapes ------------------------------------------------------------------------------------------

static kiln_axis_info_t splat(MlirType type, const kiln_axis_info_t *scalar)
{
    kiln_axis_info_t info = kiln_axis_unknown(type);
    info.is_constant = scalar->is_constant;
    info.constant = scalar->constant;
    for (int d = 0; d < info.rank; d++) {
        info.divisibility[d] = scalar->divisibility[0];
        info.constancy[d] = kiln_axis_size(type, d);
    }
    return info;
}

static kiln_axis_info_t expand_dims(MlirOperation op, MlirType type, const kiln_axis_info_t *in)
{
    int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    // Along the new dimension every element starts a group.
    int64_t step = kiln_axis_step(type), everywhere = KILN_AXIS_MAX;
    for (int d = 0; d < in->rank; d++)
        everywhere = kiln_axis_min(everywhere, kiln_axis_divisibility_in(in, d, 1, step));
    kiln_axis_info_t info = kiln_axis_unknown(type);
    info.is_constant = in->is_constant;
    info.constant = in->constant;
    for (int d = 0; d < info.rank; d++) {
        if (d == axis) {
            info.divisibility[d] = everywhere;
            continue;
        }
        int from = d < axis ? d : d - 1;
        info.contiguity[d] = in->contiguity[from];
        info.divisibility[d] = in->divisibility[from];
        info.constancy[d] = in->constancy[from];
        info.run[d] = in->run[from];
        info.steps[d] = in->steps[from];
    }
    return info;
}

static kiln_axis_info_t broadcast(MlirOperation op, MlirType type, const kiln_axis_info_t *in)
{
    MlirType from = mlirValueGetType(kiln_op_operand(op, 0));
    kiln_axis_info_t info = *in;
    for (int d = 0; d < info.rank; d++)
        if (kiln_axis_size(from, d) == 1 && kiln_axis_size(type, d) > 1) {
            info.divisibility[d] = kiln_axis_divisibility_in(in, d, 1, kiln_axis_step(type));
            info.contiguity[d] = info.run[d] = 1;
            info.constancy[d] = kiln_axis_size(type, d);
            info.steps[d] = kiln_axis_no_steps;
        }
    return info;
}

static kiln_axis_info_t transpose(MlirOperation op, MlirType type, const kiln_axis_info_t *in)
{
    MlirAttribute order = kiln_ir_attr(op, "order");
    kiln_axis_info_t info = kiln_axis_unknown(type);
    if (mlirAttributeIsNull(order) || !mlirAttributeIsADenseI32Array(order))
        return info;
    info.is_constant = in->is_constant;
    info.constant = in->constant;
    for (int d = 0; d < info.rank; d++) {
        int from = mlirDenseI32ArrayGetElement(order, d);
        info.contiguity[d] = in->contiguity[from];
        info.divisibility[d] = in->divisibility[from];
        info.constancy[d] = in->constancy[from];
        info.run[d] = in->run[from];
        info.steps[d] = in->steps[from];
    }
    return info;
}

static kiln_axis_info_t make_range(MlirOperation op, MlirType type)
{
    int64_t start = kiln_ir_int_attr(op, "start", 0), end = kiln_ir_int_attr(op, "end", 0);
    kiln_axis_info_t info = kiln_axis_unknown(type);
    info.contiguity[0] = info.run[0] = kiln_axis_floor_power(end - start);
    info.divisibility[0] = kiln_axis_power_in(start);
    return info;
}

// The same bits with another element size: groups of pointers are split, or preserved if elements
// have one size. Facts that hold for the pointers of an access do not hold for their integer
// values.
static kiln_axis_info_t reinterpret(MlirType from, MlirType to, const kiln_axis_info_t *in)
{
    int64_t from_step = kiln_axis_step(from), to_step = kiln_axis_step(to);
    kiln_axis_info_t info = *in;
    const bool is_number =
        kiln_type_is_ptr(kiln_type_element(from)) != kiln_type_is_ptr(kiln_type_element(to));
    if (from_step == to_step && !is_number)
        return info;
    for (int d = 0; d < info.rank; d++) {
        info.divisibility[d] = kiln_axis_divisibility_in(in, d, 1, from_step);
        info.contiguity[d] = info.run[d] = 1;
        info.steps[d] = kiln_axis_no_steps;
    }
    return info;
}

// Groups larger than the signed range of the type would wrap.
static kiln_axis_info_t truncation(MlirType type, const kiln_axis_info_t *in)
{
    int bits = kiln_type_bits(type);
    if (in->is_constant)
        return kiln_axis_constant(type, in->constant);
    int64_t max = bits < 32 ? (int64_t)1 << (bits - 1) : KILN_AXIS_MAX;
    kiln_axis_info_t info = *in;
    for (int d = 0; d < info.rank; d++) {
        info.contiguity[d] = kiln_axis_min(in->contiguity[d], max);
        info.divisibility[d] = kiln_axis_divisibility_in(in, d, info.contiguity[d], 1);
        info.run[d] = kiln_axis_min(in->run[d], max);
        info.steps[d] = kiln_axis_fewer_steps(in->steps[d], max, 1);
        info.steps[d] = kiln_axis_steps_of_multiples(info.steps[d], max);
    }
    return info;
}

// The number in a wider type: a group that wraps before is not contiguous afterwards. `value` is
// the narrow one.
static kiln_axis_info_t extension(MlirValue value, const kiln_axis_info_t *in, MlirType type,
                                  bool has_sign, const kiln_range_analysis_t *ranges)
{
    const int bits = kiln_type_bits(mlirValueGetType(value));
    if (in->is_constant && has_sign)
        return kiln_axis_constant(type, bits == 1 ? -in->constant : in->constant);
    if (in->is_constant && bits < 64)
        return kiln_axis_constant(type,
                                  (int64_t)((uint64_t)in->constant & (((uint64_t)1 << bits) - 1)));
    kiln_axis_info_t info = *in;
    info.is_constant = false;
    info.constant = 0;
    for (int d = 0; d < info.rank; d++) {
        if ((info.contiguity[d] <= whole_group(in, d, bits) &&
             info.steps[d].count <= info.steps[d].multiple) ||
            kiln_is_known_not_to_wrap(ranges, value, has_sign))
            continue;
        info.steps[d] = kiln_axis_fewer_steps(in->steps[d], in->steps[d].multiple, 1);
        info.contiguity[d] = whole_group(in, d, bits);
        info.divisibility[d] = kiln_axis_divisibility_in(in, d, info.contiguity[d], 1);
    }
    return info;
}

static kiln_axis_info_t cast_to(MlirOperation op, MlirType type, const kiln_axis_info_t *in,
                                bool has_sign, const kiln_range_analysis_t *ranges)
{
    MlirValue value = kiln_op_operand(op, 0);
    return kiln_type_bits(mlirValueGetType(value)) > kiln_type_bits(type)
               ? truncation(type, in)
               : extension(value, in, type, has_sign, ranges);
}

static bool is_below_2_gib(MlirValue pointer)
{
    MlirValue root = kiln_pointer_root(pointer);
    if (mlirValueIsNull(root) || !mlirValueIsABlockArgument(root))
        return false;
    MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(root));
    return kiln_op_kind(parent) == KILN_OP_TT_FUNC && kiln_argument_lies_below_2_gib(parent, root);
}

// Offsets are signed, in 64 bits. If one of 32 bits wraps within a group, the elements next to that
// are 2^32 − 1 elements apart, so memory below 2 GiB does not hold both.
static kiln_axis_info_t moved_pointer(const binary_t *in)
{
    MlirValue offset = kiln_op_operand(in->op, 1);
    const int bits = kiln_type_bits(mlirValueGetType(offset));
    kiln_axis_info_t wide = *in->b;
    if (bits < 32 || (bits < 64 && !is_below_2_gib(kiln_op_operand(in->op, 0))))
        wide = extension(offset, in->b, mlirValueGetType(offset), true, in->ranges);
    wide.is_constant = false; // as a number of bytes it may not fit the narrow type
    binary_t with = {in->op, in->type, in->a, &wide, in->ranges};
    return sum(&with, 1, kiln_axis_step(in->type));
}

// Dispatch ----------------------------------------------------------------------------------------

kiln_axis_info_t kiln_axis_transfer(MlirOperation op, const kiln_axis_info_t *operands,
                                    const kiln_range_analysis_t *ranges)
{
    if (mlirOperationGetNumResults(op) == 0)
        return (kiln_axis_info_t){0};
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    kiln_op_t kind = kiln_op_kind(op);
    binary_t in = {op, type, &operands[0], &operands[1], ranges};
    int64_t constant;
    switch (kind) {
    case KILN_OP_ARITH_CONSTANT:
        if (kiln_ir_constant_int(kiln_op_result(op, 0), &constant))
            return kiln_axis_constant(type, constant);
        return kiln_axis_unknown(type);
    case KILN_OP_TT_MAKE_RANGE:
        return make_range(op, type);
    case KILN_OP_TT_SPLAT:
        return splat(type, &operands[0]);
    case KILN_OP_TT_EXPAND_DIMS:
        return expand_dims(op, type, &operands[0]);
    case KILN_OP_TT_BROADCAST:
        return broadcast(op, type, &operands[0]);
    case KILN_OP_TT_TRANS:
        return transpose(op, type, &operands[0]);
    case KILN_OP_TTG_CONVERT_LAYOUT:
        return operands[0];
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_EXTUI:
    case KILN_OP_ARITH_TRUNCI:
    case KILN_OP_ARITH_INDEX_CAST:
    case KILN_OP_ARITH_INDEX_CASTUI:
        return cast_to(op, type, &operands[0],
                       kind == KILN_OP_ARITH_EXTSI || kind == KILN_OP_ARITH_INDEX_CAST, ranges);
    case KILN_OP_TT_BITCAST:
    case KILN_OP_TT_INT_TO_PTR:
    case KILN_OP_TT_PTR_TO_INT:
        return reinterpret(mlirValueGetType(kiln_op_operand(op, 0)), type, &operands[0]);
    case KILN_OP_TT_ADDPTR:
        return moved_pointer(&in);
    case KILN_OP_ARITH_ADDI:
        return sum(&in, 1, 1);
    case KILN_OP_ARITH_SUBI:
        return sum(&in, -1, 1);
    case KILN_OP_ARITH_MULI:
        return product(&in);
    case KILN_OP_ARITH_DIVUI:
        return quotient(&in, true);
    case KILN_OP_ARITH_DIVSI:
        return quotient(&in, is_known_non_negative(&in, 0));
    case KILN_OP_ARITH_FLOORDIVSI:
        return quotient(&in, is_known_positive(&in, 1));
    case KILN_OP_ARITH_REMUI:
        return remainder_of(&in, true);
    case KILN_OP_ARITH_REMSI:
        return remainder_of(&in, is_known_non_negative(&in, 0));
    case KILN_OP_ARITH_SHLI:
    case KILN_OP_ARITH_SHRUI:
    case KILN_OP_ARITH_SHRSI:
        return shift(&in, kind);
    case KILN_OP_ARITH_ANDI:
    case KILN_OP_ARITH_ORI:
    case KILN_OP_ARITH_XORI:
        return bitwise(&in, kind);
    case KILN_OP_ARITH_MINSI:
    case KILN_OP_ARITH_MINUI:
    case KILN_OP_ARITH_MAXSI:
    case KILN_OP_ARITH_MAXUI:
        return choice(&in);
    case KILN_OP_ARITH_CMPI:
        return compare(&in);
    case KILN_OP_ARITH_SELECT:
        return select_info(op, operands);
    default:
        return kiln_axis_unknown(type);
    }
}
