// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products compared with sums in double: signed and unsigned bytes, precisions of f32,
// scaled operands of all formats.
#include <math.h>

#include "run_both.h"

enum { N = 32 };

static uint8_t a[N][N], b[N][N];
static float x[N][N], real[8][N][N];
static int32_t whole[4][N][N];

static const argument_t arguments[] = {{x, sizeof x, 0},
                                       {a, sizeof a, 0},
                                       {b, sizeof b, 0},
                                       {real, sizeof real, 0},
                                       {whole, sizeof whole, 0}};

static void fill(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (uint8_t)(i * 83 + j * 59 + i * j);
            b[i][j] = (uint8_t)(i * 37 + j * 101 + 200);
            x[i][j] = (float)((i * 31 + j * 17) % 61 - 30) / 7;
        }
}

#define KERNEL                                                                                     \
    "kernel void k(const f32 *px, const u8 *pa, const u8 *pb, f32 *real, i32 *whole)\n"            \
    "{ i32 at[32][32] = range(32)[:, None] * 32 + range(32)[None, :];\n"                           \
    "  f32 x[32][32] = px[at]; u8 a[32][32] = pa[at], b[32][32] = pb[at];\n"

static void check_bytes(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int32_t sums[4] = {0};
            for (int k = 0; k < N; k++) {
                sums[0] += a[i][k] * b[k][j];
                sums[1] += (int8_t)a[i][k] * b[k][j];
                sums[2] += a[i][k] * (int8_t)b[k][j];
                sums[3] += (int8_t)a[i][k] * (int8_t)b[k][j];
            }
            assert_int_equal(whole[0][i][j], sums[0]);
            assert_int_equal(whole[1][i][j], sums[1] + i * N + j);
            assert_int_equal(whole[2][i][j], sums[2]);
            assert_int_equal(whole[3][i][j], sums[3]);
        }
}

static void bytes_have_any_sign(void **state)
{
    (void)state;
    fill();
    run_both(KERNEL "  i8 s[32][32] = bitcast(i8, a), t[32][32] = bitcast(i8, b);\n"
                    "  whole[at] = dot(a, b);\n"
                    "  whole[1024 + at] = dot(s, b, at);\n"
                    "  whole[2048 + at] = dot(a, t);\n"
                    "  whole[3072 + at] = dot(s, t);\n"
                    "}\n",
             1, arguments, 5, check_bytes);
}

static void check_precisions(void)
{
    static const double allowed[] = {1e-6, 2e-3, 4e-6, 4e-5, 4e-6}; // of the sum of magnitudes
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < N; k++) {
                sum += (double)x[i][k] * (double)x[k][j];
                size += fabs((double)x[i][k] * (double)x[k][j]);
            }
            for (int p = 0; p < 5; p++)
                assert_true(fabs((double)real[p][i][j] - sum) <= allowed[p] * size);
        }
}

static void products_of_f32_have_a_precision(void **state)
{
    (void)state;
    fill();
    run_both(KERNEL "  real[at] = dot(x, x, .precision = ieee);\n"
                    "  real[1024 + at] = dot(x, x, .precision = tf32);\n"
                    "  real[2048 + at] = dot(x, x, .precision = tf32x3);\n"
                    "  real[3072 + at] = dot(x, x, .precision = bf16x3);\n"
                    "  real[4096 + at] = dot(x, x, .precision = bf16x6);\n"
                    "}\n",
             1, arguments, 5, check_precisions);
}

// Decodes a small float without infinities (the tested formats have none).
static double small(unsigned code, int exponent_bits, int mantissa_bits, int bias)
{
    unsigned mantissa = code & ((1u << mantissa_bits) - 1),
             exponent = code >> mantissa_bits & ((1u << exponent_bits) - 1);
    double value = exponent ? ldexp(1 + ldexp(mantissa, -mantissa_bits), (int)exponent - bias)
                            : ldexp(mantissa, 1 - bias - mantissa_bits);
    return code >> (exponent_bits + mantissa_bits) & 1 ? -value : value;
}

static double scale(int row)
{
    return ldexp(1, row % 5 - 2);
}

static void compare(int index, double (*left)(int i, int k), double (*right)(int k, int j))
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < N; k++) {
                sum += left(i, k) * right(k, j);
                size += fabs(left(i, k) * right(k, j));
            }
            if (fabs((double)real[index][i][j] - sum) > 1e-5 * size)
                print_error("product %d, element %d, %d: %g and not %g\n", index, i, j,
                            (double)real[index][i][j], sum);
            assert_true(fabs((double)real[index][i][j] - sum) <= 1e-5 * size);
        }
}

static double a_e4m3(int i, int k)
{
    return small(a[i][k] & 0xBF, 4, 3, 7) * scale(i);
}
static double b_e5m2(int k, int j)
{
    return small(b[k][j] & 0xBF, 5, 2, 15) * scale(j + 1);
}
static double a_e2m3(int i, int k)
{
    return small(a[i][k] & 63, 2, 3, 1);
}
static double b_e3m2(int k, int j)
{
    return small(b[k][j] & 63, 3, 2, 3) * scale(j + 1);
}
static double a_e2m1(int i, int k)
{
    return small(a[i][k / 2] >> (k % 2 * 4), 2, 1, 1) * scale(i);
}
static double b_e2m1(int k, int j)
{
    return small(b[k / 2][j] >> (k % 2 * 4), 2, 1, 1);
}
static double a_across(int i, int k)
{
    return small(a[i / 2][k] >> (i % 2 * 4), 2, 1, 1);
}
static double b_across(int k, int j)
{
    return small(b[k][j / 2] >> (j % 2 * 4), 2, 1, 1) * scale(j + 1);
}
static double a_whole(int i, int k)
{
    return (a[i][k] & 7) * scale(i);
}
static double b_whole(int k, int j)
{
    return (b[k][j] & 7) * 0.25;
}

static void check_scaled(void)
{
    compare(0, a_e4m3, b_e5m2);
    compare(1, a_e2m3, b_e3m2);
    compare(2, a_e2m1, b_e2m1);
    compare(3, a_across, b_across);
    compare(4, a_whole, b_whole);
    compare(5, a_whole, b_whole);
}

static void operands_have_scales(void **state)
{
    (void)state;
    fill();
    run_both(
        KERNEL
        "  u8 s[32][1] = 125 + range(32)[:, None] % 5, t[32][1] = 125 + (range(32)[:, None] + 1) % "
        "5;\n"
        "  u8 a4[32][16] = pa[range(32)[:, None] * 32 + range(16)], b4[16][32] = pb[range(16)[:, "
        "None] * 32 + "
        "range(32)];\n"
        "  u8 a4m[16][32] = pa[range(16)[:, None] * 32 + range(32)], b4n[32][16] = pb[range(32)[:, "
        "None] * 32 + "
        "range(16)];\n"
        "  real[at] = dot_scaled(bitcast(f8e4m3fn, (u8)(a & 0xBF)), bitcast(f8e5m2, (u8)(b & "
        "0xBF)), .a_scale = s, "
        ".b_scale = t);\n"
        "  real[1024 + at] = dot_scaled((u8)(a & 63), (u8)(b & 63), 0, .a_format = e2m3, .b_format "
        "= e3m2, .b_scale = "
        "t);\n"
        "  real[2048 + at] = dot_scaled(a4, b4, .a_scale = s, .a_format = e2m1, .b_format = e2m1, "
        ".fast_math = true);\n"
        "  real[3072 + at] = dot_scaled(a4m, b4n, .a_format = e2m1, .b_format = e2m1, .a_k_pack = "
        "false, .b_k_pack = "
        "false, .b_scale = t);\n"
        "  real[4096 + at] = dot_scaled((bf16)(a & 7), (bf16)((b & 7) * 0.25), .a_scale = s);\n"
        "  f32 total[32][32] = 1;\n"
        "  real[5120 + at] = dot_scaled((f16)(a & 7), (f16)((b & 7) * 0.25), total, .a_scale = s, "
        ".a_format = f16) - "
        "1;\n"
        "}\n",
        1, arguments, 5, check_scaled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_have_any_sign),
                                       cmocka_unit_test(products_of_f32_have_a_precision),
                                       cmocka_unit_test(operands_have_scales)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
