// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device-library functions by their ocml names, in double, rounded to the result's type; ockl.c has
// ockl's.
//
// Accuracy: f32 and f16 results have only the error of that rounding (at most half a unit in the
// last place, except for double roundings in about one of 2^29 cases); f64 is as accurate as libm,
// below one unit for the common functions. ocml itself allows up to 2 units for most functions and
// 16 for pow and the gamma functions.
//
// Note that ocml's predicates (isnan, isinf, …) return i32, and that they and nextafter use the
// bits of the operand's type: a subnormal f16 is a normal double, and a conversion to double loses
// a NaN's sign.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "interp/machine.h"
#include "interp/ockl.h"
#include "interp/special.h"

enum { MAX_ARITY = 4 };

typedef uint64_t (*by_bits_t)(kiln_number_t n, const uint64_t *x);

typedef struct row {
    const char *name;
    double (*one)(double);
    double (*one_f64)(double); // NULL: `one`
    double (*two)(double, double);
    double (*three)(double, double, double);
    double (*four)(double, double, double, double);
    by_bits_t bits; // of the first operand's type
    int arity;
} row_t;

static double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static double rhypot(double x, double y)
{
    return 1 / hypot(x, y);
}
// exp(y · log(x)), which is NaN wherever that is 0 · ∞.
static double powr(double x, double y)
{
    if (isnan(x) || isnan(y) || x < 0 || (y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y)))
        return (double)NAN;
    return pow(fabs(x), y);
}
// The hardware's: +0 is larger than -0.
static double larger(double x, double y)
{
    return x == 0 && y == 0 ? copysign(0, signbit(x) && signbit(y) ? -1 : 1) : fmax(x, y);
}
static double smaller(double x, double y)
{
    return x == 0 && y == 0 ? copysign(0, signbit(x) || signbit(y) ? -1 : 1) : fmin(x, y);
}
static double exponent_of_ten(double x)
{
    return pow(10, x);
}
static double scale_by(double x, double exponent)
{
    if (isnan(exponent))
        return exponent;
    return ldexp(x, exponent > 4096 ? 4096 : exponent < -4096 ? -4096 : (int)exponent);
}
static double exponent_of(double x)
{
    return isnan(x) ? INT_MAX : (double)ilogb(x); // FP_ILOGBNAN differs between C libraries
}
static double divide(double x, double y)
{
    return x / y;
}
static double reciprocal(double x)
{
    return 1 / x;
}

static double length_of_three(double x, double y, double z)
{
    long double a = (long double)x, b = (long double)y, c = (long double)z;
    return isinf(x) || isinf(y) || isinf(z) ? (double)INFINITY
                                            : (double)sqrtl(a * a + b * b + c * c);
}
static double length_of_four(double x, double y, double z, double w)
{
    return isinf(w) ? (double)INFINITY
                    : (double)hypotl((long double)length_of_three(x, y, z), (long double)w);
}
static double inverse_length_of_three(double x, double y, double z)
{
    return 1 / length_of_three(x, y, z);
}
static double inverse_length_of_four(double x, double y, double z, double w)
{
    return 1 / length_of_four(x, y, z, w);
}
static double larger_size(double x, double y)
{
    return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : larger(x, y);
}
static double smaller_size(double x, double y)
{
    return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : smaller(x, y);
}

static uint64_t size_bits(kiln_number_t n, uint64_t x)
{
    return x & kiln_number_mask(n) >> 1;
}
static uint64_t infinity_bits(kiln_number_t n)
{
    return ((UINT64_C(1) << n.exponent_bits) - 1) << n.mantissa_bits;
}
static uint64_t is_nan(kiln_number_t n, const uint64_t *x)
{
    return size_bits(n, *x) > infinity_bits(n);
}
static uint64_t is_infinite(kiln_number_t n, const uint64_t *x)
{
    return size_bits(n, *x) == infinity_bits(n);
}
static uint64_t is_finite(kiln_number_t n, const uint64_t *x)
{
    return size_bits(n, *x) < infinity_bits(n);
}
static uint64_t is_normal(kiln_number_t n, const uint64_t *x)
{
    return is_finite(n, x) && size_bits(n, *x) >> n.mantissa_bits;
}
static uint64_t sign_bit(kiln_number_t n, const uint64_t *x)
{
    return *x >> (n.bits - 1) & 1;
}
// NaN, infinite, zero, subnormal, normal
static uint64_t classify(kiln_number_t n, const uint64_t *x)
{
    return is_nan(n, x)        ? 0
           : is_infinite(n, x) ? 1
           : !size_bits(n, *x) ? 2
           : is_normal(n, x)   ? 4
                               : 3;
}
static uint64_t absolute(kiln_number_t n, const uint64_t *x)
{
    if (kiln_number_is_float(n))
        return size_bits(n, *x);
    return (sign_bit(n, x) ? 0 - *x : *x) & kiln_number_mask(n); // the minimum maps to itself
}
static uint64_t copy_sign(kiln_number_t n, const uint64_t *x)
{
    return size_bits(n, x[0]) | (x[1] & ~(kiln_number_mask(n) >> 1));
}
static uint64_t multiply_add(kiln_number_t n, const uint64_t *x)
{
    return kiln_number_fma(n, x[0], x[1], x[2]);
}
// The next float after x[0] towards x[1]. Floats of one sign are ordered as their bits are.
static uint64_t next_after(kiln_number_t n, const uint64_t *x)
{
    double from = kiln_number_decode(n, x[0]), to = kiln_number_decode(n, x[1]);
    if (isnan(from) || isnan(to))
        return kiln_number_encode(n, (double)NAN);
    if (from == to)
        return x[1];
    if (from == 0)
        return 1 | (x[1] & ~(kiln_number_mask(n) >> 1));
    return (from < to) == (from > 0) ? x[0] + 1 : x[0] - 1;
}
// The quiet NaN that carries the integer x.
static uint64_t not_a_number(kiln_number_t n, const uint64_t *x)
{
    static const uint64_t quiet[] = {0x7e00, 0x7fc00000, UINT64_C(0x7ff8000000000000)};
    int which = n.bits == 16 ? 0 : n.bits == 32 ? 1 : 2;
    return quiet[which] | (*x & ((quiet[which] & -quiet[which]) - 1));
}

#define ONE(symbol, function) {.name = symbol, .one = function, .arity = 1}
#define TWO(symbol, function) {.name = symbol, .two = function, .arity = 2}
#define THREE(symbol, function) {.name = symbol, .three = function, .arity = 3}
#define FOUR(symbol, function) {.name = symbol, .four = function, .arity = 4}
#define BITS(symbol, function, count) {.name = symbol, .bits = function, .arity = count}
static const row_t rows[] = {
    ONE("acos", acos),
    ONE("acosh", acosh),
    ONE("asin", asin),
    ONE("asinh", asinh),
    ONE("atan", atan),
    ONE("atanh", atanh),
    ONE("cbrt", kiln_special_cbrt),
    ONE("ceil", ceil),
    ONE("cos", cos),
    ONE("cosh", cosh),
    ONE("cospi", kiln_special_cospi),
    ONE("erf", erf),
    ONE("erfc", erfc),
    ONE("exp", exp),
    ONE("exp2", exp2),
    ONE("exp10", exponent_of_ten),
    ONE("expm1", kiln_special_expm1),
    BITS("fabs", absolute, 1),
    ONE("floor", floor),
    ONE("j0", j0),
    ONE("j1", kiln_special_j1),
    ONE("lgamma", lgamma),
    ONE("log", log),
    ONE("log10", log10),
    {.name = "log1p", .one = log1p, .one_f64 = kiln_special_log1p_f64, .arity = 1},
    ONE("log2", log2),
    ONE("logb", logb),
    ONE("nearbyint", nearbyint),
    ONE("rcbrt", kiln_special_rcbrt),
    ONE("rint", nearbyint),
    ONE("round", round),
    ONE("rsqrt", rsqrt),
    ONE("sin", sin),
    ONE("sinh", sinh),
    ONE("sinpi", kiln_special_sinpi),
    ONE("sqrt", sqrt),
    ONE("tan", tan),
    ONE("tanh", tanh),
    ONE("tanpi", kiln_special_tanpi),
    ONE("tgamma", tgamma),
    ONE("trunc", trunc),
    ONE("y0", y0),
    ONE("y1", y1),
    ONE("ilogb", exponent_of),
    BITS("isnan", is_nan, 1),
    BITS("isinf", is_infinite, 1),
    BITS("isfinite", is_finite, 1),
    BITS("isnormal", is_normal, 1),
    BITS("signbit", sign_bit, 1),
    ONE("native_exp", exp),
    ONE("native_exp2", exp2),
    ONE("native_log", log),
    ONE("native_log2", log2),
    ONE("native_log10", log10),
    ONE("native_sin", sin),
    ONE("native_cos", cos),
    ONE("native_sqrt", sqrt),
    ONE("native_rsqrt", rsqrt),
    ONE("native_rcp", reciprocal),
    ONE("fast_expf", exp),
    ONE("fast_tanhf", tanh),
    ONE("llrint", nearbyint),
    BITS("iabs", absolute, 1),
    TWO("atan2", atan2),
    BITS("copysign", copy_sign, 2),
    TWO("fdim", fdim),
    TWO("fmax", larger),
    TWO("fmin", smaller),
    TWO("fmod", fmod),
    TWO("hypot", hypot),
    TWO("ldexp", scale_by),
    TWO("pow", pow),
    TWO("pown", pow),
    TWO("powr", powr),
    TWO("remainder", remainder),
    TWO("rhypot", rhypot),
    TWO("fast_fdividef", divide),
    BITS("fma", multiply_add, 3),
    BITS("fmuladd", multiply_add, 3),
    BITS("mad", multiply_add, 3),
    BITS("nextafter", next_after, 2),
    BITS("fpclassify", classify, 1),
    BITS("nan", not_a_number, 1),
    ONE("acospi", kiln_special_acospi),
    ONE("asinpi", kiln_special_asinpi),
    ONE("atanpi", kiln_special_atanpi),
    ONE("erfcinv", kiln_special_erfcinv),
    ONE("erfcx", kiln_special_erfcx),
    ONE("erfinv", kiln_special_erfinv),
    ONE("i0", kiln_special_i0),
    ONE("i1", kiln_special_i1),
    ONE("native_exp10", exponent_of_ten),
    ONE("native_recip", reciprocal),
    ONE("ncdf", kiln_special_ncdf),
    ONE("ncdfinv", kiln_special_ncdfinv),
    TWO("atan2pi", kiln_special_atan2pi),
    TWO("max", larger),
    TWO("maxmag", larger_size),
    TWO("min", smaller),
    TWO("minmag", smaller_size),
    TWO("rootn", kiln_special_rootn),
    TWO("scalb", scale_by),
    TWO("scalbn", scale_by),
    THREE("len3", length_of_three),
    THREE("rlen3", inverse_length_of_three),
    FOUR("len4", length_of_four),
    FOUR("rlen4", inverse_length_of_four),
};
#undef ONE
#undef TWO
#undef THREE
#undef FOUR
#undef BITS

// The row of "__ocml_NAME_f32" or "__triton_hip_NAME" with `arity` arguments.
static const row_t *find_row(MlirStringRef symbol, int arity)
{
    static const char *const prefixes[] = {"__ocml_", "__triton_hip_"};
    const char *name = symbol.data;
    size_t length = symbol.length;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t prefix = strlen(prefixes[i]);
        if (length <= prefix || memcmp(name, prefixes[i], prefix) != 0)
            continue;
        name += prefix;
        length -= prefix;
        if (length > 4 && name[length - 4] == '_' && name[length - 3] == 'f')
            length -= 4; // _f32
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            if (strlen(rows[r].name) == length && memcmp(rows[r].name, name, length) == 0 &&
                arity == rows[r].arity)
                return &rows[r];
        return NULL;
    }
    return NULL;
}

static double operand_value(const kiln_iop_t *op, int operand, uint64_t bits)
{
    kiln_number_t n = op->operand_types[operand]->number;
    return kiln_number_is_float(n) ? kiln_number_decode(n, bits)
                                   : (double)kiln_number_signed(n, bits);
}

static double compute(const row_t *row, bool is_f64, const double *x)
{
    if (is_f64 && row->one_f64)
        return row->one_f64(x[0]);
    return row->one     ? row->one(x[0])
           : row->two   ? row->two(x[0], x[1])
           : row->three ? row->three(x[0], x[1], x[2])
                        : row->four(x[0], x[1], x[2], x[3]);
}

kiln_status_t kiln_exec_extern(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    MlirStringRef symbol = mlirStringAttrGetValue(kiln_ir_attr(op->mlir, "symbol"));
    const row_t *row = find_row(symbol, op->operand_count);
    kiln_integer_function_t integers = row ? NULL : kiln_ockl_function(symbol, op->operand_count);
    if (!row && !integers)
        return kiln_fail(frame, op, KILN_STATUS_UNSUPPORTED,
                         "the interpreter does not support the library function '%.*s'",
                         (int)symbol.length, symbol.data);
    size_t count = 0;
    for (int i = 0; i < op->operand_count; i++)
        count = kiln_in(frame, op, i)->count > count ? kiln_in(frame, op, i)->count : count;
    kiln_number_t from = op->operand_types[0]->number, to = op->result_types[0]->number;
    kiln_itile_t *out = kiln_itile_create(frame->machine, count);
    for (size_t i = 0; out && i < count; i++) {
        double x[MAX_ARITY] = {0};
        uint64_t bits[MAX_ARITY] = {0};
        for (int j = 0; j < op->operand_count; j++) {
            const kiln_itile_t *tile = kiln_in(frame, op, j);
            bits[j] = tile->bits[i * kiln_itile_step(tile)];
            x[j] = operand_value(op, j, bits[j]);
        }
        if (integers || row->bits) {
            out->bits[i] = (integers ? integers(from, bits)
                                     : row->bits(kiln_number_is_float(to) ? to : from, bits)) &
                           kiln_number_mask(to);
            continue;
        }
        double value = compute(row, from.bits == 64, x);
        out->bits[i] = kiln_number_is_float(to) ? kiln_number_encode(to, value)
                                                : (uint64_t)(int64_t)value & kiln_number_mask(to);
    }
    for (int i = 0; out && i < op->operand_count; i++)
        kiln_itile_inherit_undefined(out, kiln_in(frame, op, i));
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_inline_asm(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    MlirStringRef text = mlirStringAttrGetValue(kiln_ir_attr(op->mlir, "asm_string"));
    return kiln_fail(frame, op, KILN_STATUS_UNSUPPORTED,
                     "the interpreter does not support inline assembly: \"%.*s\"", (int)text.length,
                     text.data);
}
