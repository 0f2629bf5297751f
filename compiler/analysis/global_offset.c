// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See global_offset.h.
//
// The thing one gets wrong: offsets are narrow integers that wrap. What is said here of offsets holds of their lower 32
// bits: sums of the same values and of numbers less than 2^31 apart differ there where the numbers do, whatever the
// values are. Extensions and truncations keep these bits; products of two values are values of their own.
#include "analysis/global_offset.h"

#include "builder/ir.h"

// Operands are shared, and the ways to one may be as many as two to the power of what is between: so a search has so many steps.
enum { DEPTH = 24, MOST_TERMS = 12, MOST_STEPS = 512 };

static MlirValue behind_conversions(MlirValue value)
{
    MlirOperation op;
    for (kiln_op_t kind;
         (kind = kiln_value_op(value, &op)) == KILN_OP_TTG_CONVERT_LAYOUT || kind == KILN_OP_TT_BITCAST;) {
        MlirValue before = kiln_op_operand(op, 0);
        if (kind == KILN_OP_TT_BITCAST && !mlirTypeEqual(mlirValueGetType(before), mlirValueGetType(value)))
            break; // not a copy that a promise hangs on
        value = before;
    }
    return value;
}

// Equality -----------------------------------------------------------------------------------------------------------

// Operations without effects that are the same where their operands and attributes are.
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
    case KILN_OP_ARITH_REMSI:
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

static bool equal_in_steps(MlirValue a, MlirValue b, int *left)
{
    int64_t number_a, number_b;
    MlirOperation op_a, op_b;
    a = behind_conversions(a);
    b = behind_conversions(b);
    if (mlirValueEqual(a, b))
        return true;
    if (kiln_ir_constant_int(a, &number_a) && kiln_ir_constant_int(b, &number_b))
        return number_a == number_b;
    kiln_op_t kind = kiln_value_op(a, &op_a);
    if (--*left < 0 || kind != kiln_value_op(b, &op_b) || !is_expression(kind) || !same_attributes(op_a, op_b))
        return false;
    for (int i = 0; i < (int)mlirOperationGetNumOperands(op_a); i++)
        if (!equal_in_steps(kiln_op_operand(op_a, i), kiln_op_operand(op_b, i), left))
            return false;
    return true;
}

bool kiln_offset_equal(MlirValue a, MlirValue b)
{
    int left = MOST_STEPS;
    return equal_in_steps(a, b, &left);
}

// Difference ---------------------------------------------------------------------------------------------------------

// The sum of some values, the same for all elements, times a number each, and of numbers from `least` to `most`.
typedef struct term {
    MlirValue value;
    int64_t factor;
    bool is_count; // not the induction variable itself, but how many iterations its loop has done
} term_t;

// The numbers of a range times a positive number: 0, factor, … up to `most`. Of columns, say, and of rows times their length.
typedef struct strip {
    int64_t factor, most;
} strip_t;

typedef struct sum {
    term_t terms[MOST_TERMS];
    int count;
    strip_t strips[MOST_TERMS]; // the numbers between least and most are least and one of each of these
    int strip_count;
    int64_t least, most; // elements
    bool failed;
} sum_t;

static bool fits(int64_t number)
{
    return number >= INT32_MIN && number <= INT32_MAX;
}

static void add_numbers(sum_t *sum, int64_t a, int64_t b)
{
    sum->least += a < b ? a : b;
    sum->most += a < b ? b : a;
    sum->failed |= !fits(sum->least) || !fits(sum->most);
}

static void add_range(sum_t *sum, int64_t start, int64_t end, int64_t factor)
{
    add_numbers(sum, factor * start, factor * (end - 1));
    sum->failed |= sum->strip_count == MOST_TERMS;
    if (!sum->failed && factor && end - start > 1)
        sum->strips[sum->strip_count++] =
            (strip_t){factor < 0 ? -factor : factor, (factor < 0 ? -factor : factor) * (end - 1 - start)};
}

static void add_terms(sum_t *sum, MlirValue value, int64_t factor, int depth);

static void add_term(sum_t *sum, term_t term)
{
    sum->failed |= sum->count == MOST_TERMS;
    if (!sum->failed)
        sum->terms[sum->count++] = term;
}

// Pointers that a loop carries and moves by a number each time: they don't wrap as narrow offsets do.
//
//   scf.for … iter_args(%p = %first) { …  %next = tt.addptr %p, 256  scf.yield %next }      →      %first + 256 · iterations
static bool add_carried(sum_t *sum, MlirValue pointer, int64_t factor, int depth)
{
    if (!mlirValueIsABlockArgument(pointer) || !kiln_type_is_ptr(kiln_type_element(mlirValueGetType(pointer))))
        return false;
    MlirBlock body = mlirBlockArgumentGetOwner(pointer);
    MlirOperation loop = mlirBlockGetParentOperation(body), op;
    intptr_t carried = mlirBlockArgumentGetArgNumber(pointer) - 1;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR)
        return false;
    MlirValue next = behind_conversions(mlirOperationGetOperand(kiln_block_terminator(body), carried));
    int64_t number, step = 0;
    while (kiln_value_op(next, &op) == KILN_OP_TT_ADDPTR && kiln_ir_constant_int(kiln_op_operand(op, 1), &number)) {
        if (!fits(number) || !fits(step + number))
            return false;
        step += number;
        next = behind_conversions(kiln_op_operand(op, 0));
    }
    if (!mlirValueEqual(next, pointer) || !fits(step * factor))
        return false;
    add_terms(sum, mlirOperationGetOperand(loop, 3 + carried), factor, depth - 1);
    add_term(sum, (term_t){mlirBlockGetArgument(body, 0), step * factor, true});
    return true;
}

// A part whose elements differ in a way that isn't known fails: which element meets which isn't known either.
static void add_terms(sum_t *sum, MlirValue value, int64_t factor, int depth)
{
    MlirOperation op;
    int64_t number;
    value = behind_conversions(value);
    if (sum->failed)
        return;
    if (kiln_ir_constant_int(value, &number)) {
        sum->failed |= !fits(number) || !fits(number * factor);
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
        add_terms(sum, kiln_op_operand(op, 0), factor, depth - 1);
        add_terms(sum, kiln_op_operand(op, 1), factor, depth - 1);
        return;
    case KILN_OP_ARITH_MULI:
        if (!kiln_ir_constant_int(kiln_op_operand(op, 1), &number) || !fits(number) || !fits(number * factor))
            break;
        add_terms(sum, kiln_op_operand(op, 0), factor * number, depth - 1);
        return;
    case KILN_OP_ARITH_EXTSI:
    case KILN_OP_ARITH_EXTUI:
    case KILN_OP_ARITH_TRUNCI:
        if (kiln_type_bits(mlirValueGetType(kiln_op_operand(op, 0))) < 32)
            break;
        add_terms(sum, kiln_op_operand(op, 0), factor, depth - 1);
        return;
    case KILN_OP_TT_SPLAT:
    case KILN_OP_TT_BROADCAST:
    case KILN_OP_TT_EXPAND_DIMS:
    case KILN_OP_TT_TRANS:
        add_terms(sum, kiln_op_operand(op, 0), factor, depth - 1);
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

// Two sums that differ in their numbers alone.
static bool find_sums(MlirValue a, MlirValue b, sum_t *sum_a, sum_t *sum_b)
{
    *sum_a = *sum_b = (sum_t){.count = 0};
    if (!mlirTypeEqual(kiln_type_element(mlirValueGetType(a)), kiln_type_element(mlirValueGetType(b))))
        return false; // elements of two sizes
    add_terms(sum_a, a, 1, DEPTH);
    add_terms(sum_b, b, 1, DEPTH);
    if (sum_a->failed || sum_b->failed || sum_a->count != sum_b->count)
        return false;
    bool taken[MOST_TERMS] = {false};
    for (int i = 0; i < sum_a->count; i++) {
        int match = 0;
        while (match < sum_b->count && (taken[match] || !same_term(sum_a->terms[i], sum_b->terms[match])))
            match++;
        if (match == sum_b->count)
            return false;
        taken[match] = true;
    }
    return true;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

// What differs by strips of at least `coarse` is a multiple of their common divisor; what the rest differs by, and the
// sums' beginnings, must then reach none.
//
//   64 · head + i   and   64 · head' + i' + 32   with i, i' in 0 … 31:   −31 … 31 + 32 holds no multiple of 64
static bool strips_differ(const sum_t *a, const sum_t *b, int64_t coarse)
{
    int64_t divisor = 0, least = b->least - a->least, most = least;
    for (int i = 0; i < a->strip_count + b->strip_count; i++) {
        bool of_a = i < a->strip_count;
        const strip_t *strip = of_a ? &a->strips[i] : &b->strips[i - a->strip_count];
        if (strip->factor >= coarse)
            divisor = common_divisor(divisor, strip->factor);
        else if (of_a)
            least -= strip->most;
        else
            most += strip->most;
    }
    if (least > 0 || most < 0)
        return !divisor || (least > 0 ? (most / divisor) * divisor < least : (least / divisor) * divisor > most);
    return false;
}

bool kiln_offsets_differ(MlirValue a, MlirValue b)
{
    sum_t sum_a, sum_b;
    if (!find_sums(a, b, &sum_a, &sum_b))
        return false;
    bool differ = sum_a.most < sum_b.least || sum_b.most < sum_a.least;
    for (int i = 0; i < sum_a.strip_count && !differ; i++)
        differ = strips_differ(&sum_a, &sum_b, sum_a.strips[i].factor);
    return differ;
}

static bool is_made_in(MlirValue value, MlirOperation loop)
{
    MlirBlock block = mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value)
                                                       : mlirOperationGetBlock(mlirOpResultGetOwner(value));
    for (MlirOperation at = mlirBlockGetParentOperation(block); !mlirOperationIsNull(at); at = kiln_op_parent(at))
        if (mlirOperationEqual(at, loop))
            return true;
    return false;
}

bool kiln_offsets_differ_around(MlirValue earlier, MlirValue now, MlirOperation loop)
{
    sum_t was, is;
    int64_t step, advance = 0;
    if (kiln_op_kind(loop) != KILN_OP_SCF_FOR || !find_sums(earlier, now, &was, &is))
        return false;
    bool step_is_known = kiln_ir_constant_int(kiln_op_operand(loop, 2), &step) && fits(step);
    MlirValue induction = mlirBlockGetArgument(kiln_op_body(loop, 0), 0);
    for (int i = 0; i < is.count; i++) {
        bool is_of_loop = mlirValueEqual(is.terms[i].value, induction);
        if (is_of_loop && is.terms[i].is_count)
            advance += is.terms[i].factor;
        else if (is_of_loop && step_is_known)
            advance += is.terms[i].factor * step;
        else if (is_made_in(is.terms[i].value, loop))
            return false;
    }
    return advance > 0 ? was.most - advance < is.least : advance < 0 && was.least - advance > is.most;
}

// Repetition ---------------------------------------------------------------------------------------------------------

// The dimensions, as bits, along which a tensor may have different elements.
static uint32_t varying_dimensions(MlirValue value, int *left)
{
    MlirOperation op;
    MlirType type = mlirValueGetType(value);
    int64_t number;
    int rank = kiln_type_rank(type);
    uint32_t all = rank ? (1u << rank) - 1 : 0, dims = 0;
    value = behind_conversions(value);
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

bool kiln_offset_is_injective(MlirValue pointers)
{
    MlirType type = mlirValueGetType(pointers);
    int left = MOST_STEPS;
    uint32_t dims = varying_dimensions(pointers, &left);
    for (int d = 0; d < kiln_type_rank(type); d++)
        if (kiln_type_dim(type, d) > 1 && !(dims >> d & 1))
            return false;
    return true;
}
