// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device library's functions by their C names, compared with the host's library in double;
// roundings, compared with nextafter.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "run_both.h"

enum { COUNT = 64 };

static double erfinv_checked(double x)
{
    return x;
}
static double bessel_i0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 60; k++)
        sum += term *= x * x / 4 / (k * k);
    return sum;
}
static double bessel_i1(double x)
{
    double term = x / 2, sum = x / 2;
    for (int k = 1; k < 60; k++)
        sum += term *= x * x / 4 / (k * (k + 1.0));
    return sum;
}
static double normcdf(double x)
{
    return erfc(-x / M_SQRT2) / 2;
}
static double erfcx(double x)
{
    return exp(x * x) * erfc(x);
}
static double rcbrt(double x)
{
    return 1 / cbrt(x);
}
static double ten_to(double x)
{
    return pow(10, x);
}
static double acospi(double x)
{
    return acos(x) / M_PI;
}
static double asinpi(double x)
{
    return asin(x) / M_PI;
}
static double atanpi(double x)
{
    return atan(x) / M_PI;
}
static double cospi(double x)
{
    return cos(M_PI * x);
}
static double sinpi(double x)
{
    return sin(M_PI * x);
}
static double tanpi(double x)
{
    return tan(M_PI * x);
}
static double atan2pi(double y, double x)
{
    return atan2(y, x) / M_PI;
}
static double rhypot(double x, double y)
{
    return 1 / hypot(x, y);
}
static double maxmag(double x, double y)
{
    return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y);
}
static double minmag(double x, double y)
{
    return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y);
}
static double length3(double x, double y)
{
    return sqrt(x * x + 2 * y * y);
}
static double length4(double x, double y)
{
    return sqrt(2 * x * x + 2 * y * y);
}
static double rlength3(double x, double y)
{
    return 1 / length3(x, y);
}
static double rlength4(double x, double y)
{
    return 1 / length4(x, y);
}
static double scaled(double x, double y)
{
    return ldexp(x, (int)y);
}
static double powered(double x, double y)
{
    return pow(x, (int)y);
}
static double exponent(double x)
{
    return ilogb(x);
}
static double whole_of(double x)
{
    return trunc(x);
}
static double part_of(double x)
{
    return x - trunc(x);
}
static double mantissa_of(double x)
{
    int e;
    return frexp(x, &e);
}
static double exponent_of(double x)
{
    int e;
    return frexp(x, &e), e;
}

// The text computes on f32 x and y, of which x is in (low, high) and y in (-3, 3).
#define ONE(text, function, low, high) {text, function, NULL, low, high},
#define TWO(text, function, low, high) {text, NULL, function, low, high},
static const struct {
    const char *text;
    double (*one)(double);
    double (*two)(double, double);
    double low, high;
} cases[] = {
    ONE("acos(x)", acos, -1, 1) ONE("acosh(x)", acosh, 1, 9) ONE("asin(x)", asin, -1, 1) ONE(
        "asinh(x)", asinh, -9, 9) ONE("atan(x)", atan, -9, 9) ONE("atanh(x)", atanh, -1,
                                                                  1) ONE("acospi(x)", acospi, -1, 1)
        ONE("asinpi(x)", asinpi, -1, 1) ONE("atanpi(x)", atanpi, -9, 9) ONE("cbrt(x)", cbrt, -9, 9)
            ONE("cosh(x)", cosh, -9, 9) ONE("cospi(x)", cospi, -2, 2) ONE("sinpi(x)", sinpi, -2, 2)
                ONE("tanpi(x)", tanpi, -0.4, 0.4) ONE("erfc(x)", erfc, -3, 3) ONE(
                    "erfcx(x)", erfcx, 0,
                    3) ONE("erf(erfinv(x))", erfinv_checked, -1,
                           1) ONE("erfc(erfcinv(x))", erfinv_checked, 0.1,
                                  1.9) ONE("normcdf(normcdfinv(x))", erfinv_checked, 0.1, 0.9)
                    ONE("normcdf(x)", normcdf, -3, 3) ONE("exp10(x)", ten_to, -9, 9) ONE(
                        "fabs(x)", fabs, -9,
                        9) ONE("cyl_bessel_i0(x)", bessel_i0, -3,
                               3) ONE("cyl_bessel_i1(x)", bessel_i1, -3,
                                      3) ONE("j0(x)", j0, 0, 2)
                        ONE("j1(x)", j1, 0, 2) ONE("y0(x)", y0, 1, 3) ONE("y1(x)", y1, 0.5, 2) ONE(
                            "lgamma(x)", lgamma,
                            3, 20) ONE("tgamma(x)", tgamma, 0.5,
                                       9) ONE("logb(x)", logb, -99,
                                              99) ONE("nearbyint(x)", nearbyint, -9,
                                                      9) ONE("round(x)", round, -9, 9)
                            ONE("rcbrt(x)", rcbrt, -9, 9) ONE("sinh(x)", sinh, -9, 9) ONE(
                                "tan(x)", tan,
                                -1.5, 1.5) ONE("sqrt_rn(x)", sqrt,
                                               0, 9) ONE("ilogb(x)", exponent, -99, 99)
                                ONE("whole(x)", whole_of, -9, 9) ONE("part(x)", part_of, -9, 9) ONE(
                                    "mantissa(x)",
                                    mantissa_of, -9, 9) ONE("exponent(x)", exponent_of, -9, 9)
                                    ONE("sine(x)", sin, -3, 3) ONE("cosine(x)", cos, -1, 1) TWO(
                                        "atan2(x, y)",
                                        atan2, -3, 3) TWO("atan2pi(x, y)", atan2pi, -3,
                                                          3) TWO("copysign(x, y)", copysign, -3,
                                                                 3) TWO("fdim(x, y)", fdim, -3, 3)
                                        TWO("fmax(x, y)", fmax, -3,
                                            3) TWO("fmin(x, y)", fmin, -3,
                                                   3) TWO("fmod(x, y)", fmod, -99,
                                                          99) TWO("hypot(x, y)", hypot, -3, 3)
                                            TWO("maxmag(x, y)", maxmag, -3,
                                                3) TWO("minmag(x, y)", minmag, -3,
                                                       3) TWO("pow(x, y)", pow, 0.1, 9)
                                                TWO("powr(x, y)", pow, 0.1,
                                                    9) TWO("remainder(x, y)", remainder, -99,
                                                           99) TWO("rhypot(x, y)", rhypot, -3, 3)
                                                    TWO("norm3d(x, y, y)", length3, -3, 3) TWO(
                                                        "norm4d(x, y, y, x)", length4, -3,
                                                        3) TWO("rnorm3d(x, y, y)", rlength3, -3, 3)
                                                        TWO("rnorm4d(x, y, y, x)", rlength4, -3,
                                                            3) TWO("ldexp(x, (i32)y)", scaled, -3,
                                                                   3) TWO("scalbn(x, (i32)y)",
                                                                          scaled, -3,
                                                                          3) TWO("pown(x, (i32)y)",
                                                                                 powered, 0.5, 3)
                                                            TWO("rootn(pown(x, 3), 3) + 0 * y",
                                                                fmax, 3, 9)
                                                                TWO("isnan(x / 0 * 0 + y) + 0.0f",
                                                                    fmax, 3, 3.0001)};
enum { CASES = sizeof cases / sizeof *cases };

static float x[CASES][COUNT], y[COUNT], out[CASES][COUNT];

static void check_library(void)
{
    unsigned wrong = 0;
    for (int n = 0; n < CASES; n++)
        for (int i = 0; i < COUNT; i++) {
            double a = (double)x[n][i], b = (double)y[i];
            double wanted = cases[n].one ? cases[n].one(a) : cases[n].two(a, b),
                   got = (double)out[n][i];
            if (n == CASES - 1)
                wanted = 1;
            if (fabs(got - wanted) <= 4e-6 * fabs(wanted) + 1e-6)
                continue;
            if (wrong++ < 10)
                print_error("%s of %g, %g: %g and not %g\n", cases[n].text, a, b, got, wanted);
        }
    assert_int_equal(wrong, 0);
}

static void the_library_has_its_c_names(void **state)
{
    static char text[16384];
    const argument_t arguments[] = {{x, sizeof x, 0}, {y, sizeof y, 0}, {out, sizeof out, 0}};
    size_t length =
        (size_t)snprintf(text, sizeof text,
                         "auto whole(auto x) { f32 w[64]; modf(x, &w); return w; }\n"
                         "auto part(auto x) { f32 w[64]; return modf(x, &w); }\n"
                         "auto mantissa(auto x) { i32 e[64]; return frexp(x, &e); }\n"
                         "auto exponent(auto x) { i32 e[64]; frexp(x, &e); return e; }\n"
                         "auto sine(auto x) { f32 s[64], c[64]; sincos(x, &s, &c); return s; }\n"
                         "auto cosine(auto x) { f32 s[64], c[64]; sincos(x, &s, &c); return c; }\n"
                         "kernel void k(const f32 *px, const f32 *py, f32 *out)\n"
                         "{ i32 i[64] = range(64); f32 x[64], y[64] = py[i];\n");
    (void)state;
    for (int n = 0; n < CASES; n++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "x = px[i + %d]; out[i + %d] = %s;\n", n * COUNT, n * COUNT,
                                   cases[n].text);
        for (int i = 0; i < COUNT; i++)
            x[n][i] = (float)(cases[n].low + (cases[n].high - cases[n].low) * (i + 0.37) / COUNT);
    }
    for (int i = 0; i < COUNT; i++)
        y[i] = (float)(i * 29 % COUNT - 31.5) / 11;
    snprintf(text + length, sizeof text - length, "}\n");
    run_both(text, 1, arguments, 3, check_library);
}

// Kinds of floats ---------------------------------------------------------------------------------

static double wide[COUNT];
static int32_t flags[COUNT];
static uint16_t half[COUNT], brain[COUNT];
static uint8_t byte[COUNT];
static float ratio[COUNT];

static void check_kinds(void)
{
    for (int i = 0; i < COUNT; i++) {
        double a = 1 + i / 7.0;
        assert_true(fabs(wide[i] - pow(a, 0.3)) <= 1e-14 * a);
        float f = 1 + (float)i / 8;
        assert_int_equal(flags[i], i == 5 ? 2 : i == 6 ? 1 : i == 7 ? 28 : 12);
        // Toward zero: at most the value, and the next one is beyond it.
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        assert_int_equal(brain[i], bits >> 16);
        _Float16 h;
        memcpy(&h, &half[i], sizeof h);
        uint16_t above = (uint16_t)(half[i] + 1);
        _Float16 next;
        memcpy(&next, &above, sizeof next);
        assert_true((float)h <= f && (float)next > f);
        assert_true(ratio[i] == f / 3.1f);
    }
}

static void kinds_of_floats_round_as_requested(void **state)
{
    const argument_t arguments[] = {{wide, sizeof wide, 0},
                                    {flags, sizeof flags, 0},
                                    {half, sizeof half, 0},
                                    {brain, sizeof brain, 0},
                                    {ratio, sizeof ratio, 0}};
    (void)state;
    run_both("kernel void k(f64 *wide, i32 *flags, f16 *small, bf16 *brain, f32 *ratio)\n"
             "{ i32 i[64] = range(64);\n"
             "  wide[i] = pow(1 + i / 7.0f64, 0.3);\n"
             "  f32 x[64] = 1 + i / 8.0f, y[64] = where(i == 5, INFINITY, where(i == 6, NAN, "
             "where(i == 7, -x, x)));\n"
             "  flags[i] = isnan(y) + isinf(y) * 2 + isfinite(y) * 4 + isnormal(y) * 8 + "
             "signbit(y) * 16;\n"
             "  small[i] = cast(f16, x, .rounding = rtz);\n"
             "  brain[i] = cast(bf16, x, .rounding = rtz);\n"
             "  ratio[i] = div_rn(x, 3.1f);\n"
             "}\n",
             1, arguments, 5, check_kinds);
}

static void check_small(void)
{
    for (int i = 0; i < COUNT; i++) {
        float f = 1 + (float)i / 8;
        int e;
        double m = frexp((double)f, &e) * 2; // e5m2: 2 bits of mantissa
        assert_int_equal(byte[i], (e - 1 + 15) << 2 | (int)((m - 1) * 4));
        assert_true(ratio[i] == 2.0f * f / f);
    }
}

static void small_floats_round_toward_zero(void **state)
{
    const argument_t arguments[] = {{byte, sizeof byte, 0}, {ratio, sizeof ratio, 0}};
    (void)state;
    run_both("kernel void k(f8e5m2 *byte, f32 *ratio)\n"
             "{ i32 i[64] = range(64);\n"
             "  f32 x[64] = 1 + i / 8.0f;\n"
             "  byte[i] = cast(f8e5m2, x, .rounding = rtz);\n"
             "  ratio[i] = fdiv(cast(f32, 2) * x, x, .ieee_rounding = true);\n"
             "}\n",
             1, arguments, 2, check_small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_library_has_its_c_names),
                                       cmocka_unit_test(kinds_of_floats_round_as_requested),
                                       cmocka_unit_test(small_floats_round_toward_zero)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
