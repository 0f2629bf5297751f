// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device-library functions by their ocml names, through libm's counterparts in double, rounded to the result's type.
//
// Accuracy: f32 and f16 results carry the error of that rounding alone (at most half a unit in the last place, but for
// double roundings in about one of 2^29 cases); f64 is libm's, below one unit for the common functions. ocml itself allows
// up to 2 units for most and 16 for pow and the gamma functions.
//
// What is easily got wrong: ocml's predicates (isnan, isinf, …) return i32.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mlir-c/BuiltinAttributes.h>

#include "interp/machine.h"

typedef struct row {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    double (*three)(double, double, double);
} row_t;

static const double pi = 3.14159265358979323846;

static double cospi(double x)
{
    return cos(pi * fmod(x, 2));
}
static double sinpi(double x)
{
    return sin(pi * fmod(x, 2));
}
static double tanpi(double x)
{
    return tan(pi * fmod(x, 1));
}
static double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static double rcbrt(double x)
{
    return 1 / cbrt(x);
}
static double rhypot(double x, double y)
{
    return 1 / hypot(x, y);
}
static double powr(double x, double y)
{
    return x < 0 ? (double)NAN : pow(x, y);
}
static double exponent_of_ten(double x)
{
    return pow(10, x);
}
static double multiply_add(double x, double y, double z)
{
    return x * y + z;
}
static double is_nan(double x)
{
    return isnan(x);
}
static double is_infinite(double x)
{
    return isinf(x) != 0;
}
static double is_finite(double x)
{
    return isfinite(x) != 0;
}
static double is_normal(double x)
{
    return isnormal(x) != 0;
}
static double sign_bit(double x)
{
    return signbit(x) != 0;
}
static double scale_by(double x, double exponent)
{
    return ldexp(x, exponent > 4096 ? 4096 : exponent < -4096 ? -4096 : (int)exponent);
}
static double exponent_of(double x)
{
    return (double)ilogb(x);
}
static double divide(double x, double y)
{
    return x / y;
}
static double reciprocal(double x)
{
    return 1 / x;
}

#define ONE(name, function) {name, function, NULL, NULL}
#define TWO(name, function) {name, NULL, function, NULL}
#define THREE(name, function) {name, NULL, NULL, function}
static const row_t rows[] = {
    ONE("acos", acos),
    ONE("acosh", acosh),
    ONE("asin", asin),
    ONE("asinh", asinh),
    ONE("atan", atan),
    ONE("atanh", atanh),
    ONE("cbrt", cbrt),
    ONE("ceil", ceil),
    ONE("cos", cos),
    ONE("cosh", cosh),
    ONE("cospi", cospi),
    ONE("erf", erf),
    ONE("erfc", erfc),
    ONE("exp", exp),
    ONE("exp2", exp2),
    ONE("exp10", exponent_of_ten),
    ONE("expm1", expm1),
    ONE("fabs", fabs),
    ONE("floor", floor),
    ONE("j0", j0),
    ONE("j1", j1),
    ONE("lgamma", lgamma),
    ONE("log", log),
    ONE("log10", log10),
    ONE("log1p", log1p),
    ONE("log2", log2),
    ONE("logb", logb),
    ONE("nearbyint", nearbyint),
    ONE("rcbrt", rcbrt),
    ONE("rint", nearbyint),
    ONE("round", round),
    ONE("rsqrt", rsqrt),
    ONE("sin", sin),
    ONE("sinh", sinh),
    ONE("sinpi", sinpi),
    ONE("sqrt", sqrt),
    ONE("tan", tan),
    ONE("tanh", tanh),
    ONE("tanpi", tanpi),
    ONE("tgamma", tgamma),
    ONE("trunc", trunc),
    ONE("y0", y0),
    ONE("y1", y1),
    ONE("ilogb", exponent_of),
    ONE("isnan", is_nan),
    ONE("isinf", is_infinite),
    ONE("isfinite", is_finite),
    ONE("isnormal", is_normal),
    ONE("signbit", sign_bit),
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
    ONE("iabs", fabs),
    TWO("atan2", atan2),
    TWO("copysign", copysign),
    TWO("fdim", fdim),
    TWO("fmax", fmax),
    TWO("fmin", fmin),
    TWO("fmod", fmod),
    TWO("hypot", hypot),
    TWO("ldexp", scale_by),
    TWO("pow", pow),
    TWO("pown", pow),
    TWO("powr", powr),
    TWO("remainder", remainder),
    TWO("rhypot", rhypot),
    TWO("fast_fdividef", divide),
    THREE("fma", fma),
    THREE("mad", multiply_add),
};
#undef ONE
#undef TWO
#undef THREE

// The row of "__ocml_NAME_f32" or "__triton_hip_NAME" with so many arguments.
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
                arity == (rows[r].one   ? 1
                          : rows[r].two ? 2
                                        : 3))
                return &rows[r];
        return NULL;
    }
    return NULL;
}

static double operand_value(const kiln_iop_t *op, int operand, uint64_t bits)
{
    kiln_number_t n = op->operand_types[operand]->number;
    return kiln_number_is_float(n) ? kiln_number_decode(n, bits) : (double)kiln_number_signed(n, bits);
}

kiln_status_t kiln_exec_extern(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    MlirStringRef symbol = mlirStringAttrGetValue(kiln_ir_attr(op->mlir, "symbol"));
    const row_t *row = op->operand_count <= 3 ? find_row(symbol, op->operand_count) : NULL;
    if (!row)
        return kiln_fail(frame, op, KILN_STATUS_UNSUPPORTED,
                         "the interpreter does not know the library function '%.*s'", (int)symbol.length, symbol.data);
    size_t count = 0;
    for (int i = 0; i < op->operand_count; i++)
        count = kiln_in(frame, op, i)->count > count ? kiln_in(frame, op, i)->count : count;
    kiln_number_t to = op->result_types[0]->number;
    kiln_itile_t *out = kiln_itile_create(frame->machine, count);
    for (size_t i = 0; out && i < count; i++) {
        double x[3] = {0};
        for (int j = 0; j < op->operand_count; j++) {
            const kiln_itile_t *tile = kiln_in(frame, op, j);
            x[j] = operand_value(op, j, tile->bits[i * kiln_itile_step(tile)]);
        }
        double value = row->one ? row->one(x[0]) : row->two ? row->two(x[0], x[1]) : row->three(x[0], x[1], x[2]);
        if (row->three == fma && to.bits < 64)
            out->bits[i] = kiln_number_fma(to, kiln_in(frame, op, 0)->bits[i * kiln_itile_step(kiln_in(frame, op, 0))],
                                           kiln_in(frame, op, 1)->bits[i * kiln_itile_step(kiln_in(frame, op, 1))],
                                           kiln_in(frame, op, 2)->bits[i * kiln_itile_step(kiln_in(frame, op, 2))]);
        else if (row->one == fabs && !kiln_number_is_float(to)) // a double does not hold every i64
            out->bits[i] = (uint64_t)llabs(kiln_number_signed(
                               to, kiln_in(frame, op, 0)->bits[i * kiln_itile_step(kiln_in(frame, op, 0))])) &
                           kiln_number_mask(to);
        else
            out->bits[i] = kiln_number_is_float(to) ? kiln_number_encode(to, value)
                                                    : (uint64_t)(int64_t)value & kiln_number_mask(to);
    }
    for (int i = 0; out && i < op->operand_count; i++)
        kiln_itile_inherit_flaws(out, kiln_in(frame, op, i));
    return kiln_out(frame, op, 0, out);
}

kiln_status_t kiln_exec_inline_asm(kiln_iframe_t *frame, const kiln_iop_t *op)
{
    MlirStringRef text = mlirStringAttrGetValue(kiln_ir_attr(op->mlir, "asm_string"));
    return kiln_fail(frame, op, KILN_STATUS_UNSUPPORTED, "the interpreter does not execute inline assembly: \"%.*s\"",
                     (int)text.length, text.data);
}
