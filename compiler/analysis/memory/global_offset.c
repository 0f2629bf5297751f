// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares pointer expressions; see global_offset.h.
//
// Note that offsets are narrow integers that wrap. Results here hold for their lower 32 bits: if
// two sums have the same values and differ only in numbers less than 2^32 apart, their lower 32
// bits differ, for any values. Extensions and truncations keep these bits; products of two values
// are treated as opaque values. Around a loop numbers may be farther apart; then it matters where a
// sum wraps: at 2^32 times the factor that is applied after its extension.
#include "analysis/memory/global_offset.h"

#include "analysis/iterations.h"
#include "builder/ir.h"

// Operands are shared, so the number of paths to one may be exponential: a search has a limit on
// steps.
enum { DEPTH = 24, MAX_TERMS = 12, MAX_STEPS = 512 };

static MlirValue strip_conversions(MlirValue value)
{
    MlirOperation op;
    for (kiln_op_t kind; (kind = kiln_value_op(value, &op)) == KILN_OP_TTG_CONVERT_LAYOUT ||
                         kind == KILN_OP_TT_BITCAST;) {
        MlirValue before = kiln_op_operand(op, 0);
        if (kind == KILN_OP_TT_BITCAST &&
            !mlirTypeEqual(mlirValueGetType(before), mlirValueGetType(value)))
            break; // not a copy of a value with a promise
        value = before;
    }
    return value;
}

// Equality ----------------------------------------------------------------------------------------

// Operations without effects whose results are equal if their operands and attributes are.
static bool is_expression(kiln_op_t kind)
{
    switch (kind) {
    case KILN_OP_TT_ADDPTR:
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_MAKE_RANGE:
    case KILN_OP_TT_GET_PROGRAM_ID:
    case KILN_OP_TT_BITCAST:
    case KILN_OP_TT_TRANS:
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_SUBI:
    case KILN_OP_ARITH_MULI:
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_EXTUI:
    case KILN_OP_ARITH_TRUNCI:
    case KILN_OP_ARITH_DIVSI:
    case KILN_OP_ARITH_DIVUI:
    case KILN_OP_ARITH_REMSI:
    case KILN_OP_ARITH_REMUI:
        return true;
    default:
        return false;
    }
}

static bool same_attributes(MlirOperation a, MlirOperation b)
{
    static const char *const names[] = {"axis", "start", "end", "order"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!mlirAttributeEqual(kiln_ir_attr(a, names[i]), kiln_ir_attr(b, names[i])))
            return false;
    return true;
}

// Whether shape and element type are equal; layouts may differ. The types matter: truncations to 8
// and to 16 bits have the same operand and attributes.
static bool same_kind(MlirType a, MlirType b)
{
    const int rank = kiln_type_rank(a);
    bool same =
        rank == kiln_type_rank(b) && mlirTypeEqual(kiln_type_element(a), kiln_type_element(b));
    for (int d = 0; d < rank && same; d++)
        same = kiln_type_dim(a, d) == kiln_type_dim(b, d);
    return same;
}

static bool equal_in_steps(MlirValue a, MlirValue b, int *left)
{
    int64_t number_a, number_b;
    MlirOperation op_a, op_b;
    a = strip_conversions(a);
    b = strip_conversions(b);
    if (mlirValueEqual(a, b))
        return true;
    if (!same_kind(mlirValueGetType(a), mlirValueGetType(b)))
        return false;
    if (kiln_ir_constant_int(a, &number_a) && kiln_ir_constant_int(b, &number_b))
        return number_a == number_b;
    kiln_op_t kind = kiln_value_op(a, &op_a);
    if (--*left < 0 || kind != kiln_value_op(b, &op_b) || !is_expression(kind) ||
        !same_attributes(op_a, op_b))
        return false;
    for (int i = 0; i < (int)mlirOperationGetNumOperands(op_a); i++)
        if (!equal_in_steps(kiln_op_operand(op_a, i), kiln_op_operand(op_b, i), left))
            return false;
    return true;
}

bool kiln_offset_equal(MlirValue a, MlirValue b)
{
    int left = MAX_STEPS;
    return equal_in_steps(a, b, &left);
}

// Difference --------------------------------------------------------------------------------------

// A sum of values that are the same for all elements, each times a number, and of numbers from
// `min` to `max`.
typedef struct term {
    MlirValue value;
    int64_t factor;
    bool is_count; // the number of iterations of the loop so far, not the induction variable itself
} term_t;

// The numbers of a range times a positive number: 0, factor, … up to `max`. For example, columns,
// or rows times their length.
typedef struct strip {
    int64_t factor, max;
} strip_t;

typedef struct sum {
    term_t terms[MAX_TERMS];
    int count;
    strip_t strips[MAX_TERMS]; // each number between least and most is least plus one number of
                               // each strip
    int strip_count;
    int64_t min, max; // elements
    int64_t modulus;  // parts that wrap may lose multiples of this many elements; 0: none wraps
    bool vanishes;    // a range is multiplied by 0
    bool failed;
} sum_t;

static int64_t magnitude(int64_t number)
{
    return number < 0 ? -number : number;
}

static bool fits(int64_t number)
{
    return number >= INT32_MIN && number <= INT32_MAX;
}

static void add_numbers(sum_t *sum, int64_t a, int64_t b)
{
    sum->min += a < b ? a : b;
    sum->max += a < b ? b : a;
    sum->failed |= !fits(sum->min) || !fits(sum->max);
}

static void add_range(sum_t *sum, int64_t start, int64_t end, int64_t factor)
{
    add_numbers(sum, factor * start, factor * (end - 1));
    sum->failed |= sum->strip_count == MAX_TERMS;
    sum->vanishes |= !factor;
    if (!sum->failed && factor && end - start > 1)
        sum->strips[sum->strip_count++] = (strip_t){
            factor < 0 ? -factor : factor, (factor < 0 ? -factor : factor) * (end - 1 - start)};
}

static void add_terms(sum_t *sum, MlirValue value, int64_t factor, int64_t scale, int depth);

static void add_term(sum_t *sum, term_t term)
{
    sum->failed |= sum->count == MAX_TERMS;
    if (!sum->failed)
        sum->terms[sum->count++] = term;
}

// Pointers that a loop carries and advances by a constant: they do not wrap like narrow offsets.
//
//   scf.for … iter_args(%p = %first) { …  %next = tt.addptr %p, 256  scf.yield %next }      →      %first + 256 · iterations
static bool add_carried(sum_t *sum, MlirValue pointer, int64_t factor, int depth)
{
    if (!mlirValueIsABlockArgument(pointer) ||
        !kiln_type_is_ptr(kiln_type_element(mlirValueGetType(pointer))))
        return false;
    MlirBlock body = mlirBlockArgumentGetOwner(pointer);
    MlirOperation loop = mlirBlockGetParentOperation(body), op;
    intptr_t carried = mlirBlockArgumentGetArgNumber(pointer) - 1;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR)
        return false;
    MlirValue next =
        strip_conversions(mlirOperationGetOperand(kiln_block_terminator(body), carried));
    int64_t number, step = 0;
    while (kiln_value_op(next, &op) == KILN_OP_TT_ADDPTR &&
           kiln_ir_constant_int(kiln_op_operand(op, 1), &number)) {
        if (!fits(number) || !fits(step + number))
            return false;
        step += number;
        next = strip_conversions(kiln_op_operand(op, 0));
    }
    if (!mlirValueEqual(next, pointer) || !fits(step * factor))
        return false;
    add_terms(sum, mlirOperationGetOperand(loop, 3 + carried), factor, factor, depth - 1);
    add_term(sum, (term_t){mlirBlockGetArgument(body, 0), step * factor, true});
    return true;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

// A 32-bit value that is later multiplied by `scale` may have lost multiples of 2^32.
static void wrap_at(sum_t *sum, int64_t scale)
{
    int64_t modulus;
    if (!scale || __builtin_mul_overflow(magnitude(scale), INT64_C(1) << 32, &modulus))
        return; // larger than any reachable distance
    sum->modulus = common_divisor(modulus, sum->modulus);
}

// Fails for a part whose elements differ in an unknown way, because corresponding elements are then
// unknown, too. `scale`: the factor by which a narrow value is multiplied after its extension.
static void add_terms(sum_t *sum, MlirValue value, int64_t factor, int64_t scale, int depth)
{
    MlirOperation op;
    int64_t number;
    value = strip_conversions(value);
    if (sum->failed)
        return;
    const bool is_wide = kiln_type_bits(mlirValueGetType(value)) > 32;
    if (is_wide)
        scale = factor;
    if (kiln_ir_constant_int(value, &number)) {
        sum->failed |= !fits(number) || !fits(number * factor);
        if (!sum->failed)
            add_numbers(sum, number * factor, number * factor);
        return;
    }
    bool wraps_early = kiln_type_bits(mlirValueGetType(value)) < 32;
    switch (depth && !wraps_early ? kiln_value_op(value, &op) : KILN_OP_UNKNOWN) {
    case KILN_OP_TT_MAKE_RANGE:
        add_range(sum, kiln_ir_int_attr(op, "start", 0), kiln_ir_int_attr(op, "end", 1), factor);
        return;
    case KILN_OP_TT_ADDPTR:
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_SUBI:
        if (!is_wide)
            wrap_at(sum, scale);
        add_terms(sum, kiln_op_operand(op, 0), factor, scale, depth - 1);
        add_terms(sum, kiln_op_operand(op, 1),
                  kiln_op_kind(op) == KILN_OP_ARITH_SUBI ? -factor : factor, scale, depth - 1);
        return;
    case KILN_OP_ARITH_MULI:
        if (!kiln_ir_constant_int(kiln_op_operand(op, 1), &number) || !fits(number) ||
            !fits(number * factor))
            break;
        if (!is_wide)
            wrap_at(sum, scale);
        add_terms(sum, kiln_op_operand(op, 0), factor * number, scale, depth - 1);
        return;
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_EXTUI:
    case KILN_OP_ARITH_TRUNCI:
        if (kiln_type_bits(mlirValueGetType(kiln_op_operand(op, 0))) < 32)
            break;
        if (kiln_value_op(value, &op) != KILN_OP_ARITH_EXTSI)
            wrap_at(sum, scale);
        add_terms(sum, kiln_op_operand(op, 0), factor, scale, depth - 1);
        return;
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_TRANS:
        add_terms(sum, kiln_op_operand(op, 0), factor, scale, depth - 1);
        return;
    default:
        break;
    }
    if (depth && add_carried(sum, value, factor, depth))
        return;
    sum->failed |= kiln_type_is_tensor(mlirValueGetType(value));
    add_term(sum, (term_t){value, factor, false});
}

static bool same_term(term_t a, term_t b)
{
    return a.factor == b.factor && a.is_count == b.is_count && kiln_offset_equal(a.value, b.value);
}

// Finds two sums that differ only in their numbers.
static bool find_sums(MlirValue a, MlirValue b, sum_t *sum_a, sum_t *sum_b)
{
    *sum_a = *sum_b = (sum_t){.count = 0};
    if (!mlirTypeEqual(kiln_type_element(mlirValueGetType(a)),
                       kiln_type_element(mlirValueGetType(b))))
        return false; // different element sizes
    add_terms(sum_a, a, 1, 1, DEPTH);
    add_terms(sum_b, b, 1, 1, DEPTH);
    if (sum_a->failed || sum_b->failed || sum_a->count != sum_b->count)
        return false;
    bool taken[MAX_TERMS] = {false};
    for (int i = 0; i < sum_a->count; i++) {
        int match = 0;
        while (match < sum_b->count &&
               (taken[match] || !same_term(sum_a->terms[i], sum_b->terms[match])))
            match++;
        if (match == sum_b->count)
            return false;
        taken[match] = true;
    }
    return true;
}

// The difference due to strips with a factor of at least `coarse` is a multiple of their common
// divisor; the remaining difference, including the sums' starts, must then not reach such a
// multiple.
//
//   64 · head + i   and   64 · head' + i' + 32   with i, i' in 0 … 31:   −31 … 31 + 32 contains no multiple of 64
static bool strips_differ(const sum_t *a, const sum_t *b, int64_t coarse)
{
    int64_t divisor = 0, min = b->min - a->min, max = min;
    for (int i = 0; i < a->strip_count + b->strip_count; i++) {
        bool of_a = i < a->strip_count;
        const strip_t *strip = of_a ? &a->strips[i] : &b->strips[i - a->strip_count];
        if (strip->factor >= coarse)
            divisor = common_divisor(divisor, strip->factor);
        else if (of_a)
            min -= strip->max;
        else
            max += strip->max;
    }
    if (min > 0 || max < 0)
        return !divisor ||
               (min > 0 ? (max / divisor) * divisor < min : (min / divisor) * divisor > max);
    return false;
}

bool kiln_offsets_differ(MlirValue a, MlirValue b)
{
    sum_t sum_a, sum_b;
    if (!find_sums(a, b, &sum_a, &sum_b))
        return false;
    bool differ = sum_a.max < sum_b.min || sum_b.max < sum_a.min;
    for (int i = 0; i < sum_a.strip_count && !differ; i++)
        differ = strips_differ(&sum_a, &sum_b, sum_a.strips[i].factor);
    return differ;
}

static bool is_made_in(MlirValue value, MlirOperation loop)
{
    MlirBlock block = mlirValueIsABlockArgument(value)
                          ? mlirBlockArgumentGetOwner(value)
                          : mlirOperationGetBlock(mlirOpResultGetOwner(value));
    for (MlirOperation at = mlirBlockGetParentOperation(block); !mlirOperationIsNull(at);
         at = kiln_op_parent(at))
        if (mlirOperationEqual(at, loop))
            return true;
    return false;
}

// Returns a bound of a loop, with the signedness of the loop's comparison; false if unknown.
static bool known_bound(MlirOperation loop, int operand, int64_t *out)
{
    MlirValue bound = kiln_op_operand(loop, operand);
    const int bits = kiln_type_bits(mlirValueGetType(bound));
    if (!kiln_ir_constant_int(bound, out))
        return false;
    if (kiln_for_is_unsigned(loop) && bits < 64)
        *out &= (INT64_C(1) << bits) - 1;
    return true;
}

static bool is_narrow_integer(MlirType type)
{
    return mlirTypeIsAInteger(type) && kiln_type_bits(type) <= 32;
}

// The largest distance between two values of a loop's induction variable, by its bounds or its
// type; −1 if that is not known to be below 2^32.
static int64_t max_distance(MlirOperation loop)
{
    const bool is_unsigned = kiln_for_is_unsigned(loop);
    const int64_t min = is_unsigned ? 0 : INT32_MIN, max = is_unsigned ? UINT32_MAX : INT32_MAX;
    int64_t lower = min, upper = max;
    const bool has_lower = known_bound(loop, 0, &lower), has_upper = known_bound(loop, 1, &upper);
    if (!is_narrow_integer(mlirValueGetType(kiln_op_operand(loop, 0))) && !(has_lower && has_upper))
        return -1;
    if (lower < min || lower > max || upper < min || upper > max)
        return -1;
    return upper > lower ? upper - lower : 0;
}

bool kiln_offsets_differ_across_iterations(MlirValue earlier, MlirValue now, MlirOperation loop)
{
    sum_t earlier_sum, now_sum;
    int64_t step, advance = 0, total = 0, reach;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR || !find_sums(earlier, now, &earlier_sum, &now_sum))
        return false;
    const bool step_is_known =
        kiln_ir_constant_int(kiln_op_operand(loop, 2), &step) && fits(step) && step > 0;
    const int64_t distance = max_distance(loop);
    MlirValue induction = mlirBlockGetArgument(kiln_op_body(loop, 0), 0);
    const bool changes_sign =
        kiln_for_is_unsigned(loop) && is_narrow_integer(mlirValueGetType(induction));
    int64_t modulus = common_divisor(earlier_sum.modulus, now_sum.modulus);
    for (int i = 0; i < now_sum.count; i++) {
        const int64_t factor = now_sum.terms[i].factor;
        const bool is_of_loop = mlirValueEqual(now_sum.terms[i].value, induction);
        if (!(is_of_loop && (now_sum.terms[i].is_count || step_is_known))) {
            if (is_made_in(now_sum.terms[i].value, loop))
                return false;
            continue;
        }
        // Offsets are signed: they jump back if an unsigned induction variable exceeds the signed
        // range.
        if (changes_sign && !now_sum.terms[i].is_count && factor) {
            if (__builtin_mul_overflow(magnitude(factor),
                                       INT64_C(1) << kiln_type_bits(mlirValueGetType(induction)),
                                       &reach))
                return false;
            modulus = common_divisor(reach, modulus);
        }
        // No sum may wrap around during the whole loop.
        const int64_t max = now_sum.terms[i].is_count && step_is_known ? distance / step : distance;
        int64_t stride = factor;
        if (distance < 0 ||
            (!now_sum.terms[i].is_count && __builtin_mul_overflow(factor, step, &stride)) ||
            __builtin_add_overflow(advance, stride, &advance) ||
            __builtin_mul_overflow(magnitude(factor), max, &reach) ||
            __builtin_add_overflow(total, reach, &total))
            return false;
    }
    const int64_t min = advance > 0 ? now_sum.min - earlier_sum.max : earlier_sum.min - now_sum.max,
                  max = advance > 0 ? now_sum.max - earlier_sum.min : earlier_sum.max - now_sum.min;
    if (!modulus)
        modulus = INT64_MAX;
    return advance && advance > -INT64_MAX && magnitude(advance) > -min &&
           total < modulus - magnitude(max);
}

// Repeated addresses ------------------------------------------------------------------------------

// The dimensions, as a bitmask, along which a tensor may have different elements.
static uint32_t varying_dimensions(MlirValue value, int *left)
{
    MlirOperation op;
    MlirType type = mlirValueGetType(value);
    int64_t number;
    int rank = kiln_type_rank(type);
    uint32_t all = rank ? (1u << rank) - 1 : 0, dims = 0;
    value = strip_conversions(value);
    if (!all || kiln_ir_constant_int(value, &number))
        return 0;
    kiln_op_t kind = --*left < 0 ? KILN_OP_UNKNOWN : kiln_value_op(value, &op);
    switch (kind) {
    case KILN_OP_TT_SPLAT:
        return 0;
    case KILN_OP_TT_BROADCAST:
        dims = varying_dimensions(kiln_op_operand(op, 0), left);
        for (int d = 0; d < rank; d++)
            if (kiln_type_dim(mlirValueGetType(kiln_op_operand(op, 0)), d) == 1)
                dims &= ~(1u << d);
        return dims;
    case KILN_OP_TT_EXPAND_DIMS: {
        dims = varying_dimensions(kiln_op_operand(op, 0), left);
        uint32_t below = (1u << kiln_ir_int_attr(op, "axis", 0)) - 1;
        return (dims & below) | (dims & ~below) << 1;
    }
    case KILN_OP_TT_ADDPTR:
    case KILN_OP_ARITH_ADDI:
    case KILN_OP_ARITH_SUBI:
    case KILN_OP_ARITH_MULI:
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_EXTUI:
        for (int i = 0; i < (int)mlirOperationGetNumOperands(op); i++)
            dims |= varying_dimensions(kiln_op_operand(op, i), left);
        return dims;
    default:
        return all;
    }
}

// Each dimension has its own strip, and each strip's step exceeds the reach of all strips with
// smaller steps.
bool kiln_offset_is_injective(MlirValue pointers)
{
    MlirType type = mlirValueGetType(pointers);
    int left = MAX_STEPS;
    uint32_t dims = varying_dimensions(pointers, &left);
    for (int d = 0; d < kiln_type_rank(type); d++)
        if (kiln_type_dim(type, d) > 1 && !(dims >> d & 1))
            return false;
    sum_t sum = {.count = 0};
    add_terms(&sum, pointers, 1, 1, DEPTH);
    if (sum.failed || sum.vanishes)
        return false;
    for (int i = 0; i < sum.strip_count; i++) {
        int64_t below = 0;
        for (int j = 0; j < sum.strip_count; j++)
            if (sum.strips[j].factor < sum.strips[i].factor)
                below += sum.strips[j].max;
            else if (j != i && sum.strips[j].factor == sum.strips[i].factor)
                return false;
        if (below >= sum.strips[i].factor)
            return false;
    }
    return true;
}
