// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One short function per family of operations; all numbers are powers of two, so a greatest common divisor is a
// minimum.
//
// The thing one gets wrong: contiguity of pointers counts elements but their divisibility counts bytes, so whatever
// relates the two multiplies by the size of the pointee.
#include "analysis/axis_transfer.h"

#include <mlir-c/BuiltinAttributes.h>

#include "builder/ir.h"

static const int64_t MOST = (int64_t)1 << 40; // what zero is divisible by, for us

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
    uint64_t bits = (uint64_t)value, lowest = bits & -bits; // unsigned, for the least number has no negative
    return lowest == 0 || lowest > (uint64_t)MOST ? MOST : (int64_t)lowest;
}

static int64_t floor_power_of_two(int64_t value)
{
    return value < 1 ? 1 : (int64_t)1 << (63 - __builtin_clzll((unsigned long long)value));
}

// Bytes from one element to the next in a contiguous group of such values; 1 for integers.
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
    for (int d = 0; d < KILN_MAX_RANK; d++)
        info.contiguity[d] = info.divisibility[d] = info.constancy[d] = 1;
    return info;
}

// The value as a signed number of the type's width; truth values are 0 and 1.
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

// Divisibility of the first elements of groups of `contiguity`, which may be smaller than the value's own groups.
static int64_t divisibility_in_groups(const kiln_axis_info_t *info, int dim, int64_t contiguity, int64_t step)
{
    if (info->contiguity[dim] <= contiguity)
        return info->divisibility[dim];
    return min64(info->divisibility[dim], contiguity * step);
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
        info.divisibility[d] =
            min64(divisibility_in_groups(a, d, contiguity, step), divisibility_in_groups(b, d, contiguity, step));
        info.constancy[d] = min64(a->constancy[d], b->constancy[d]);
    }
    return info;
}

bool kiln_axis_equal(const kiln_axis_info_t *a, const kiln_axis_info_t *b)
{
    bool same = a->rank == b->rank && a->is_constant == b->is_constant && a->constant == b->constant;
    for (int d = 0; d < a->rank && same; d++)
        same = a->contiguity[d] == b->contiguity[d] && a->divisibility[d] == b->divisibility[d] &&
               a->constancy[d] == b->constancy[d];
    return same;
}

// Arithmetic -----------------------------------------------------------------------------------------------------

typedef struct binary {
    MlirOperation op;
    MlirType type;
    const kiln_axis_info_t *a, *b;
} binary_t;

// What every function of two values element by element keeps.
static kiln_axis_info_t begin_binary(const binary_t *in)
{
    kiln_axis_info_t info = kiln_axis_unknown(in->type);
    for (int d = 0; d < info.rank; d++)
        info.constancy[d] = min64(in->a->constancy[d], in->b->constancy[d]);
    return info;
}

static kiln_axis_info_t sum(const binary_t *in, int64_t sign, int64_t b_scale)
{
    if (in->a->is_constant && in->b->is_constant && b_scale == 1)
        return constant_info(in->type, (int64_t)((uint64_t)in->a->constant + (uint64_t)(sign * in->b->constant)));
    kiln_axis_info_t info = begin_binary(in);
    int64_t step = step_of(in->type);
    for (int d = 0; d < info.rank; d++) {
        int64_t contiguity = min64(in->a->contiguity[d], in->b->constancy[d]);
        if (sign > 0)
            contiguity = max64(contiguity, min64(in->a->constancy[d], in->b->contiguity[d]));
        info.contiguity[d] = contiguity;
        info.divisibility[d] = min64(divisibility_in_groups(in->a, d, contiguity, step),
                                     min64(MOST, divisibility_in_groups(in->b, d, contiguity, 1) * b_scale));
    }
    return info;
}

static kiln_axis_info_t product(const binary_t *in)
{
    if (in->a->is_constant && in->b->is_constant)
        return constant_info(in->type, (int64_t)((uint64_t)in->a->constant * (uint64_t)in->b->constant));
    if ((in->a->is_constant && in->a->constant == 0) || (in->b->is_constant && in->b->constant == 0))
        return constant_info(in->type, 0);
    if (in->a->is_constant && in->a->constant == 1)
        return *in->b;
    if (in->b->is_constant && in->b->constant == 1)
        return *in->a;
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        int64_t a = divisibility_in_groups(in->a, d, 1, 1), b = divisibility_in_groups(in->b, d, 1, 1);
        info.divisibility[d] = a >= MOST / b ? MOST : a * b;
    }
    return info;
}

// Signed division truncates towards zero, so groups of negative numbers straddle zero. Addresses and indices are not
// negative, and without ranges that can't be proved of most; what comes from a subtraction, a negative constant, an
// argument or from memory is not trusted.
static bool may_be_negative(MlirValue value, int depth);

// Of a loop only the induction variable is followed.
static bool argument_may_be_negative(MlirValue value, int depth)
{
    if (!mlirValueIsABlockArgument(value))
        return false;
    MlirOperation parent = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value));
    if (kiln_op_kind(parent) == KILN_OP_SCF_FOR && mlirBlockArgumentGetArgNumber(value) == 0)
        return depth == 0 || may_be_negative(kiln_op_operand(parent, 0), depth - 1);
    return kiln_op_kind(parent) == KILN_OP_TT_FUNC;
}

static bool may_be_negative(MlirValue value, int depth)
{
    MlirOperation op;
    kiln_op_t kind = kiln_value_op(value, &op);
    int64_t constant;
    if (kiln_ir_constant_int(value, &constant))
        return constant < 0;
    switch (kind) {
    case KILN_OP_ARITH_SUBI:
    case KILN_OP_ARITH_FPTOSI:
    case KILN_OP_TT_LOAD:
        return true;
    case KILN_OP_ARITH_SELECT:
        return depth == 0 || may_be_negative(kiln_op_operand(op, 1), depth - 1) ||
               may_be_negative(kiln_op_operand(op, 2), depth - 1);
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_MULI:
    case KILN_OP_ARITH_MINSI:
    case KILN_OP_ARITH_ORI:
    case KILN_OP_ARITH_XORI:
        return depth == 0 || may_be_negative(kiln_op_operand(op, 0), depth - 1) ||
               may_be_negative(kiln_op_operand(op, 1), depth - 1);
    case KILN_OP_ARITH_MAXSI:
    case KILN_OP_ARITH_ANDI:
        return depth == 0 || (may_be_negative(kiln_op_operand(op, 0), depth - 1) &&
                              may_be_negative(kiln_op_operand(op, 1), depth - 1));
    case KILN_OP_ARITH_DIVSI:
    case KILN_OP_ARITH_REMSI:
    case KILN_OP_ARITH_SHRSI:
    case KILN_OP_ARITH_SHLI:
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_TRUNCI:
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TTG_CONVERT_LAYOUT:
        return depth == 0 || may_be_negative(kiln_op_operand(op, 0), depth - 1);
    default:
        return argument_may_be_negative(value, depth);
    }
}

enum { SIGN_DEPTH = 12 };

// Aligned groups of this many contiguous elements of `a` lie between two multiples of b, which is constant in them.
static int64_t group_between_multiples(const kiln_axis_info_t *a, const kiln_axis_info_t *b, int dim)
{
    int64_t size = min64(a->contiguity[dim], b->constancy[dim]);
    return min64(size, min64(a->divisibility[dim], b->divisibility[dim]));
}

// a / b for b not 0, where groups of a that lie between two multiples of b may be trusted to give equal quotients.
static kiln_axis_info_t quotient(const binary_t *in, bool groups_are_equal)
{
    if (in->b->is_constant && in->b->constant == 1)
        return *in->a;
    if (in->a->is_constant && in->b->is_constant && in->b->constant > 0 && in->a->constant >= 0)
        return constant_info(in->type, in->a->constant / in->b->constant);
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        if (groups_are_equal)
            info.constancy[d] = max64(info.constancy[d], group_between_multiples(in->a, in->b, d));
        // Exact only by a power of two: a = k·2^n, so a / 2^m = k·2^(n−m).
        int64_t a = divisibility_in_groups(in->a, d, 1, 1);
        if (in->b->is_constant && in->b->constant > 0 && (in->b->constant & (in->b->constant - 1)) == 0)
            info.divisibility[d] = max64(1, a / in->b->constant);
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
            info.contiguity[d] = group_between_multiples(in->a, in->b, d);
        info.divisibility[d] =
            min64(divisibility_in_groups(in->a, d, info.contiguity[d], 1), divisibility_in_groups(in->b, d, 1, 1));
    }
    return info;
}

// Shifts by a constant are products and quotients.
static bool shift_factor(const binary_t *in, kiln_axis_info_t *factor)
{
    int most = kiln_type_bits(in->type) - 2; // the factor is a positive number of the type
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
    binary_t with = {in->op, in->type, in->a, &factor};
    if (kind == KILN_OP_ARITH_SHLI)
        return product(&with);
    kiln_axis_info_t info = quotient(&with, true); // shifts round down, so negative groups are whole too
    if (kind == KILN_OP_ARITH_SHRUI)
        info.is_constant = false;
    return info;
}

static kiln_axis_info_t bitwise(const binary_t *in, kiln_op_t kind)
{
    if (in->a->is_constant && in->b->is_constant) {
        int64_t a = in->a->constant, b = in->b->constant;
        return constant_info(in->type, kind == KILN_OP_ARITH_ANDI ? a & b : kind == KILN_OP_ARITH_ORI ? a | b : a ^ b);
    }
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++) {
        int64_t a = divisibility_in_groups(in->a, d, 1, 1), b = divisibility_in_groups(in->b, d, 1, 1);
        info.divisibility[d] = kind == KILN_OP_ARITH_ANDI ? max64(a, b) : min64(a, b);
        // x & (2^k − 1) is a remainder.
        int64_t mask = in->b->is_constant ? in->b->constant : 0;
        if (kind == KILN_OP_ARITH_ANDI && mask > 0 && (mask & (mask + 1)) == 0) {
            info.contiguity[d] = min64(in->a->contiguity[d], min64(in->a->divisibility[d], mask + 1));
            info.divisibility[d] = min64(MOST, divisibility_in_groups(in->a, d, info.contiguity[d], 1));
        }
    }
    return info;
}

static kiln_axis_info_t choice(const binary_t *in)
{
    kiln_axis_info_t info = begin_binary(in);
    for (int d = 0; d < info.rank; d++)
        info.divisibility[d] = min64(divisibility_in_groups(in->a, d, 1, 1), divisibility_in_groups(in->b, d, 1, 1));
    return info;
}

typedef enum predicate { EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE } predicate_t; // arith's numbers

static kiln_axis_info_t compare(const binary_t *in)
{
    kiln_axis_info_t info = begin_binary(in);
    int64_t predicate = kiln_ir_int_attr(in->op, "predicate", EQ);
    // [m, m+1, …) < n is decided by m where both are multiples of the group: and so is its negation, but not ≤.
    bool by_a = predicate == SLT || predicate == SGE || predicate == ULT || predicate == UGE;
    bool by_b = predicate == SGT || predicate == SLE || predicate == UGT || predicate == ULE;
    for (int d = 0; d < info.rank; d++) {
        int64_t group = by_a   ? group_between_multiples(in->a, in->b, d)
                        : by_b ? group_between_multiples(in->b, in->a, d)
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
    }
    return info;
}

// Shapes ---------------------------------------------------------------------------------------------------------

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
    int64_t step = step_of(type), everywhere = MOST; // along the new dimension every element begins a group
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
    }
    return info;
}

static kiln_axis_info_t broadcast(MlirOperation op, MlirType type, const kiln_axis_info_t *in)
{
    MlirType from = mlirValueGetType(kiln_op_operand(op, 0));
    kiln_axis_info_t info = *in;
    for (int d = 0; d < info.rank; d++)
        if (size_of(from, d) == 1 && size_of(type, d) > 1)
            info.constancy[d] = size_of(type, d);
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
    }
    return info;
}

static kiln_axis_info_t make_range(MlirOperation op, MlirType type)
{
    int64_t start = kiln_ir_int_attr(op, "start", 0), end = kiln_ir_int_attr(op, "end", 0);
    kiln_axis_info_t info = kiln_axis_unknown(type);
    info.contiguity[0] = floor_power_of_two(end - start);
    info.divisibility[0] = power_of_two_in(start);
    return info;
}

// The same bits with another element size: groups of pointers break up, or stay where one element is one byte both
// ways.
static kiln_axis_info_t reinterpret(MlirType from, MlirType to, const kiln_axis_info_t *in)
{
    int64_t from_step = step_of(from), to_step = step_of(to);
    kiln_axis_info_t info = *in;
    if (from_step == to_step)
        return info;
    for (int d = 0; d < info.rank; d++) {
        info.divisibility[d] = divisibility_in_groups(in, d, 1, from_step);
        info.contiguity[d] = 1;
    }
    return info;
}

// Groups longer than what the type counts, signed, would wrap inside.
static kiln_axis_info_t truncation(MlirType type, const kiln_axis_info_t *in)
{
    int bits = kiln_type_bits(type);
    int64_t most = bits < 32 ? (int64_t)1 << (bits - 1) : MOST;
    kiln_axis_info_t info = *in;
    info.is_constant = false;
    for (int d = 0; d < info.rank; d++) {
        info.contiguity[d] = min64(in->contiguity[d], most);
        info.divisibility[d] = divisibility_in_groups(in, d, info.contiguity[d], 1);
    }
    return info;
}

// Dispatch -------------------------------------------------------------------------------------------------------

kiln_axis_info_t kiln_axis_transfer(MlirOperation op, const kiln_axis_info_t *operands)
{
    if (mlirOperationGetNumResults(op) == 0)
        return (kiln_axis_info_t){0};
    MlirType type = mlirValueGetType(kiln_op_result(op, 0));
    kiln_op_t kind = kiln_op_kind(op);
    binary_t in = {op, type, &operands[0], &operands[1]};
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
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_INDEX_CAST:
        return operands[0];
    case KILN_OP_ARITH_EXTUI:
    case KILN_OP_ARITH_INDEX_CASTUI: {
        kiln_axis_info_t info = operands[0];
        info.is_constant = info.is_constant && info.constant >= 0;
        return info;
    }
    case KILN_OP_ARITH_TRUNCI:
        return truncation(type, &operands[0]);
    case KILN_OP_TT_BITCAST:
    case KILN_OP_TT_INT_TO_PTR:
    case KILN_OP_TT_PTR_TO_INT:
        return reinterpret(mlirValueGetType(kiln_op_operand(op, 0)), type, &operands[0]);
    case KILN_OP_TT_ADDPTR:
        return sum(&in, 1, step_of(type));
    case KILN_OP_ARITH_ADDI:
        return sum(&in, 1, 1);
    case KILN_OP_ARITH_SUBI:
        return sum(&in, -1, 1);
    case KILN_OP_ARITH_MULI:
        return product(&in);
    case KILN_OP_ARITH_DIVUI:
        return quotient(&in, true);
    case KILN_OP_ARITH_DIVSI:
        return quotient(&in, !may_be_negative(kiln_op_operand(op, 0), SIGN_DEPTH));
    case KILN_OP_ARITH_FLOORDIVSI:
        return quotient(&in, true);
    case KILN_OP_ARITH_REMUI:
        return remainder_of(&in, true);
    case KILN_OP_ARITH_REMSI:
        return remainder_of(&in, !may_be_negative(kiln_op_operand(op, 0), SIGN_DEPTH));
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

// Hints ----------------------------------------------------------------------------------------------------------

static int64_t hint_at(MlirAttribute hint, int dim)
{
    if (mlirAttributeIsNull(hint))
        return 1;
    if (mlirAttributeIsAInteger(hint))
        return dim == 0 ? mlirIntegerAttrGetValueInt(hint) : 1;
    if (mlirAttributeIsADenseI32Array(hint))
        return dim < mlirDenseArrayGetNumElements(hint) ? mlirDenseI32ArrayGetElement(hint, dim) : 1;
    if (!mlirAttributeIsADenseElements(hint))
        return 1;
    MlirType element = mlirShapedTypeGetElementType(mlirAttributeGetType(hint));
    if (!mlirTypeIsAInteger(element) || dim >= mlirElementsAttrGetNumElements(hint))
        return 1;
    if (mlirIntegerTypeGetWidth(element) == 32)
        return mlirDenseElementsAttrGetInt32Value(hint, dim);
    return mlirIntegerTypeGetWidth(element) == 64 ? mlirDenseElementsAttrGetInt64Value(hint, dim) : 1;
}

static void raise_to(int64_t *value, int64_t hint)
{
    int64_t power = hint < 1 ? 1 : power_of_two_in(hint);
    *value = max64(*value, power);
}

void kiln_axis_apply_hints(kiln_axis_info_t *info, MlirAttribute divisibility, MlirAttribute contiguity,
                           MlirAttribute constancy)
{
    for (int d = 0; d < info->rank; d++) {
        // A claim about the groups replaces what was known of smaller ones.
        int64_t group = hint_at(contiguity, d), multiple = hint_at(divisibility, d);
        raise_to(&info->contiguity[d], group);
        raise_to(&info->divisibility[d], multiple);
        raise_to(&info->constancy[d], hint_at(constancy, d));
    }
}
