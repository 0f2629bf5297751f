// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's numbers: every code of the small formats compared with the runtime's own table,
// rounding, and fused multiply-adds compared with the host's.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <mlir-c/BuiltinTypes.h>

#include "base/float_format.h"
#include "interp/number.h"
#include "kiln/element.h"

static MlirContext context;

static kiln_number_t number_of(kiln_element_type_t type)
{
    MlirType types[] = {mlirF16TypeGet(context),
                        mlirBF16TypeGet(context),
                        mlirF32TypeGet(context),
                        mlirFloat8E4M3FNUZTypeGet(context),
                        mlirFloat8E5M2FNUZTypeGet(context),
                        mlirFloat8E4M3FNTypeGet(context),
                        mlirFloat8E5M2TypeGet(context)};
    static const kiln_element_type_t names[] = {
        KILN_ELEMENT_F16,        KILN_ELEMENT_BF16,     KILN_ELEMENT_F32,   KILN_ELEMENT_F8E4M3FNUZ,
        KILN_ELEMENT_F8E5M2FNUZ, KILN_ELEMENT_F8E4M3FN, KILN_ELEMENT_F8E5M2};
    kiln_number_t number = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] == type)
            assert_true(kiln_number_of(types[i], &number));
    return number;
}

static const kiln_element_type_t small[] = {KILN_ELEMENT_F16,        KILN_ELEMENT_BF16,
                                            KILN_ELEMENT_F8E4M3FNUZ, KILN_ELEMENT_F8E5M2FNUZ,
                                            KILN_ELEMENT_F8E4M3FN,   KILN_ELEMENT_F8E5M2};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    return z ^ (z >> 31);
}

static void every_code_has_its_value(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof small / sizeof *small; t++) {
        kiln_number_t n = number_of(small[t]);
        for (uint32_t code = 0; code < UINT32_C(1) << n.bits; code++) {
            double value = kiln_number_decode(n, code),
                   expected = kiln_element_to_double(small[t], &code);
            if (isnan(expected)) {
                assert_true(isnan(value));
                continue;
            }
            assert_true(value == expected && !signbit(value) == !signbit(expected));
            assert_int_equal(kiln_number_encode(n, value), code);
        }
    }
}

// A value between neighbours is rounded to the nearer one, and to the even one if both are equally
// near; with rounding towards zero, to the smaller one.
static void values_between_codes_are_rounded(void **state)
{
    (void)state;
    for (size_t t = 0; t < sizeof small / sizeof *small; t++) {
        kiln_number_t n = number_of(small[t]);
        for (uint32_t code = 0; code + 1 < UINT32_C(1) << (n.bits - 1); code++) {
            double low = kiln_number_decode(n, code), high = kiln_number_decode(n, code + 1);
            if (!isfinite(low) || !isfinite(high))
                break;
            double middle = (low + high) / 2;
            assert_int_equal(kiln_number_convert(n, middle, KILN_FLOAT_NEAREST_EVEN),
                             code + (code & 1));
            assert_int_equal(
                kiln_number_convert(n, nextafter(middle, low), KILN_FLOAT_NEAREST_EVEN), code);
            assert_int_equal(
                kiln_number_convert(n, nextafter(middle, high), KILN_FLOAT_NEAREST_EVEN), code + 1);
            assert_int_equal(kiln_number_convert(n, nextafter(high, low), KILN_FLOAT_TO_ZERO),
                             code);
        }
    }
}

static void small_floats_saturate(void **state)
{
    (void)state;
    kiln_number_t e4m3 = number_of(KILN_ELEMENT_F8E4M3FN), e5m2 = number_of(KILN_ELEMENT_F8E5M2),
                  fnuz = number_of(KILN_ELEMENT_F8E4M3FNUZ), f16 = number_of(KILN_ELEMENT_F16);
    assert_int_equal(kiln_number_convert(e4m3, 1e6, KILN_FLOAT_NEAREST_EVEN), 0x7e);
    assert_int_equal(kiln_number_convert(e5m2, -1e6, KILN_FLOAT_NEAREST_EVEN), 0xfb);
    assert_int_equal(kiln_number_convert(e5m2, (double)INFINITY, KILN_FLOAT_NEAREST_EVEN), 0x7c);
    assert_int_equal(kiln_number_convert(fnuz, 1e6, KILN_FLOAT_NEAREST_EVEN), 0x7f);
    assert_int_equal(kiln_number_convert(fnuz, -1e-9, KILN_FLOAT_NEAREST_EVEN),
                     0); // there is no negative zero
    assert_int_equal(kiln_number_convert(f16, 1e6, KILN_FLOAT_NEAREST_EVEN), 0x7c00);
    assert_int_equal(kiln_number_convert(f16, 1e6, KILN_FLOAT_TO_ZERO), 0x7bff);
}

static void multiply_adds_are_fused(void **state)
{
    (void)state;
    kiln_number_t n = number_of(KILN_ELEMENT_F32);
    uint64_t seed = 3;
    for (int i = 0; i < 300000; i++) {
        uint32_t bits[3];
        float x[3], expected;
        for (int j = 0; j < 3; j++) { // close exponents, so that roundings interact
            uint64_t r = next_random(&seed);
            bits[j] = (uint32_t)(r & 0x807fffff) |
                      (uint32_t)(110 + (r >> 40) % 40 + (j == 2 ? (r >> 48) % 3 * 8 : 0)) << 23;
            memcpy(&x[j], &bits[j], sizeof x[j]);
        }
        expected = fmaf(x[0], x[1], x[2]);
        uint32_t wanted, got = (uint32_t)kiln_number_fma(n, bits[0], bits[1], bits[2]);
        memcpy(&wanted, &expected, sizeof wanted);
        assert_int_equal(got, wanted);
    }
}

static int make_context(void **state)
{
    (void)state;
    context = mlirContextCreateWithThreading(false);
    return 0;
}

static int destroy_context(void **state)
{
    (void)state;
    mlirContextDestroy(context);
    return 0;
}

// The interpreter's values have 64 bits, so wider integers are rejected.
static void wide_integers_are_refused(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits <= 256; bits++) {
        kiln_number_t number;
        const bool good = kiln_number_of(mlirIntegerTypeGet(context, bits), &number);
        assert_int_equal(good, bits >= 1 && bits <= 64);
    }
}

// The short rounding of values that are normal in a format is that of all values.
static void normal_values_are_rounded_alike(void **state)
{
    (void)state;
    static const kiln_float_format_t formats[] = {
#define FORMAT(id, name, bits, kind, exponent, mantissa, bias) {kind, exponent, mantissa, bias},
        KILN_ELEMENT_TYPES(FORMAT)
#undef FORMAT
    };
    unsigned normal = 0;
    uint64_t random = 88172645463325252u;
    for (size_t t = 0; t < sizeof formats / sizeof *formats; t++) {
        const kiln_float_format_t f = formats[t];
        if (f.kind < KILN_ELEMENT_FLOAT || f.mantissa_bits >= 52)
            continue;
        for (unsigned i = 0; i < 100000; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            const int shift = 52 - f.mantissa_bits;
            const uint64_t exponent = 1023 - (uint64_t)f.bias - 2 +
                                      random % (1u << f.exponent_bits) + i % 5,
                           kept = random >> 20 << shift,
                           tie = i % 3 ? UINT64_C(1) << (shift - 1) : 0,
                           word = random >> 63 << 63 | exponent << 52 |
                                  ((kept | (i % 2 ? tie : random >> 12)) & (UINT64_MAX >> 12));
            double value;
            uint64_t bits;
            memcpy(&value, &word, sizeof value);
            if (!kiln_float_encode_normal(f, value, &bits))
                continue;
            normal++;
            assert_int_equal(bits, kiln_float_encode(f, value, KILN_FLOAT_NEAREST_EVEN, false));
        }
        uint64_t bits;
        assert_false(kiln_float_encode_normal(f, (double)INFINITY, &bits));
        assert_false(kiln_float_encode_normal(f, (double)NAN, &bits));
        assert_false(kiln_float_encode_normal(f, 0.0, &bits));
    }
    assert_true(normal > 400000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_value),
        cmocka_unit_test(values_between_codes_are_rounded),
        cmocka_unit_test(small_floats_saturate),
        cmocka_unit_test(multiply_adds_are_fused),
        cmocka_unit_test(wide_integers_are_refused),
        cmocka_unit_test(normal_values_are_rounded_alike),
    };
    return cmocka_run_group_tests(tests, make_context, destroy_context);
}
