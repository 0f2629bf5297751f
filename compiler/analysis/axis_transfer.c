// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One short function per family of operations. All numbers are powers of two, so a greatest common
// divisor is a minimum.
//
// Note that contiguity of pointers counts elements but their divisibility counts bytes, so relating
// the two requires the size of the pointee.
#include "analysis/axis_transfer.h"

#include <mlir-c/BuiltinAttributes.h>

#include "analysis/pointer_root.h"
#include "analysis/program_bound.h"
#include "builder/compare.h"
#include "builder/ir.h"

static const int64_t MOST = (int64_t)1 << 40;          // the divisibility of zero
static const int32_t MOST_MULTIPLE = (int32_t)1 << 30; // the same of steps
static const kiln_axis_steps_t no_steps = {1, 1, 1};

static int64_t min64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t power_of_two_in(int64_t value)
{
    // Unsigned, because the smallest number has no negation.
    uint64_t bits = (uint64_t)value, lowest = bits & -bits;
    return lowest == 0 || lowest > (uint64_t)MOST ? MOST : (int64_t)lowest;
}

static int64_t floor_power_of_two(int64_t value)
{
    return value < 1 ? 1 : (int64_t)1 << (63 - __builtin_clzll((unsigned long long)value));
}

// Number of bytes between elements of a contiguous group of pointers; 1 for integers.
static int64_t step_of(MlirType type)
{
    MlirType element = kiln_type_element(type);
    if (!kiln_type_is_ptr(element))
        return 1;
    int bits = kiln_type_bits(kiln_ptr_pointee(element));
    return bits > 8 ? bits / 8 : 1;
}

static int64_t size_of(MlirType type, int dim)
{
    return kiln_type_is_tensor(type) ? floor_power_of_two(kiln_type_dim(type, dim)) : 1;
}

kiln_axis_info_t kiln_axis_unknown(MlirType type)
{
    kiln_axis_info_t info = {.rank = kiln_type_is_tensor(type) ? kiln_type_rank(type) : 1};
    for (int d = 0; d < KILN_MAX_RANK; d++) {
        info.contiguity[d] = info.divisibility[d] = info.constancy[d] = info.run[d] = 1;
        info.steps[d] = no_steps;
    }
    return info;
}

// Returns the value as a signed number of the type's width; booleans are 0 and 1.
static int64_t wrap(MlirType type, int64_t value)
{
    int bits = kiln_type_bits(type);
    if (bits == 1)
        return value & 1;
    return bits >= 64 ? value : (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits);
}

static kiln_axis_info_t constant_info(MlirType type, int64_t value)
{
    value = wrap(type, value);
    kiln_axis_info_t info = kiln_axis_unknown(type);
    info.is_constant = true;
    info.constant = value;
    for (int d = 0; d < info.rank; d++) {
        info.divisibility[d] = power_of_two_in(value);
        info.constancy[d] = size_of(type, d);
    }
    return info;
}

// Divisibility of the first elements of groups of `contiguity`, which may be smaller than the
// value's own groups.
static int64_t divisibility_in_groups(const kiln_axis_info_t *info, int dim, int64_t contiguity,
                                      int64_t step)
{
    if (info->contiguity[dim] <= contiguity)
        return info->divisibility[dim];
    return min64(info->divisibility[dim], contiguity * step);
}

// At most `count` steps of each group; the first of the smaller groups are multiples of less.
// `unit` is the distance between steps.
static kiln_axis_steps_t fewer_steps(kiln_axis_steps_t steps, int64_t count, int64_t unit)
{
    if (count >= steps.count)
        return steps;
    if (count < 2)
        return no_steps;
    return (kiln_axis_steps_t){steps.width, (int32_t)count,
                               (int32_t)min64(steps.multiple, count * unit)};
}

// Steps of width · count elements are left where something else is only known for `group` elements.
static kiln_axis_steps_t steps_within(kiln_axis_steps_t steps, int64_t group, int64_t unit)
{
    return steps.width < 2 ? no_steps : fewer_steps(steps, group / steps.width, unit);
}

static kiln_axis_steps_t steps_of_multiples(kiln_axis_steps_t steps, int64_t multiple)
{
    if (steps.width > 1)
        steps.multiple = (int32_t)min64(steps.multiple, multiple);
    return steps;
}

static kiln_axis_steps_t join_steps(kiln_axis_steps_t a, kiln_axis_steps_t b, int64_t unit)
{
    if (a.width != b.width || a.width < 2)
        return no_steps;
    const int64_t count = min64(a.count, b.count);
    return steps_of_multiples(fewer_steps(a, count, unit), fewer_steps(b, count, unit).multiple);
}

kiln_axis_info_t kiln_axis_join(const kiln_axis_info_t *a, const kiln_axis_info_t *b, MlirType type)
{
    kiln_axis_info_t info = kiln_axis_unknown(type);
    if (a->rank != b->rank)
        return info;
    int64_t step = step_of(type);
    info.is_constant = a->is_constant && b->is_constant && a->constant == b->constant;
    info.constant = info.is_constant ? a->constant : 0;
    for (int d = 0; d < a->rank; d++) {
        int64_t contiguity = min64(a->contiguity[d], b->contiguity[d]);
        info.contiguity[d] = contiguity;
        info.divisibility[d] = min64(divisibility_in_groups(a, d, contiguity, step),
                                     divisibility_in_groups(b, d, contiguity, step));
        info.constancy[d] = min64(a->constancy[d], b->constancy[d]);
        info.run[d] = min64(a->run[d], b->run[d]);
        info.steps[d] = join_steps(a->steps[d], b->steps[d], step);
    }
    return info;
}

bool kiln_axis_equal(const kiln_axis_info_t *a, const kiln_axis_info_t *b)
{
    bool same =
        a->rank == b->rank && a->is_constant == b->is_constant && a->constant == b->constant;
    for (int d = 0; d < a->rank && same; d++)
        same = a->contiguity[d] == b->contiguity[d] && a->divisibility[d] == b->divisibility[d] &&
               a->constancy[d] == b->constancy[d] && a->run[d] == b->run[d] &&
               a->steps[d].width == b->steps[d].width && a->steps[d].count == b->steps[d].count &&
               a->steps[d].multiple == b->steps[d].multiple;
    return same;
}

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
        info.constancy[d] = min64(in->a->constancy[d], in->b->constancy[d]);
    return info;
}

// Steps to which something is added that is constant in each of their groups.
static kiln_axis_steps_t steps_of_sum(const binary_t *in, int dim, int64_t sign, int64_t b_scale)
{
    const int64_t step = step_of(in->type), a = divisibility_in_groups(in->a, dim, 1, step),
                  b = divisibility_in_groups(in->b, dim, 1, 1) * b_scale;
    kiln_axis_steps_t steps = steps_within(in->a->steps[dim], in->b->constancy[dim], step);
    if (steps.width > 1)
        return steps_of_multiples(steps, b);
    steps = steps_within(in->b->steps[dim], in->a->constancy[dim], 1);
    if (steps.width < 2 || sign < 0)
        return no_steps;
    steps.multiple = (int32_t)min64(MOST_MULTIPLE, steps.multiple * b_scale);
    return steps_of_multiples(steps, a);
}

static kiln_axis_info_t sum(const binary_t *in, int64_t sign, int64_t b_scale)
{
    if (in->a->is_constant && in->b->is_constant && b_scale == 1)
        return constant_info(
            in->type, (int64_t)((uint64_t)in->a->constant + (uint64_t)(sign * in->b->constant)));
    kiln_axis_info_t info = begin_binary(in);
    int64_t step = step_of(in->type);
    for (int d = 0; d < info.rank; d++) {
        int64_t contiguity = min64(in->a->contiguity[d], in->b->constancy[d]);
        info.run[d] = min64(in->a->run[d], in->b->constancy[d]);
        if (sign > 0) {
            contiguity = max64(contiguity, min64(in->a->constancy[d], in->b->contiguity[d]));
            info.run[d] = max64(info.run[d], min64(in->a->constancy[d], in->b->run[d]));
        }
        info.contiguity[d] = contiguity;
        info.divisibility[d] =
            min64(divisibility_in_groups(in->a, d, contiguity, step),
                  min64(MOST, divisibility_in_groups(in->b, d, contiguity, 1) * b_scale));
        info.steps[d] = steps_of_sum(in, d, sign, b_scale);
    }
    return info;
}

static kiln_axis_info_t product(const binary_t *in)
{
    if (in->a->is_constant && in->b->is_constant)
        return constant_info(in->type,
                             (int64_t)((uint64_t)in->a->constant * (uint64_t)in->b->constant));
    if ((in->a->is_constant && in->a->constant == 0) ||
        (in->b->is_constant && in->b->constant == 0))
        return constant_info(in->type, 0);
    if (in->a->is_constant && in->a->constant == 1)
        return *in->b;
    if (in->b->is_constant && in->b->constant == 1)
        return *in->a;
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        int64_t a = divisibility_in_groups(in->a, d, 1, 1),
                b = divisibility_in_groups(in->b, d, 1, 1);
        info.divisibility[d] = a >= MOST / b ? MOST : a * b;
    }
    return info;
}

// The size of aligned groups of contiguous elements that start at multiples of their size, and so
// do not wrap, neither signed nor unsigned.
static int64_t whole_group(const kiln_axis_info_t *info, int dim, int bits)
{
    int64_t most = bits < 41 ? (int64_t)1 << (bits - 1) : MOST;
    return min64(most, min64(info->contiguity[dim], info->divisibility[dim]));
}

// The size of aligned groups of contiguous elements of `a` that lie between two multiples of b,
// which is constant in them.
static int64_t group_between_multiples(const kiln_axis_info_t *a, const kiln_axis_info_t *b,
                                       int dim, int bits)
{
    int64_t size = min64(whole_group(a, dim, bits), b->constancy[dim]);
    return min64(size, divisibility_in_groups(b, dim, 1, 1));
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
        return no_steps;
    return (kiln_axis_steps_t){(int32_t)divisor, (int32_t)(group / divisor),
                               (int32_t)min64(MOST_MULTIPLE, min64(first, group) / divisor)};
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
        return constant_info(in->type, in->a->constant / in->b->constant);
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        if (groups_are_equal)
            info.constancy[d] =
                max64(info.constancy[d], group_between_multiples(in->a, in->b, d, bits));
        // Exact only for a power of two: a = k·2^n, so a / 2^m = k·2^(n−m).
        int64_t a = divisibility_in_groups(in->a, d, 1, 1);
        if (in->b->is_constant && in->b->constant > 0 &&
            (in->b->constant & (in->b->constant - 1)) == 0) {
            info.divisibility[d] = max64(1, a / in->b->constant);
            if (groups_are_equal)
                info.steps[d] = steps_of_quotient(in, d);
        }
    }
    return info;
}

static kiln_axis_info_t remainder_of(const binary_t *in, bool groups_are_whole)
{
    if (in->a->is_constant && in->b->is_constant && in->b->constant > 0 && in->a->constant >= 0)
        return constant_info(in->type, in->a->constant % in->b->constant);
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        if (groups_are_whole)
            info.contiguity[d] = info.run[d] =
                group_between_multiples(in->a, in->b, d, kiln_type_bits(in->type));
        info.divisibility[d] = min64(divisibility_in_groups(in->a, d, info.contiguity[d], 1),
                                     divisibility_in_groups(in->b, d, 1, 1));
    }
    return info;
}

// Shifts by a constant are treated as products and quotients.
static bool shift_factor(const binary_t *in, kiln_axis_info_t *factor)
{
    int most = kiln_type_bits(in->type) - 2; // so that the factor is a positive number of the type
    if (!in->b->is_constant || in->b->constant < 0 || in->b->constant > (most < 39 ? most : 39))
        return false;
    *factor = constant_info(in->type, (int64_t)1 << in->b->constant);
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

static kiln_axis_info_t bitwise(const binary_t *in, kiln_op_t kind)
{
    if (in->a->is_constant && in->b->is_constant) {
        int64_t a = in->a->constant, b = in->b->constant;
        return constant_info(in->type, kind == KILN_OP_ARITH_ANDI  ? a & b
                                       : kind == KILN_OP_ARITH_ORI ? a | b
                                                                   : a ^ b);
    }
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        int64_t a = divisibility_in_groups(in->a, d, 1, 1),
                b = divisibility_in_groups(in->b, d, 1, 1);
        info.divisibility[d] = kind == KILN_OP_ARITH_ANDI ? max64(a, b) : min64(a, b);
        // x & (2^k − 1) is a remainder.
        int64_t mask = in->b->is_constant ? in->b->constant : 0;
        if (kind == KILN_OP_ARITH_ANDI && mask > 0 && (mask & (mask + 1)) == 0) {
            info.contiguity[d] = info.run[d] =
                min64(in->a->contiguity[d], min64(in->a->divisibility[d], mask + 1));
            info.divisibility[d] =
                min64(MOST, divisibility_in_groups(in->a, d, info.contiguity[d], 1));
        }
    }
    return info;
}

static kiln_axis_info_t choice(const binary_t *in)
{
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++)
        info.divisibility[d] =
            min64(divisibility_in_groups(in->a, d, 1, 1), divisibility_in_groups(in->b, d, 1, 1));
    return info;
}

static kiln_axis_info_t compare(const binary_t *in)
{
    kiln_axis_info_t info = begin_binary(in);
    const kiln_cmpi_t predicate = kiln_cmpi_of(in->op);
    const int bits = kiln_type_bits(mlirValueGetType(kiln_op_operand(in->op, 0)));
    // m decides [m, m+1, …) < n if both are multiples of the group. The same holds for the
    // negation, but not for ≤.
    bool by_a = predicate == KILN_CMPI_SLT || predicate == KILN_CMPI_SGE ||
                predicate == KILN_CMPI_ULT || predicate == KILN_CMPI_UGE;
    bool by_b = predicate == KILN_CMPI_SGT || predicate == KILN_CMPI_SLE ||
                predicate == KILN_CMPI_UGT || predicate == KILN_CMPI_ULE;
    for (int d = 0; d < info.rank; d++) {
        int64_t group = by_a   ? group_between_multiples(in->a, in->b, d, bits)
                        : by_b ? group_between_multiples(in->b, in->a, d, bits)
                               : 1;
        info.constancy[d] = max64(info.constancy[d], group);
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
    int64_t step = step_of(type);
    for (int d = 0; d < info.rank; d++) {
        int64_t contiguity = min64(info.contiguity[d], condition->constancy[d]);
        info.divisibility[d] = divisibility_in_groups(&info, d, contiguity, step);
        info.contiguity[d] = contiguity;
        info.constancy[d] = min64(info.constancy[d], condition->constancy[d]);
        info.run[d] = min64(info.run[d], condition->constancy[d]);
        info.steps[d] = steps_within(info.steps[d], condition->constancy[d], step);
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
        info.constancy[d] = size_of(type, d);
    }
    return info;
}

static kiln_axis_info_t expand_dims(MlirOperation op, MlirType type, const kiln_axis_info_t *in)
{
    int axis = (int)kiln_ir_int_attr(op, "axis", 0);
    // Along the new dimension every element starts a group.
    int64_t step = step_of(type), everywhere = MOST;
    for (int d = 0; d < in->rank; d++)
        everywhere = min64(everywhere, divisibility_in_groups(in, d, 1, step));
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
        if (size_of(from, d) == 1 && size_of(type, d) > 1) {
            info.divisibility[d] = divisibility_in_groups(in, d, 1, step_of(type));
            info.contiguity[d] = info.run[d] = 1;
            info.constancy[d] = size_of(type, d);
            info.steps[d] = no_steps;
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
    info.contiguity[0] = info.run[0] = floor_power_of_two(end - start);
    info.divisibility[0] = power_of_two_in(start);
    return info;
}

// The same bits with another element size: groups of pointers are split, or preserved if elements
// have one size. What is known of pointers that are accessed does not hold for their numbers.
static kiln_axis_info_t reinterpret(MlirType from, MlirType to, const kiln_axis_info_t *in)
{
    int64_t from_step = step_of(from), to_step = step_of(to);
    kiln_axis_info_t info = *in;
    const bool is_number =
        kiln_type_is_ptr(kiln_type_element(from)) != kiln_type_is_ptr(kiln_type_element(to));
    if (from_step == to_step && !is_number)
        return info;
    for (int d = 0; d < info.rank; d++) {
        info.divisibility[d] = divisibility_in_groups(in, d, 1, from_step);
        info.contiguity[d] = info.run[d] = 1;
        info.steps[d] = no_steps;
    }
    return info;
}

// Groups larger than the signed range of the type would wrap.
static kiln_axis_info_t truncation(MlirType type, const kiln_axis_info_t *in)
{
    int bits = kiln_type_bits(type);
    if (in->is_constant)
        return constant_info(type, in->constant);
    int64_t most = bits < 32 ? (int64_t)1 << (bits - 1) : MOST;
    kiln_axis_info_t info = *in;
    for (int d = 0; d < info.rank; d++) {
        info.contiguity[d] = min64(in->contiguity[d], most);
        info.divisibility[d] = divisibility_in_groups(in, d, info.contiguity[d], 1);
        info.run[d] = min64(in->run[d], most);
        info.steps[d] = fewer_steps(in->steps[d], most, 1);
        info.steps[d] = steps_of_multiples(info.steps[d], most);
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
        return constant_info(type, bits == 1 ? -in->constant : in->constant);
    if (in->is_constant && bits < 64)
        return constant_info(type, (int64_t)((uint64_t)in->constant & (((uint64_t)1 << bits) - 1)));
    kiln_axis_info_t info = *in;
    info.is_constant = false;
    info.constant = 0;
    for (int d = 0; d < info.rank; d++) {
        if ((info.contiguity[d] <= whole_group(in, d, bits) &&
             info.steps[d].count <= info.steps[d].multiple) ||
            kiln_is_known_not_to_wrap(ranges, value, has_sign))
            continue;
        info.steps[d] = fewer_steps(in->steps[d], in->steps[d].multiple, 1);
        info.contiguity[d] = whole_group(in, d, bits);
        info.divisibility[d] = divisibility_in_groups(in, d, info.contiguity[d], 1);
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
    return sum(&with, 1, step_of(in->type));
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
            return constant_info(type, constant);
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

// Hints -------------------------------------------------------------------------------------------

static int64_t hint_at(MlirAttribute hint, int dim)
{
    if (mlirAttributeIsNull(hint))
        return 1;
    if (mlirAttributeIsAInteger(hint))
        return dim == 0 ? mlirIntegerAttrGetValueInt(hint) : 1;
    if (mlirAttributeIsADenseI32Array(hint))
        return dim < mlirDenseArrayGetNumElements(hint) ? mlirDenseI32ArrayGetElement(hint, dim)
                                                        : 1;
    if (!mlirAttributeIsADenseElements(hint))
        return 1;
    MlirType element = mlirShapedTypeGetElementType(mlirAttributeGetType(hint));
    if (!mlirTypeIsAInteger(element) || dim >= mlirElementsAttrGetNumElements(hint))
        return 1;
    if (mlirIntegerTypeGetWidth(element) == 32)
        return mlirDenseElementsAttrGetInt32Value(hint, dim);
    return mlirIntegerTypeGetWidth(element) == 64 ? mlirDenseElementsAttrGetInt64Value(hint, dim)
                                                  : 1;
}

static void raise_to(int64_t *value, int64_t hint)
{
    int64_t power = hint < 1 ? 1 : power_of_two_in(hint);
    *value = max64(*value, power);
}

void kiln_axis_apply_hints(kiln_axis_info_t *info, MlirType type, MlirAttribute divisibility,
                           MlirAttribute contiguity, MlirAttribute constancy)
{
    for (int d = 0; d < info->rank; d++) {
        // A hint about the groups replaces facts about smaller ones.
        int64_t group = min64(hint_at(contiguity, d), size_of(type, d)),
                multiple = hint_at(divisibility, d);
        raise_to(&info->contiguity[d], group);
        raise_to(&info->run[d], group);
        // The hint describes the first number of a run; if the run is known to be split, also the
        // first numbers of its parts.
        if (info->contiguity[d] < info->run[d])
            multiple = min64(multiple, info->contiguity[d] * step_of(type));
        raise_to(&info->divisibility[d], multiple);
        raise_to(&info->constancy[d], min64(hint_at(constancy, d), size_of(type, d)));
    }
}
