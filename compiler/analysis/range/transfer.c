// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfer functions of ranges, one short function per family of operations. All bounds are
// computed in 128 bits, where sums, products and shifts of 64-bit numbers are exact; `made` then
// keeps those that fit the type, and treats others as numbers that may have wrapped. An operation
// without a row has no rule.
//
// Note that a division by zero or a shift by the width is undefined (docs/interpreter.md), but the
// lowering divides by one instead, so the range always contains the quotient by one.
#include "analysis/range/transfer.h"

#include "base/gfx942.h"
#include "builder/ir.h"

__extension__ typedef __int128 wide_t;

typedef struct bounds { // exact, before reduction to the type
    wide_t min, max;
} bounds_t;

static int min_of(int a, int b)
{
    return a < b ? a : b;
}

// Converts exact results to a range of the type; the signed and unsigned bounds each hold if that
// reading did not wrap.
static kiln_range_t made(int bits, bounds_t with_sign, bounds_t without, int zeros)
{
    kiln_range_t range = kiln_range_of_bits(bits);
    range.zeros = zeros;
    if (with_sign.min >= kiln_signed_min(bits) && with_sign.max <= kiln_signed_max(bits))
        kiln_range_limit_signed(&range, (int64_t)with_sign.min, (int64_t)with_sign.max);
    if (without.min >= 0 && without.max <= (wide_t)kiln_unsigned_max(bits))
        kiln_range_limit_unsigned(&range, (uint64_t)without.min, (uint64_t)without.max);
    return kiln_range_settle(range);
}

static const bounds_t ANY = {-((wide_t)1 << 100), (wide_t)1 << 100}; // fits no type

// Rules -------------------------------------------------------------------------------------------

typedef struct input {
    MlirOperation op;
    MlirType type; // of the result
    int index;     // of the result
    int bits, num_warps;
    const kiln_range_t *operands, *a, *b;
} input_t;

typedef kiln_range_t (*rule_t)(const input_t *in);

static bounds_t with_sign(const kiln_range_t *range)
{
    return (bounds_t){range->signed_min, range->signed_max};
}

static bounds_t without_sign(const kiln_range_t *range)
{
    return (bounds_t){(wide_t)range->unsigned_min, (wide_t)range->unsigned_max};
}

static void take(bounds_t *all, wide_t value)
{
    all->min = value < all->min ? value : all->min;
    all->max = value > all->max ? value : all->max;
}

static kiln_range_t rule_add(const input_t *in)
{
    bounds_t s = {(wide_t)in->a->signed_min + in->b->signed_min,
                  (wide_t)in->a->signed_max + in->b->signed_max};
    bounds_t u = {(wide_t)in->a->unsigned_min + in->b->unsigned_min,
                  (wide_t)in->a->unsigned_max + in->b->unsigned_max};
    return made(in->bits, s, u, min_of(in->a->zeros, in->b->zeros));
}

static kiln_range_t rule_sub(const input_t *in)
{
    bounds_t s = {(wide_t)in->a->signed_min - in->b->signed_max,
                  (wide_t)in->a->signed_max - in->b->signed_min};
    bounds_t u = {(wide_t)in->a->unsigned_min - in->b->unsigned_max,
                  (wide_t)in->a->unsigned_max - in->b->unsigned_min};
    return made(in->bits, s, u, min_of(in->a->zeros, in->b->zeros));
}

static bounds_t corners(bounds_t a, bounds_t b, wide_t (*of)(wide_t, wide_t))
{
    bounds_t all = {of(a.min, b.min), of(a.min, b.min)};
    take(&all, of(a.min, b.max));
    take(&all, of(a.max, b.min));
    take(&all, of(a.max, b.max));
    return all;
}

static wide_t times(wide_t a, wide_t b)
{
    return a * b;
}

// Products of unsigned 64-bit numbers may exceed even `wide_t`, which is signed.
static bounds_t unsigned_product(const kiln_range_t *a, const kiln_range_t *b)
{
    uint64_t max;
    if (__builtin_mul_overflow(a->unsigned_max, b->unsigned_max, &max))
        return ANY;
    return (bounds_t){(wide_t)(a->unsigned_min * b->unsigned_min), (wide_t)max};
}

static kiln_range_t rule_mul(const input_t *in)
{
    return made(in->bits, corners(with_sign(in->a), with_sign(in->b), times),
                unsigned_product(in->a, in->b), in->a->zeros + in->b->zeros);
}

// Quotients; the divisor is not zero.
static wide_t toward_zero(wide_t a, wide_t b)
{
    return a / b;
}

static wide_t downwards(wide_t a, wide_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static wide_t upwards(wide_t a, wide_t b)
{
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

// For each sign of the divisor the quotient is monotonic in either operand.
static bounds_t quotients(bounds_t a, bounds_t b, wide_t (*of)(wide_t, wide_t))
{
    bounds_t below = {b.min, b.max < -1 ? b.max : -1}, above = {b.min > 1 ? b.min : 1, b.max};
    if (b.min <= 0 && b.max >= 0 && above.max < 1)
        above.max = 1; // replaces a zero divisor
    if (below.min > below.max)
        return corners(a, above, of);
    bounds_t all = corners(a, below, of);
    if (above.min <= above.max) {
        bounds_t other = corners(a, above, of);
        take(&all, other.min);
        take(&all, other.max);
    }
    return all;
}

// A multiple of 2^n divided by 2^k, which is exact for n ≥ k regardless of rounding.
static int zeros_of_quotient(const input_t *in)
{
    if (in->b->unsigned_min != in->b->unsigned_max || in->b->unsigned_min == 0 ||
        (in->b->unsigned_min & (in->b->unsigned_min - 1)) != 0)
        return 0;
    int shift = __builtin_ctzll(in->b->unsigned_min);
    return in->a->zeros == in->bits ? in->bits : in->a->zeros > shift ? in->a->zeros - shift : 0;
}

static kiln_range_t signed_quotient(const input_t *in, wide_t (*of)(wide_t, wide_t))
{
    return made(in->bits, quotients(with_sign(in->a), with_sign(in->b), of), ANY,
                zeros_of_quotient(in));
}

static kiln_range_t rule_divsi(const input_t *in)
{
    return signed_quotient(in, toward_zero);
}

static kiln_range_t rule_floordivsi(const input_t *in)
{
    return signed_quotient(in, downwards);
}

static kiln_range_t rule_ceildivsi(const input_t *in)
{
    return signed_quotient(in, upwards);
}

static kiln_range_t rule_divui(const input_t *in)
{
    return made(in->bits, ANY, quotients(without_sign(in->a), without_sign(in->b), toward_zero),
                zeros_of_quotient(in));
}

static kiln_range_t rule_ceildivui(const input_t *in)
{
    return made(in->bits, ANY, quotients(without_sign(in->a), without_sign(in->b), upwards),
                zeros_of_quotient(in));
}

// Smaller than the divisor, not larger than the dividend, and of its sign.
static kiln_range_t rule_remsi(const input_t *in)
{
    bounds_t a = with_sign(in->a), b = with_sign(in->b);
    wide_t max = (-b.min > b.max ? -b.min : b.max) - 1;
    max = max < 0 ? 0 : max;
    wide_t positive = a.max < max ? a.max : max, negative = a.min > -max ? a.min : -max;
    bounds_t s = {a.min < 0 ? negative : 0, a.max > 0 ? positive : 0};
    return made(in->bits, s, ANY, min_of(in->a->zeros, in->b->zeros));
}

static kiln_range_t rule_remui(const input_t *in)
{
    bounds_t a = without_sign(in->a), b = without_sign(in->b);
    wide_t max = b.max < 1 ? 0 : b.max - 1;
    return made(in->bits, ANY, (bounds_t){0, a.max < max ? a.max : max},
                min_of(in->a->zeros, in->b->zeros));
}

// Bits.
static uint64_t filled(uint64_t value)
{
    return value ? UINT64_MAX >> __builtin_clzll(value) : 0;
}

static kiln_range_t rule_and(const input_t *in)
{
    uint64_t a = in->a->unsigned_max, b = in->b->unsigned_max;
    kiln_range_t range = kiln_range_of_unsigned(in->bits, 0, a < b ? a : b);
    range.zeros = in->a->zeros > in->b->zeros ? in->a->zeros : in->b->zeros;
    return kiln_range_settle(range);
}

static kiln_range_t rule_or(const input_t *in)
{
    uint64_t a = in->a->unsigned_min, b = in->b->unsigned_min;
    kiln_range_t range = kiln_range_of_unsigned(in->bits, a > b ? a : b,
                                                filled(in->a->unsigned_max | in->b->unsigned_max));
    range.zeros = min_of(in->a->zeros, in->b->zeros);
    return kiln_range_settle(range);
}

static kiln_range_t rule_xor(const input_t *in)
{
    kiln_range_t range =
        kiln_range_of_unsigned(in->bits, 0, filled(in->a->unsigned_max | in->b->unsigned_max));
    range.zeros = min_of(in->a->zeros, in->b->zeros);
    return kiln_range_settle(range);
}

// The shift amounts for which the shift is defined.
static bounds_t distance(const input_t *in)
{
    wide_t last = in->bits - 1, min = (wide_t)in->b->unsigned_min,
           max = (wide_t)in->b->unsigned_max;
    return (bounds_t){min < last ? min : last, max < last ? max : last};
}

static wide_t shifted_left(wide_t a, wide_t by)
{
    return a * ((wide_t)1 << by);
}

static wide_t shifted_right(wide_t a, wide_t by)
{
    return a >> by;
}

static kiln_range_t rule_shl(const input_t *in)
{
    if (in->b->unsigned_max >= (uint64_t)in->bits)
        return kiln_range_of_bits(in->bits);
    bounds_t by = distance(in);
    bounds_t u = in->a->unsigned_max >> 63 ? ANY : corners(without_sign(in->a), by, shifted_left);
    return made(in->bits, corners(with_sign(in->a), by, shifted_left), u,
                in->a->zeros + (int)by.min);
}

static int zeros_of_shift(const input_t *in, bounds_t by)
{
    return in->a->zeros == in->bits     ? in->bits
           : in->a->zeros > (int)by.max ? in->a->zeros - (int)by.max
                                        : 0;
}

static kiln_range_t rule_shrui(const input_t *in)
{
    bounds_t by = distance(in);
    return made(in->bits, ANY, corners(without_sign(in->a), by, shifted_right),
                zeros_of_shift(in, by));
}

static kiln_range_t rule_shrsi(const input_t *in)
{
    bounds_t by = distance(in);
    return made(in->bits, corners(with_sign(in->a), by, shifted_right), ANY,
                zeros_of_shift(in, by));
}

// Choices: one of the operands.
static kiln_range_t chosen(const input_t *in, bool has_sign, bool largest)
{
    const kiln_range_t *a = in->a, *b = in->b;
    kiln_range_t range = kiln_range_join(a, b);
    if (has_sign) {
        if (largest)
            kiln_range_limit_signed(
                &range, a->signed_min > b->signed_min ? a->signed_min : b->signed_min, INT64_MAX);
        else
            kiln_range_limit_signed(&range, INT64_MIN,
                                    a->signed_max < b->signed_max ? a->signed_max : b->signed_max);
    } else if (largest) {
        kiln_range_limit_unsigned(
            &range, a->unsigned_min > b->unsigned_min ? a->unsigned_min : b->unsigned_min,
            UINT64_MAX);
    } else {
        kiln_range_limit_unsigned(
            &range, 0, a->unsigned_max < b->unsigned_max ? a->unsigned_max : b->unsigned_max);
    }
    return kiln_range_settle(range);
}

static kiln_range_t rule_minsi(const input_t *in)
{
    return chosen(in, true, false);
}

static kiln_range_t rule_maxsi(const input_t *in)
{
    return chosen(in, true, true);
}

static kiln_range_t rule_minui(const input_t *in)
{
    return chosen(in, false, false);
}

static kiln_range_t rule_maxui(const input_t *in)
{
    return chosen(in, false, true);
}

static kiln_range_t rule_select(const input_t *in)
{
    return kiln_range_join(&in->operands[1], &in->operands[2]);
}

static kiln_range_t rule_join(const input_t *in)
{
    return kiln_range_join(in->a, in->b);
}

static kiln_range_t rule_same(const input_t *in)
{
    return in->a->bits == in->bits ? *in->a : kiln_range_of_bits(in->bits);
}

// Casts.
static kiln_range_t rule_truncate(const input_t *in)
{
    const int bits = in->bits;
    if (in->a->bits < bits)
        return kiln_range_of_bits(bits);
    kiln_range_t range = made(bits, with_sign(in->a), without_sign(in->a), in->a->zeros);
    // Numbers that agree in all higher bits do not wrap relative to each other when truncated.
    if (bits < 64 && in->a->unsigned_min >> bits == in->a->unsigned_max >> bits)
        kiln_range_limit_unsigned(&range, in->a->unsigned_min & kiln_unsigned_max(bits),
                                  in->a->unsigned_max & kiln_unsigned_max(bits));
    return kiln_range_settle(range);
}

static kiln_range_t rule_extend(const input_t *in)
{
    if (in->a->bits > in->bits)
        return kiln_range_of_bits(in->bits);
    return made(in->bits, with_sign(in->a), ANY,
                in->a->zeros == in->a->bits ? in->bits : in->a->zeros);
}

static kiln_range_t rule_extend_unsigned(const input_t *in)
{
    if (in->a->bits > in->bits)
        return kiln_range_of_bits(in->bits);
    return made(in->bits, ANY, without_sign(in->a),
                in->a->zeros == in->a->bits ? in->bits : in->a->zeros);
}

static kiln_range_t rule_index_cast(const input_t *in)
{
    return in->a->bits > in->bits ? rule_truncate(in) : rule_extend(in);
}

static kiln_range_t rule_index_castui(const input_t *in)
{
    return in->a->bits > in->bits ? rule_truncate(in) : rule_extend_unsigned(in);
}

// Operations that create numbers.
static kiln_range_t rule_constant(const input_t *in)
{
    int64_t value;
    if (!kiln_ir_constant_int(kiln_op_result(in->op, 0), &value))
        return kiln_range_of_bits(in->bits);
    value = kiln_as_signed(in->bits, (uint64_t)value);
    return kiln_range_of_signed(in->bits, value, value);
}

static kiln_range_t rule_make_range(const input_t *in)
{
    int64_t start = kiln_ir_int_attr(in->op, "start", INT64_MIN),
            end = kiln_ir_int_attr(in->op, "end", INT64_MIN);
    if (start >= end || start < kiln_signed_min(in->bits) || end - 1 > kiln_signed_max(in->bits))
        return kiln_range_of_bits(in->bits);
    return kiln_range_of_signed(in->bits, start, end - 1);
}

uint64_t kiln_range_max_programs(int64_t axis, int num_warps)
{
    enum { MAX_YZ = 65536 };
    return axis == 0 ? UINT32_MAX / ((uint64_t)num_warps * KILN_GFX942_LANES) : MAX_YZ;
}

static uint64_t max_programs(const input_t *in)
{
    return kiln_range_max_programs(kiln_ir_int_attr(in->op, "axis", 0), in->num_warps);
}

static kiln_range_t rule_program_id(const input_t *in)
{
    return kiln_range_of_unsigned(in->bits, 0, max_programs(in) - 1);
}

static kiln_range_t rule_num_programs(const input_t *in)
{
    return kiln_range_of_unsigned(in->bits, 1, max_programs(in));
}

static kiln_range_t counted(const input_t *in, int64_t max)
{
    return made(in->bits, (bounds_t){0, max}, (bounds_t){0, max}, 0);
}

static kiln_range_t rule_histogram(const input_t *in)
{
    return counted(in, kiln_type_count(mlirValueGetType(kiln_op_operand(in->op, 0))));
}

static kiln_range_t rule_count_bits(const input_t *in)
{
    return counted(in, in->bits);
}

static kiln_range_t rule_absi(const input_t *in)
{
    wide_t min = in->a->signed_min, max = in->a->signed_max;
    bounds_t s = {min > 0 ? min : max < 0 ? -max : 0, -min > max ? -min : max};
    // The smallest number is its own negation, which does not fit.
    return made(in->bits, s, s, in->a->zeros);
}

static kiln_range_t rule_mulhiui(const input_t *in)
{
    __extension__ unsigned __int128 max = (unsigned __int128)in->a->unsigned_max *
                                          in->b->unsigned_max,
                                    min = (unsigned __int128)in->a->unsigned_min *
                                          in->b->unsigned_min;
    return kiln_range_of_unsigned(in->bits, (uint64_t)(min >> in->bits),
                                  (uint64_t)(max >> in->bits));
}

// The table ---------------------------------------------------------------------------------------

typedef struct row {
    rule_t rule;
    int operands; // number of operands that it reads
} row_t;

static const row_t rows[KILN_OP_COUNT] = {
#define KILN_RANGE(kind, operands, rule) [KILN_OP_##kind] = {rule, operands},
#include "analysis/range/ranges.def"
#undef KILN_RANGE
};

kiln_range_t kiln_range_transfer(MlirOperation op, int index, const kiln_range_t *operands,
                                 int num_warps)
{
    const row_t *row = &rows[kiln_op_kind(op)];
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, index));
    kiln_range_t all = kiln_range_full(type);
    if (!row->rule || !all.bits || mlirOperationGetNumOperands(op) < row->operands)
        return all;
    input_t in = {.op = op,
                  .type = type,
                  .index = index,
                  .bits = all.bits,
                  .num_warps = num_warps > 0 ? num_warps : 1,
                  .operands = operands,
                  .a = &operands[0],
                  .b = &operands[1]};
    for (int i = 0; i < row->operands; i++)
        if (!operands[i].bits)
            return all;
    return row->rule(&in);
}

// Loops and reductions ----------------------------------------------------------------------------

kiln_range_t kiln_range_sum(const kiln_range_t *range, int64_t count)
{
    if (!range->bits || count < 1 || count > INT32_MAX)
        return range->bits ? kiln_range_of_bits(range->bits) : *range;
    bounds_t s = with_sign(range), u = without_sign(range);
    take(&s, s.min * count);
    take(&s, s.max * count);
    u.max *= count;
    return made(range->bits, s, u, range->zeros);
}

// From `lower` to below `upper`, in multiples of the common divisor of lower and step. It never
// exceeds its type's range, since iterations are counted without wrapping, and a step that is not
// positive is undefined.
kiln_range_t kiln_range_induction(const kiln_range_t *lower, const kiln_range_t *upper,
                                  const kiln_range_t *step, bool is_unsigned)
{
    const int bits = lower->bits;
    if (!bits || upper->bits != bits || step->bits != bits)
        return bits ? kiln_range_of_bits(bits) : *lower;
    kiln_range_t range = kiln_range_of_bits(bits);
    range.zeros = min_of(lower->zeros, step->zeros);
    if (is_unsigned && upper->unsigned_max > 0)
        kiln_range_limit_unsigned(&range, lower->unsigned_min, upper->unsigned_max - 1);
    else if (!is_unsigned && upper->signed_max > kiln_signed_min(bits))
        kiln_range_limit_signed(&range, lower->signed_min, upper->signed_max - 1);
    return kiln_range_settle(range);
}
