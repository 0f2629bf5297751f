// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats, element by element: a function of doubles, rounded to the type once.
//
// For f32 and narrower types, + − × ÷ √, remainders and roundings to integers are correctly
// rounded; functions such as exp are libm's in double, so their error is that of the last rounding.
// f64 is as accurate as libm.
//
// Note that −0 is less than +0 in every kind of minimum and maximum.
#include <math.h>

#include "builder/compare.h"
#include "interp/machine.h"
#include "interp/special.h"

typedef double (*unary_t)(double);
typedef double (*binary_t)(double, double);
typedef double (*ternary_t)(double, double, double);

static double add(double a, double b)
{
    return a + b;
}
static double subtract(double a, double b)
{
    return a - b;
}
static double multiply(double a, double b)
{
    return a * b;
}
static double divide(double a, double b)
{
    return a / b;
}
static double negate(double a)
{
    return -a;
}
static bool is_less(double a, double b)
{
    return a < b || (a == b && signbit(a) && !signbit(b));
}
static double min_number(double a, double b) // prefers a number to NaN
{
    return isnan(a) ? b : isnan(b) ? a : is_less(a, b) ? a : b;
}
static double greatest_number(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : is_less(a, b) ? b : a;
}
static double minimum(double a, double b) // propagates NaN
{
    return isnan(a) || isnan(b) ? (double)NAN : min_number(a, b);
}
static double maximum(double a, double b)
{
    return isnan(a) || isnan(b) ? (double)NAN : greatest_number(a, b);
}
static double reciprocal_root(double a)
{
    return 1 / sqrt(a);
}
static double clamp(double x, double low, double high)
{
    return min_number(greatest_number(x, low), high);
}
static double clamp_or_nan(double x, double low, double high)
{
    return isnan(x) ? x : clamp(x, low, high);
}

static const struct {
    unary_t one;
    binary_t two;
    ternary_t three;
} functions[KILN_OP_COUNT] = {
    [KILN_OP_ARITH_ADDF] = {.two = add},
    [KILN_OP_ARITH_SUBF] = {.two = subtract},
    [KILN_OP_ARITH_MULF] = {.two = multiply},
    [KILN_OP_ARITH_DIVF] = {.two = divide},
    [KILN_OP_TT_PRECISE_DIVF] = {.two = divide},
    [KILN_OP_ARITH_REMF] = {.two = fmod},
    [KILN_OP_ARITH_NEGF] = {.one = negate},
    [KILN_OP_ARITH_MINIMUMF] = {.two = minimum},
    [KILN_OP_ARITH_MAXIMUMF] = {.two = maximum},
    [KILN_OP_ARITH_MINNUMF] = {.two = min_number},
    [KILN_OP_ARITH_MAXNUMF] = {.two = greatest_number},
    [KILN_OP_TT_PRECISE_SQRT] = {.one = sqrt},
    [KILN_OP_TT_CLAMPF] = {.three = clamp},
    [KILN_OP_MATH_EXP] = {.one = exp},
    [KILN_OP_MATH_EXP2] = {.one = exp2},
    [KILN_OP_MATH_EXPM1] = {.one = kiln_special_expm1},
    [KILN_OP_MATH_LOG] = {.one = log},
    [KILN_OP_MATH_LOG2] = {.one = log2},
    [KILN_OP_MATH_LOG10] = {.one = log10},
    [KILN_OP_MATH_LOG1P] = {.one = log1p},
    [KILN_OP_MATH_SIN] = {.one = sin},
    [KILN_OP_MATH_COS] = {.one = cos},
    [KILN_OP_MATH_TAN] = {.one = tan},
    [KILN_OP_MATH_TANH] = {.one = tanh},
    [KILN_OP_MATH_ASIN] = {.one = asin},
    [KILN_OP_MATH_ACOS] = {.one = acos},
    [KILN_OP_MATH_SINH] = {.one = sinh},
    [KILN_OP_MATH_COSH] = {.one = cosh},
    [KILN_OP_MATH_ASINH] = {.one = asinh},
    [KILN_OP_MATH_ACOSH] = {.one = acosh},
    [KILN_OP_MATH_ATANH] = {.one = atanh},
    [KILN_OP_MATH_ATAN] = {.one = atan},
    [KILN_OP_MATH_ATAN2] = {.two = atan2},
    [KILN_OP_MATH_POWF] = {.two = pow},
    [KILN_OP_MATH_SQRT] = {.one = sqrt},
    [KILN_OP_MATH_RSQRT] = {.one = reciprocal_root},
    [KILN_OP_MATH_CBRT] = {.one = cbrt},
    [KILN_OP_MATH_ERF] = {.one = erf},
    [KILN_OP_MATH_ERFC] = {.one = erfc},
    [KILN_OP_MATH_CLAMPF] = {.three = clamp},
    [KILN_OP_MATH_FLOOR] = {.one = floor},
    [KILN_OP_MATH_CEIL] = {.one = ceil},
    [KILN_OP_MATH_TRUNC] = {.one = trunc},
    [KILN_OP_MATH_ROUND] = {.one = round},
    [KILN_OP_MATH_ROUNDEVEN] = {.one = nearbyint},
    [KILN_OP_MATH_ABSF] = {.one = fabs},
    [KILN_OP_MATH_COPYSIGN] = {.two = copysign},
};

enum { MAX_OPERANDS = 3 };

typedef struct operands {
    const kiln_itile_t *tiles[MAX_OPERANDS];
    size_t steps[MAX_OPERANDS], count;
    int operand_count;
} operands_t;

static operands_t gather_operands(const kiln_iframe_t *frame, const kiln_iop_t *op)
{
    operands_t o = {.operand_count =
                        op->operand_count < MAX_OPERANDS ? op->operand_count : MAX_OPERANDS};
    for (int i = 0; i < o.operand_count; i++) {
        o.tiles[i] = kiln_in(frame, op, i);
        o.steps[i] = kiln_itile_step(o.tiles[i]);
        o.count = o.tiles[i]->count > o.count ? o.tiles[i]->count : o.count;
    }
    return o;
}

static kiln_status_t finish(kiln_iframe_t *frame, const kiln_iop_t *op, kiln_itile_t *out,
                            const operands_t *o)
{
    for (int i = 0; out && i < o->operand_count; i++)
        kiln_itile_inherit_undefined(out, o->tiles[i]);
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_float(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    operands_t o = gather_operands(frame, op);
    kiln_number_t n = op->result_types[0]->number;
    unary_t one = functions[op->kind].one;
    binary_t two = functions[op->kind].two;
    ternary_t three = functions[op->kind].three;
    if (op->kind == KILN_OP_TT_CLAMPF && op->attribute)
        three = clamp_or_nan;
    if (op->kind == KILN_OP_MATH_LOG1P && n.bits == 64)
        one = kiln_special_log1p_f64;
    if (!one && !two && !three)
        return kiln_fail_without_code(frame, op);
    kiln_itile_t *out = kiln_itile_create(frame->machine, o.count);
    for (size_t i = 0; out && i < o.count; i++) {
        double x = kiln_number_decode(n, o.tiles[0]->bits[i * o.steps[0]]), value;
        if (one) {
            value = one(x);
        } else {
            double y = kiln_number_decode(n, o.tiles[1]->bits[i * o.steps[1]]);
            value = two ? two(x, y)
                        : three(x, y, kiln_number_decode(n, o.tiles[2]->bits[i * o.steps[2]]));
        }
        out->bits[i] = kiln_number_encode(n, value);
    }
    return finish(frame, op, out, &o);
}

kiln_status_t kiln_exec_integer_power(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    operands_t o = gather_operands(frame, op);
    kiln_number_t n = op->result_types[0]->number, exponent = op->operand_types[1]->number;
    kiln_itile_t *out = kiln_itile_create(frame->machine, o.count);
    for (size_t i = 0; out && i < o.count; i++) {
        double x = kiln_number_decode(n, o.tiles[0]->bits[i * o.steps[0]]);
        int64_t power = kiln_number_signed(exponent, o.tiles[1]->bits[i * o.steps[1]]);
        out->bits[i] = kiln_number_encode(n, pow(x, (double)power));
    }
    return finish(frame, op, out, &o);
}

kiln_status_t kiln_exec_fma(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    operands_t o = gather_operands(frame, op);
    kiln_number_t n = op->result_types[0]->number;
    kiln_itile_t *out = kiln_itile_create(frame->machine, o.count);
    for (size_t i = 0; out && i < o.count; i++)
        out->bits[i] =
            kiln_number_fma(n, o.tiles[0]->bits[i * o.steps[0]], o.tiles[1]->bits[i * o.steps[1]],
                            o.tiles[2]->bits[i * o.steps[2]]);
    return finish(frame, op, out, &o);
}

kiln_status_t kiln_exec_classify(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    operands_t o = gather_operands(frame, op);
    kiln_number_t n = op->operand_types[0]->number;
    kiln_itile_t *out = kiln_itile_create(frame->machine, o.count);
    for (size_t i = 0; out && i < o.count; i++) {
        double x = kiln_number_decode(n, o.tiles[0]->bits[i]);
        double min_normal = ldexp(1, 1 - n.bias);
        bool result = op->kind == KILN_OP_MATH_ISNAN      ? isnan(x)
                      : op->kind == KILN_OP_MATH_ISINF    ? isinf(x)
                      : op->kind == KILN_OP_MATH_ISNORMAL ? isfinite(x) && fabs(x) >= min_normal
                                                          : isfinite(x);
        out->bits[i] = result;
    }
    return finish(frame, op, out, &o);
}

static bool holds(kiln_cmpf_t predicate, double a, double b)
{
    if (isnan(a) || isnan(b))
        return predicate >= KILN_CMPF_UEQ; // the unordered ones, and TRUE
    switch (predicate) {
    case KILN_CMPF_OEQ:
    case KILN_CMPF_UEQ:
        return a == b;
    case KILN_CMPF_OGT:
    case KILN_CMPF_UGT:
        return a > b;
    case KILN_CMPF_OGE:
    case KILN_CMPF_UGE:
        return a >= b;
    case KILN_CMPF_OLT:
    case KILN_CMPF_ULT:
        return a < b;
    case KILN_CMPF_OLE:
    case KILN_CMPF_ULE:
        return a <= b;
    case KILN_CMPF_ONE:
    case KILN_CMPF_UNE:
        return a != b;
    case KILN_CMPF_ORD:
    case KILN_CMPF_TRUE:
        return true;
    default:
        return false;
    }
}

kiln_status_t kiln_exec_compare_floats(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    operands_t o = gather_operands(frame, op);
    kiln_number_t n = op->operand_types[0]->number;
    kiln_itile_t *out = kiln_itile_create(frame->machine, o.count);
    for (size_t i = 0; out && i < o.count; i++)
        out->bits[i] = holds((kiln_cmpf_t)op->attribute,
                             kiln_number_decode(n, o.tiles[0]->bits[i * o.steps[0]]),
                             kiln_number_decode(n, o.tiles[1]->bits[i * o.steps[1]]));
    return finish(frame, op, out, &o);
}
