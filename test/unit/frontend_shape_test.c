// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that rearrange, sort and count elements, most of them written in Tile C's prelude,
// compared with loops.
#include <math.h>

#include "run_both.h"

enum { ROWS = 8, COLUMNS = 16 };

static float x[ROWS][COLUMNS], real[8][ROWS][COLUMNS];
static int32_t whole[8][ROWS][COLUMNS];

static const argument_t arguments[] = {
    {x, sizeof x, 0}, {real, sizeof real, 0}, {whole, sizeof whole, 0}};

#define AT "range(8)[:, None] * 16 + range(16)[None, :]"
#define KERNEL                                                                                     \
    "kernel void k(const f32 *px, f32 *real, i32 *whole)\n{\n"                                     \
    "    i32 at[8][16] = " AT ";\n    f32 x[8][16] = px[at];\n"

static void fill(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            x[r][c] = (float)((r * 53 + c * 29) % 37 - 18) / 8;
}

static int up(const void *a, const void *b)
{
    float p = *(const float *)a, q = *(const float *)b;
    return (p > q) - (p < q);
}

static void check_sorted(void)
{
    for (int r = 0; r < ROWS; r++) {
        float row[COLUMNS];
        memcpy(row, x[r], sizeof row);
        qsort(row, COLUMNS, sizeof *row, up);
        for (int c = 0; c < COLUMNS; c++) {
            assert_true(real[0][r][c] == row[c]);
            assert_true(real[1][r][c] == row[COLUMNS - 1 - c]);
            assert_true(real[3][r][c] == row[c]);
            assert_int_equal(whole[0][r][c], r * COLUMNS + c < 64 ? r * COLUMNS + c - 32 : 0);
        }
        for (int c = 0; c < 4; c++)
            assert_true((&real[2][0][0])[r * 4 + c] == row[COLUMNS - 1 - c]);
    }
    for (int c = 0; c < COLUMNS; c++) {
        float column[ROWS];
        for (int r = 0; r < ROWS; r++)
            column[r] = x[r][c];
        qsort(column, ROWS, sizeof *column, up);
        for (int r = 0; r < ROWS; r++)
            assert_true(real[5][r][c] == column[ROWS - 1 - r]);
        for (int r = 0; r < 4; r++)
            assert_true(real[6][r][c] == column[ROWS - 1 - r]);
    }
    // NaN is unordered, but none must get lost or be added; the runs on both sides are sorted.
    int nans = 0;
    float sum = 0, wanted = 0;
    for (int c = 0; c < COLUMNS; c++) {
        nans += isnan(real[4][0][c]);
        sum += isnan(real[4][0][c]) ? 0 : real[4][0][c];
        wanted += c == 5 ? 0 : x[0][c];
    }
    assert_int_equal(nans, 1);
    assert_true(fabsf(sum - wanted) < 1e-5f);
}

static void rows_are_sorted(void **state)
{
    (void)state;
    fill();
    run_both(
        KERNEL
        "    real[at] = sort(x);\n"
        "    real[128 + at] = sort(x, .descending = true);\n"
        "    real[256 + range(8)[:, None] * 4 + range(4)[None, :]] = topk(x, 4);\n"
        "    real[384 + at] = sort((bf16)x);\n" // the values fit
        "    i8 mixed[64] = range(64) * 37 % 64 - 32;\n"
        "    whole[range(64)] = sort(mixed);\n"
        "    real[640 + at] = sort(x, 0, .descending = true);\n"
        "    real[768 + range(4)[:, None] * 16 + range(16)[None, :]] = topk(x, 4, .axis = -2);\n"
        "    f32 row[16] = px[range(16)];\n"
        "    real[512 + range(16)] = sort(where(range(16) == 5, NAN, row));\n"
        "}\n",
        1, arguments, 3, check_sorted);
}

static void check_moved(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            assert_true(real[0][r][c] == x[r][COLUMNS - 1 - c]);
            assert_true(real[1][r][c] == x[ROWS - 1 - r][c]);
            assert_true(real[2][r][c] == x[r][c]); // split and interleaved again
            int other = c < COLUMNS / 2 ? 2 * c : 2 * (c - COLUMNS / 2) + 1;
            assert_true(real[3][r][c] == x[r][other]); // even ones before odd ones
            assert_true(real[4][r][c] == (r < 4 ? x[r][2 * (c % 8) + c / 8] : x[r][c]));
            assert_true(real[5][r][c] == x[r][c] + 1);
            assert_int_equal(whole[1][r][c], c);
            assert_int_equal(whole[2][r][c], r);
        }
    static const int32_t expected[] = {3, 2, 2, 8, 128, 3, 5, 16, 7, 8 * 16 * 2};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(whole[0][0][i], expected[i]);
}

static void tiles_are_rearranged(void **state)
{
    (void)state;
    fill();
    run_both(
        KERNEL
        "    real[at] = flip(x);\n"
        "    real[128 + at] = flip(x, 0);\n"
        "    f32 a[8][8], b[8][8];\n"
        "    split(view(x, 8, 8, 2), &a, &b);\n"
        "    real[256 + at] = interleave(a, b);\n"
        "    real[384 + at] = reshape(cat(a, b, 1), 8, 16);\n"
        "    f32 top[4][8][2], rest[4][8][2];\n"
        "    split(permute(reshape(x, 2, 4, 8, 2), 1, 2, 3, 0), &top, &rest);\n"
        "    real[512 + at] = reshape(cat(reshape(trans(top), 4, 16), reshape(rest, 4, 16)), 8, "
        "16);\n"
        "    real[640 + at] = reshape_like(ravel(x) + item(zeros(f32, 1, 1)) + 1, zeros_like(x));\n"
        "    whole[128 + at] = indices(x, 1);\n"
        "    whole[256 + at] = indices(x, -2);\n"
        "    i32 u, v;\n"
        "    swizzle2d(3, 1, 8, 4, 2, &u, &v);\n"
        "    whole[0] = u;\n"
        "    whole[1] = v;\n"
        "    whole[2] = rank(x);\n"
        "    whole[3] = size(x, 0);\n"
        "    whole[4] = size(x);\n"
        "    split(cat(zeros(i32, 1) + 3, zeros(i32, 1) + 5), &u, &v);\n"
        "    whole[5] = u;\n"
        "    whole[6] = v;\n"
        "    whole[7] = size(expand_dims(x, -1), 1);\n"
        "    whole[8] = sum(expand_dims(7, 0));\n"
        "    whole[9] = size(join(x, x));\n"
        "}\n",
        1, arguments, 3, check_moved);
}

static void check_counts(void)
{
    int32_t bins[16] = {0}, masked[16] = {0};
    for (int r = 0; r < ROWS; r++) {
        double total = 0;
        for (int c = 0; c < COLUMNS; c++) {
            int bin = (int)((x[r][c] + 3) * 3);
            bins[bin]++;
            masked[bin] += c > 3;
            total += exp((double)x[r][c]);
        }
        for (int c = 0; c < COLUMNS; c++) {
            assert_true(fabs((double)real[0][r][c] - exp((double)x[r][c]) / total) < 1e-6);
            double column = 0;
            for (int i = 0; i < ROWS; i++)
                column += exp((double)x[i][c]);
            assert_true(fabs((double)real[1][r][c] - exp((double)x[r][c]) / column) < 1e-3);
            assert_true(fabs((double)real[2][r][c] - 1 / (1 + exp((double)-x[r][c]))) < 1e-6);
            assert_true(fabs((double)real[3][r][c] - 1 / (1 + exp(-(double)(int)x[r][c]))) < 1e-6);
        }
    }
    for (int i = 0; i < 16; i++) {
        assert_int_equal(whole[0][0][i], bins[i]);
        assert_int_equal(whole[0][1][i], masked[i]);
    }
}

static void elements_are_counted_and_weighed(void **state)
{
    (void)state;
    fill();
    run_both(KERNEL "    whole[range(16)] = histogram((i32)((x + 3) * 3), 16);\n"
                    "    whole[16 + range(16)] = histogram((u8)((x + 3) * 3), 16, range(16) > 3);\n"
                    "    real[at] = softmax(x);\n"
                    "    f16 half[8][16] = softmax((f16)x, .axis = 0);\n"
                    "    real[128 + at] = half;\n"
                    "    real[256 + at] = sigmoid(x);\n"
                    "    real[384 + at] = sigmoid((i32)x);\n"
                    "}\n",
             1, arguments, 3, check_counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_sorted),
                                       cmocka_unit_test(tiles_are_rearranged),
                                       cmocka_unit_test(elements_are_counted_and_weighed)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
