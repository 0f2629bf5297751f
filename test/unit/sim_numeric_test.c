// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator's number formats: exhaustively for small formats, with boundaries and random bits
// for others. Expected values come from sim_reference.h.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define KILN_VALU_NO_ROWS
#include "core/numeric.h"
#include "exec/valu_div.h"
#include "sim_reference.h"

static uint64_t seed = 88172645463325252ull;

static void f16_to_f32_is_exact(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        const float got = kiln_f16_to_f32((uint16_t)bits);
        const double want = reference_as_f16(bits);
        if (want != want)
            assert_true(got != got && (signbit(got) != 0) == (bits >> 15 != 0));
        else
            assert_int_equal(kiln_bits_of_f32(got), reference_f32_bits((float)want));
    }
}

static float interesting_f32(unsigned i)
{
    static const float values[] = {
        0.0f,       -0.0f,      1.0f,       -1.0f,      65504.0f,   65519.99f,  65520.0f,
        65536.0f,   0x1p-14f,   0x1p-15f,   0x1p-24f,   0x1p-25f,   0x1.8p-25f, 0x1p-26f,
        0x1p-149f,  0x1p-126f,  INFINITY,   -INFINITY,  0x1.8p-24f, 2047.5f,    2048.5f,
        1.0009765f, 0x1.001p0f, 0x1.002p0f, 0x1.003p0f, 3.4e38f,    -65520.0f};
    const unsigned count = sizeof values / sizeof values[0];
    if (i < count)
        return values[i];
    const uint32_t random = (uint32_t)(reference_random(&seed) >> 32);
    // Half of the values are inside the range of f16, including ties.
    return reference_as_f32(
        i & 1 ? random : (random & 0x80ffffffu) + 0x33000000u - (i & 4 ? random & 0xfff : 0));
}

static void f32_to_f16_rounds_in_all_modes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        const float value = interesting_f32(i);
        for (int mode = 0; mode < 4; mode++) {
            const uint32_t got =
                kiln_f32_to_f16_mode(value, (kiln_round_t)mode, KILN_OVERFLOW_IEEE);
            if (value != value)
                assert_true((got & 0x7c00) == 0x7c00 && (got & 0x3ff));
            else
                assert_int_equal(got,
                                 reference_f16_bits(reference_round(value, &reference_f16, mode)));
        }
    }
    assert_int_equal(kiln_f32_to_f16_mode(1e30f, KILN_ROUND_NEAREST_EVEN, KILN_OVERFLOW_CLAMP),
                     0x7bff);
    assert_int_equal(kiln_f32_to_f16_mode(INFINITY, KILN_ROUND_NEAREST_EVEN, KILN_OVERFLOW_CLAMP),
                     0x7c00);
}

static uint32_t f64_to_f16(double value, int mode)
{
    return kiln_f32_to_f16_mode(kiln_f64_to_f32_odd(value), (kiln_round_t)mode, KILN_OVERFLOW_IEEE);
}

static void f64_to_f16_rounds_once(void **state)
{
    (void)state;
    // Just above a tie of f16: via the nearest f32 the value would be rounded to the tie and then
    // to even.
    assert_int_equal(f64_to_f16(1.0 + 0x1p-11 + 0x1p-40, REFERENCE_NEAREST), 0x3c01);
    assert_int_equal(f64_to_f16(0x1p-25 + 0x1p-60, REFERENCE_NEAREST), 0x0001);
    assert_int_equal(f64_to_f16(1e300, REFERENCE_ZERO), 0x7bff);
    assert_int_equal(f64_to_f16(-1e-300, REFERENCE_DOWN), 0x8001);
    assert_int_equal(f64_to_f16((double)INFINITY, REFERENCE_ZERO), 0x7c00);
    assert_true(isnan(reference_as_f16(f64_to_f16((double)NAN, REFERENCE_NEAREST))));
    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t random = reference_random(&seed);
        const double value = reference_as_f64((random & 0x803fffffffffffffu) + 0x3e40000000000000u +
                                              (random >> 3 & 0x1f0000000000000u));
        for (int mode = 0; mode < 4; mode++)
            assert_int_equal(f64_to_f16(value, mode),
                             reference_f16_bits(reference_round(value, &reference_f16, mode)));
    }
}

static void sums_round_to_odd(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 400000; i++) {
        const uint64_t random = reference_random(&seed);
        const float a = kiln_f16_to_f32((uint16_t)random),
                    b = kiln_f16_to_f32((uint16_t)(random >> 16)),
                    c = kiln_f16_to_f32((uint16_t)(random >> 32));
        if (!isfinite(a) || !isfinite(b) || !isfinite(c))
            continue;
        for (int mode = 0; mode < 4; mode++) {
            const uint32_t got = kiln_f32_to_f16_mode(kiln_sum_odd(a * b, c), (kiln_round_t)mode,
                                                      KILN_OVERFLOW_IEEE);
            const long double exact =
                (long double)a * b + c; // 62 bits at most, unless far out of f16's range
            if (exact != 0.0L)
                assert_int_equal(got,
                                 reference_f16_bits(reference_round(exact, &reference_f16, mode)));
        }
    }
}

static void bf16_rounds_to_nearest_even(void **state)
{
    (void)state;
    assert_int_equal(kiln_f32_to_bf16(reference_as_f32(0x3f808000)), 0x3f80);
    assert_int_equal(kiln_f32_to_bf16(reference_as_f32(0x3f818000)), 0x3f82);
    assert_int_equal(kiln_f32_to_bf16(reference_as_f32(0x7f7fffff)), 0x7f80);
    assert_int_equal(kiln_f32_to_bf16(reference_as_f32(0x7f800001)) & 0x7fff, 0x7fc0);
    for (unsigned i = 0; i < 100000; i++) {
        const float value = reference_as_f32((uint32_t)(reference_random(&seed) >> 32));
        if (value != value)
            continue;
        const float want = (float)reference_round(value, &reference_bf16, REFERENCE_NEAREST);
        assert_int_equal(kiln_f32_to_bf16(value), reference_f32_bits(want) >> 16);
    }
}

static const struct {
    kiln_fp8_format_t format;
    int fraction_bits, bias;
    double largest;
} formats8[] = {{KILN_FP8, 3, 8, 240.0}, {KILN_BF8, 2, 16, 57344.0}};

static void fp8_decodes_by_definition(void **state)
{
    (void)state;
    for (unsigned f = 0; f < 2; f++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            const float got = kiln_fp8_to_f32((uint8_t)byte, formats8[f].format);
            if (byte == 0x80)
                assert_true(got != got);
            else
                assert_int_equal(kiln_bits_of_f32(got),
                                 reference_f32_bits((float)reference_as_fp8(
                                     byte, formats8[f].fraction_bits, formats8[f].bias)));
        }
    assert_true(kiln_fp8_to_f32(0x7f, KILN_FP8) == 240.0f &&
                kiln_fp8_to_f32(0x7f, KILN_BF8) == 57344.0f);
    assert_true(kiln_fp8_to_f32(0x01, KILN_FP8) == 0x1p-10f &&
                kiln_fp8_to_f32(0x08, KILN_FP8) == 0x1p-7f);
}

// Nearest among all 255 numbers, ties to the even code.
static uint32_t nearest_fp8(double value, unsigned f)
{
    uint32_t best = 0;
    double distance = INFINITY;
    for (uint32_t byte = 0; byte < 0x80; byte++) {
        const double d =
            fabs(reference_as_fp8(byte, formats8[f].fraction_bits, formats8[f].bias) - fabs(value));
        if (d < distance || (d == distance && !(byte & 1))) {
            best = byte;
            distance = d;
        }
    }
    return best && value < 0 ? best | 0x80 : best;
}

static void fp8_encodes_to_the_nearest(void **state)
{
    (void)state;
    for (unsigned f = 0; f < 2; f++) {
        const double half_step =
            formats8[f].largest / (f ? 14 : 30); // half the distance of the two largest
        for (unsigned i = 0; i < 20000; i++) {
            const uint64_t random = reference_random(&seed);
            const float value =
                ldexpf((float)((int32_t)(random >> 40) - 0x800000), -23 - 20 + (int)(random % 38)) *
                (i & 1 ? 1.0f : 0x1p-3f);
            const bool overflows = fabs((double)value) >= formats8[f].largest + half_step;
            const uint8_t got = kiln_f32_to_fp8(value, formats8[f].format, KILN_OVERFLOW_IEEE);
            assert_int_equal(got, overflows ? 0x80 : nearest_fp8((double)value, f));
            assert_int_equal(kiln_f32_to_fp8(value, formats8[f].format, KILN_OVERFLOW_CLAMP),
                             overflows ? (value < 0 ? 0xff : 0x7f) : got);
        }
        assert_int_equal(kiln_f32_to_fp8(-0.0f, formats8[f].format, KILN_OVERFLOW_IEEE), 0);
        assert_int_equal(kiln_f32_to_fp8(-0x1p-30f, formats8[f].format, KILN_OVERFLOW_IEEE), 0);
        assert_int_equal(kiln_f32_to_fp8(NAN, formats8[f].format, KILN_OVERFLOW_CLAMP), 0x80);
        assert_int_equal(kiln_f32_to_fp8(INFINITY, formats8[f].format, KILN_OVERFLOW_IEEE), 0x80);
        assert_int_equal(kiln_f32_to_fp8(-INFINITY, formats8[f].format, KILN_OVERFLOW_CLAMP), 0xff);
    }
    // 1 + 1/16 is halfway between 1 and 1 + 1/8: all noise below a half keeps 1.
    assert_int_equal(kiln_f32_to_fp8_stochastic(1.0625f, 0x7fffffff, KILN_FP8, KILN_OVERFLOW_IEEE),
                     0x40);
    assert_int_equal(kiln_f32_to_fp8_stochastic(1.0625f, 0x80000000, KILN_FP8, KILN_OVERFLOW_IEEE),
                     0x41);
    assert_int_equal(kiln_f32_to_fp8_stochastic(1.125f, 0x7fffffff, KILN_BF8, KILN_OVERFLOW_IEEE),
                     0x40);
    assert_int_equal(kiln_f32_to_fp8_stochastic(1.125f, 0x80000000, KILN_BF8, KILN_OVERFLOW_IEEE),
                     0x41);
    assert_int_equal(kiln_f32_to_fp8_stochastic(1.0f, 0xffffffff, KILN_FP8, KILN_OVERFLOW_IEEE),
                     0x40);
}

// Division as LLVM expands it: the result must be the correctly rounded quotient, whatever the
// intermediate scaling is.
static float divide_f32(float n, float d)
{
    bool ignored, scaled;
    const float d0 = kiln_div_scale_f32(d, d, n, &ignored);
    const float n0 = kiln_div_scale_f32(n, d, n, &scaled);
    const float r = 1.0f / d0;
    const float e = fmaf(-d0, r, 1.0f), r1 = fmaf(e, r, r);
    const float q = n0 * r1, e1 = fmaf(-d0, q, n0), q1 = fmaf(e1, r1, q), e2 = fmaf(-d0, q1, n0);
    return kiln_div_fixup_f32(kiln_div_fmas_f32(e2, r1, q1, scaled), d, n);
}

static double divide_f64(double n, double d)
{
    bool ignored, scaled;
    const double d0 = kiln_div_scale_f64(d, d, n, &ignored);
    const double n0 = kiln_div_scale_f64(n, d, n, &scaled);
    double r = 1.0 / d0;
    r = fma(fma(-d0, r, 1.0), r, r);
    r = fma(fma(-d0, r, 1.0), r, r);
    const double q = n0 * r;
    return kiln_div_fixup_f64(kiln_div_fmas_f64(fma(-d0, q, n0), r, q, scaled), d, n);
}

static void division_steps_give_the_rounded_quotient(void **state)
{
    (void)state;
    static const float specials[] = {0.0f,       -0.0f,     1.0f,    -3.0f,  0x1p-149f,
                                     -0x1p-140f, 0x1p-126f, 3.4e38f, -1e38f, 0x1p127f,
                                     INFINITY,   -INFINITY, 1e-38f,  7e-39f, 0x1p-125f};
    const unsigned count = sizeof specials / sizeof specials[0];
    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t random = reference_random(&seed);
        const float n =
            i < count * count ? specials[i / count] : reference_as_f32((uint32_t)random);
        const float d =
            i < count * count ? specials[i % count] : reference_as_f32((uint32_t)(random >> 32));
        const float got = divide_f32(n, d), want = n / d;
        if (want != want)
            assert_true(got != got);
        else
            assert_int_equal(reference_f32_bits(got), reference_f32_bits(want));
        const double n64 = reference_as_f64(reference_random(&seed)),
                     d64 = reference_as_f64(reference_random(&seed));
        const double got64 = divide_f64(n64, d64), want64 = n64 / d64;
        if (want64 != want64)
            assert_true(got64 != got64);
        else
            assert_true(reference_f64_bits(got64) == reference_f64_bits(want64));
    }
    assert_int_equal(kiln_bits_of_f32(kiln_div_fixup_f32(1.0f, 0.0f, 0.0f)), 0xffc00000);
    assert_int_equal(kiln_bits_of_f32(kiln_div_fixup_f32(1.0f, -0.0f, 2.0f)), 0xff800000);
    assert_int_equal(kiln_bits_of_f32(kiln_div_fixup_f32(1.0f, INFINITY, -2.0f)), 0x80000000);
}

static unsigned long distance_in_units(float a, long double b)
{
    const float rounded = (float)b;
    const int32_t x = (int32_t)reference_f32_bits(a), y = (int32_t)reference_f32_bits(rounded);
    return (unsigned long)labs((long)(x < 0 ? INT32_MIN - x : x) -
                               (long)(y < 0 ? INT32_MIN - y : y));
}

static void transcendentals_are_within_one_unit(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (unsigned i = 0; i < 100000; i++) {
        const double uniform = (double)(reference_random(&seed) >> 11) * 0x1p-53;
        const float x = (float)(uniform * 250.0 - 125.0),
                    positive = (float)ldexp(1.0 + uniform, (int)(i % 250) - 125);
        const float turns = (float)((uniform - 0.5) * (double)(1 << i % 8));
        const unsigned long d[] = {
            distance_in_units((float)kiln_exp2((double)x), exp2l(x)),
            distance_in_units((float)kiln_log2((double)positive), log2l(positive)),
            distance_in_units((float)kiln_sin_turns((double)turns),
                              sinl(2.0L * 3.14159265358979323846264L * (turns - roundl(turns)))),
            distance_in_units((float)kiln_cos_turns((double)turns),
                              cosl(2.0L * 3.14159265358979323846264L * (turns - roundl(turns))))};
        for (unsigned k = 0; k < 4; k++) {
            assert_true(d[k] <= 1);
            wrong += d[k] != 0;
        }
    }
    assert_true(wrong < 40); // of 400000: nearly always the nearest
    assert_true(kiln_exp2(-INFINITY) == 0.0 && isinf(kiln_exp2((double)INFINITY) * 1e300) &&
                isnan(kiln_exp2((double)NAN)));
    assert_true(isinf(kiln_log2(0.0)) && kiln_log2(0.0) < 0 && isnan(kiln_log2(-1.0)) &&
                isinf(kiln_log2((double)INFINITY)));
    assert_true(kiln_sin_turns(257.0) == 0.0 && kiln_cos_turns(-300.0) == 1.0 &&
                isnan(kiln_sin_turns((double)INFINITY)));
    assert_true(kiln_sin_turns(0.25) == 1.0 && kiln_cos_turns(0.5) == -1.0 &&
                signbit(kiln_sin_turns(-0.0)));
}

static void fused_products_round_to_odd(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        const uint64_t random = reference_random(&seed), more = reference_random(&seed);
        const float a = reference_as_f32(((uint32_t)random & 0x83ffffffu) | 0x3c000000u),
                    b = reference_as_f32(((uint32_t)(random >> 32) & 0x83ffffffu) | 0x3c000000u);
        const float c = reference_as_f32(((uint32_t)more & 0x8fffffffu) | 0x30000000u);
        assert_int_equal(reference_f32_bits((float)kiln_fma_f32_odd(a, b, c)),
                         reference_f32_bits(fmaf(a, b, c)));
    }
}

// 2^x of an f32 is the rounded power of the longer computation, for every exponent and for NaN.
static void powers_of_f32_are_those_of_f64(void **state)
{
    (void)state;
    enum { STEP = 4099 };
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += STEP) {
        const float x = kiln_f32_of_bits((uint32_t)bits);
        assert_int_equal(kiln_bits_of_f32(kiln_exp2_f32(x)),
                         kiln_bits_of_f32((float)kiln_exp2((double)x)));
    }
    assert_true(isnan(kiln_exp2_f32(NAN)) && isinf(kiln_exp2_f32(INFINITY)) &&
                kiln_exp2_f32(-INFINITY) == 0.0f && kiln_exp2_f32(-149.0f) == 0x1p-149f);
}

// Rows of divisions give what the lanes do one by one, whether or not a lane is a special case.
static void division_rows_equal_their_lanes(void **state)
{
    (void)state;
    enum { ROWS = 2000 };
    for (unsigned n = 0; n < ROWS; n++) {
        uint32_t a[KILN_GFX942_LANES], b[KILN_GFX942_LANES], c[KILN_GFX942_LANES],
            scaled[KILN_GFX942_LANES], fused[KILN_GFX942_LANES], fixed[KILN_GFX942_LANES];
        uint8_t carry[KILN_GFX942_LANES];
        const uint64_t vcc = n % 2 ? 0 : reference_random(&seed);
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
            const uint64_t random = reference_random(&seed), more = reference_random(&seed);
            const bool any = n % 4 == 3 || (n % 4 == 2 && i == n / 4 % KILN_GFX942_LANES);
            const uint32_t mask = any ? UINT32_MAX : 0x87ffffffu, one = any ? 0 : 0x38000000u;
            a[i] = ((uint32_t)random & mask) | one;
            b[i] = ((uint32_t)(random >> 32) & mask) | one;
            c[i] = ((uint32_t)more & mask) | one;
        }
        div_scale_rows(a, b, c, scaled, carry);
        div_fmas_rows(vcc, a, b, c, fused);
        div_fixup_rows(a, b, c, fixed);
        for (unsigned i = 0; i < KILN_GFX942_LANES; i++) {
            const float x = kiln_f32_of_bits(a[i]), y = kiln_f32_of_bits(b[i]),
                        z = kiln_f32_of_bits(c[i]);
            bool needs;
            assert_int_equal(scaled[i], kiln_bits_of_f32(kiln_div_scale_f32(x, y, z, &needs)));
            assert_int_equal(carry[i], needs);
            assert_int_equal(fused[i], kiln_bits_of_f32(kiln_div_fmas_f32(x, y, z, vcc >> i & 1)));
            assert_int_equal(fixed[i], kiln_bits_of_f32(kiln_div_fixup_f32(x, y, z)));
        }
        div_fixup_rows(a, b, c, c); // a result may replace an operand
        assert_memory_equal(c, fixed, sizeof fixed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f16_to_f32_is_exact),
        cmocka_unit_test(f32_to_f16_rounds_in_all_modes),
        cmocka_unit_test(f64_to_f16_rounds_once),
        cmocka_unit_test(sums_round_to_odd),
        cmocka_unit_test(bf16_rounds_to_nearest_even),
        cmocka_unit_test(fp8_decodes_by_definition),
        cmocka_unit_test(fp8_encodes_to_the_nearest),
        cmocka_unit_test(division_steps_give_the_rounded_quotient),
        cmocka_unit_test(transcendentals_are_within_one_unit),
        cmocka_unit_test(fused_products_round_to_odd),
        cmocka_unit_test(powers_of_f32_are_those_of_f64),
        cmocka_unit_test(division_rows_equal_their_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
