// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and scans with user functions, options of the built-in ones, and helpers that change
// variables of their caller: interpreted and compiled, compared with loops.
#include <math.h>
#include <stdbool.h>

#include "run_both.h"

enum { ROWS = 8, COLUMNS = 32 };

static float x[ROWS][COLUMNS], real[1024];
static int32_t n[ROWS][COLUMNS], whole[1024];

static void fill(void)
{
    memset(real, 0, sizeof real);
    memset(whole, 0, sizeof whole);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            n[r][c] = (r * 131 + c * 37) % 19 - 9; // with equal elements in every row and column
            x[r][c] = (float)n[r][c] * 0.25f;
        }
}

static const argument_t arguments[] = {
    {x, sizeof x, 0}, {n, sizeof n, 0}, {real, sizeof real, 0}, {whole, sizeof whole, 0}};

#define AT "range(8)[:, None] * 32 + range(32)[None, :]"
#define KERNEL                                                                                     \
    "kernel void k(const f32 *px, const i32 *pn, f32 *real, i32 *whole)\n{\n"                      \
    "    f32 x[8][32] = px[" AT "];\n    i32 n[8][32] = pn[" AT "];\n"

// A function of one value -------------------------------------------------------------------------

static void check_one_value(void)
{
    for (int r = 0; r < ROWS; r++) {
        int32_t joined = 0, farthest = 0;
        for (int c = 0; c < COLUMNS; c++) {
            joined |= 1 << (n[r][c] + 9);
            farthest = abs(n[r][c]) > abs(farthest) ? n[r][c] : farthest;
        }
        assert_int_equal(whole[r], joined);
        assert_int_equal(abs(whole[8 + r]), abs(farthest));
    }
    float total = 0;
    int32_t max = n[0][0];
    for (int c = 0; c < COLUMNS; c++) {
        float product = 1;
        for (int r = 0; r < ROWS; r++) {
            product *= x[r][c];
            total += x[r][c];
            max = n[r][c] > max ? n[r][c] : max;
        }
        assert_true(fabsf(real[c] - product) <= 1e-5f * fabsf(product));
    }
    assert_true(fabsf(real[32] - total) <= 1e-4f);
    assert_int_equal(whole[16], max);
    assert_int_equal(whole[17], 8); // the number of rows: each dimension of 1 adds 1
}

static void a_function_combines_elements(void **state)
{
    (void)state;
    fill();
    run_both("i32 set(i32 a, i32 b) { return a | b; }\n"
             "auto times(auto a, auto b) { return a * b; }\n"
             "i32 farther(i32 a, i32 b) { if (abs(b) > abs(a)) return b; return a; }\n"
             "auto plus(auto a, auto b) { auto sum = a; sum += b; return sum; }\n" KERNEL
             "    whole[range(8)] = reduce(1 << (n + 9), 1, set);\n"
             "    whole[8 + range(8)] = reduce(n, -1, farther);\n"
             "    real[range(32)] = reduce(x, 0, times);\n"
             "    real[32] = reduce(x, plus);\n"
             "    whole[16] = reduce(n, maximum);\n"
             "    i32 kept[8][1] = reduce(n * 0 + 1, 1, plus, .keep_dims = true);\n"
             "    i32 all[1][1] = reduce(kept / 32, plus, .keep_dims = true);\n"
             "    whole[17] = sum(all);\n"
             "}\n",
             1, arguments, 4, check_one_value);
}

static void check_scans(void)
{
    for (int r = 0; r < ROWS; r++) {
        int32_t max = INT32_MIN, back = 0, last = 0;
        for (int c = 0; c < COLUMNS; c++) {
            max = n[r][c] > max ? n[r][c] : max;
            last = c % 3 == 0
                       ? n[r][c]
                       : last; // a segmented copy: keeps the left value if there is no right one
            assert_int_equal(whole[r * COLUMNS + c], max);
            assert_int_equal(whole[512 + r * COLUMNS + c], last);
        }
        for (int c = COLUMNS - 1; c >= 0; c--) {
            back += n[r][c];
            assert_int_equal(whole[256 + r * COLUMNS + c], back);
        }
    }
    for (int c = 0; c < COLUMNS; c++) {
        float product = 1;
        for (int r = ROWS - 1; r >= 0; r--) {
            product *= x[r][c] + 2;
            assert_true(fabsf(real[r * COLUMNS + c] - product) <= 1e-5f * fabsf(product));
        }
    }
}

static void scans_run_both_ways(void **state)
{
    (void)state;
    fill();
    run_both("void carry(i32 *value, bool *has, i32 next, bool next_has) { if (next_has) *value = "
             "next; *has |= "
             "next_has; }\n" KERNEL "    i32 at[8][32] = " AT ";\n"
             "    whole[at] = scan(n, 1, maximum);\n"
             "    whole[256 + at] = cumsum(n, 1, .reverse = true);\n"
             "    i32 value[8][32];\n"
             "    bool has[8][32];\n"
             "    scan(n, range(32) % 3 == 0, 1, carry, &value, &has);\n"
             "    whole[512 + at] = value;\n"
             "    real[at] = cumprod(x + 2, .axis = 0, .reverse = true);\n"
             "}\n",
             1, arguments, 4, check_scans);
}

// Functions of several values ---------------------------------------------------------------------

static void check_several(void)
{
    for (int r = 0; r < ROWS; r++) {
        float mean = 0, spread = 0;
        for (int c = 0; c < COLUMNS; c++)
            mean += x[r][c] / COLUMNS;
        for (int c = 0; c < COLUMNS; c++)
            spread += (x[r][c] - mean) * (x[r][c] - mean);
        assert_true(fabsf(real[r] - mean) <= 1e-5f);
        assert_true(fabsf(real[8 + r] - spread) <= 1e-4f * spread);
        assert_true(real[16 + r] == COLUMNS);
    }
}

static void several_values_are_combined(void **state)
{
    (void)state;
    fill();
    run_both("void welford(f32 *mean, f32 *spread, f32 *count, f32 other_mean, f32 other_spread, "
             "f32 other_count)\n"
             "{\n"
             "    f32 apart = other_mean - *mean, total = *count + other_count;\n"
             "    *spread += other_spread + apart * apart * *count * other_count / total;\n"
             "    *mean += apart * other_count / total;\n"
             "    *count = total;\n"
             "}\n" KERNEL "    f32 mean[8][1], spread[8][1], count[8][1];\n"
             "    reduce(x, zeros(f32, 1), full(1.0f, 1), 1, welford, &mean, &spread, &count, "
             ".keep_dims = true);\n"
             "    real[range(8)[:, None]] = mean;\n"
             "    real[8 + range(8)[:, None]] = spread;\n"
             "    real[16 + range(8)[:, None]] = count;\n"
             "}\n",
             1, arguments, 4, check_several);
}

static void check_best(void)
{
    int max = 0, min = 0;
    for (int r = 0; r < ROWS; r++) {
        int best = 0, worst = 0;
        for (int c = 0; c < COLUMNS; c++) {
            best = n[r][c] > n[r][best] ? c : best;
            worst = n[r][c] < n[r][worst] ? c : worst;
            max = n[r][c] > n[max / COLUMNS][max % COLUMNS] ? r * COLUMNS + c : max;
            min = n[r][c] < n[min / COLUMNS][min % COLUMNS] ? r * COLUMNS + c : min;
        }
        assert_int_equal(whole[r], best);
        assert_int_equal(whole[8 + r], n[r][best]);
        assert_int_equal(whole[16 + r], worst);
        assert_true(real[r] == x[r][worst]);
        int any = whole[24 + r]; // the index of any of the equal elements
        assert_true(any >= 0 && any < COLUMNS && n[r][any] == n[r][best]);
        assert_int_equal(whole[32 + r], best);
    }
    assert_int_equal(whole[40], min);
    assert_int_equal(whole[41], max);
    assert_int_equal(whole[42], n[max / COLUMNS][max % COLUMNS]);
}

static void the_best_has_an_index(void **state)
{
    (void)state;
    fill();
    run_both(KERNEL "    i32 at[8], most[8] = max(n, 1, .index = &at);\n"
                    "    whole[range(8)] = at;\n"
                    "    whole[8 + range(8)] = most;\n"
                    "    i64 wide[8];\n"
                    "    real[range(8)] = min(x, 1, .index = &wide);\n"
                    "    whole[16 + range(8)] = wide;\n"
                    "    whole[24 + range(8)] = argmax(n, 1, .ties = any);\n"
                    "    whole[32 + range(8)[:, None]] = argmax((bf16)x, 1, .keep_dims = true);\n"
                    "    i32 everywhere;\n"
                    "    whole[40] = argmin(n);\n"
                    "    whole[42] = max(n, .index = &everywhere);\n"
                    "    whole[41] = everywhere;\n"
                    "}\n",
             1, arguments, 4, check_best);
}

static void check_bits(void)
{
    for (int r = 0; r < ROWS; r++) {
        int32_t either = 0, both = -1;
        for (int c = 0; c < COLUMNS; c++) {
            either |= n[r][c];
            both &= n[r][c] | 0x70;
        }
        assert_int_equal(whole[r], either);
        assert_int_equal(whole[8 + r], both);
        for (int c = 0; c < COLUMNS; c++)
            assert_true(real[r * COLUMNS + c] == x[r][c] - (float)whole[16 + r]);
    }
}

static void kept_dimensions_broadcast(void **state)
{
    (void)state;
    fill();
    run_both(KERNEL "    whole[range(8)[:, None]] = or_sum(n, 1, .keep_dims = true);\n"
                    "    whole[8 + range(8)] = and_sum(n | 0x70, 1);\n"
                    "    whole[16 + range(8)] = max(n, 1);\n"
                    "    real[" AT "] = x - (f32)max(n, 1, .keep_dims = 1);\n"
                    "}\n",
             1, arguments, 4, check_bits);
}

// Helpers -----------------------------------------------------------------------------------------

static void check_helpers(void)
{
    assert_int_equal(whole[0], 31);
    assert_int_equal(whole[1], 12);
    assert_int_equal(whole[2], 4 * 3);
    assert_int_equal(whole[3], -(4 * 5));
    assert_int_equal(whole[4], 10);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            assert_int_equal(whole[256 + r * COLUMNS + c], n[r][c] < 0 ? 2 - n[r][c] : n[r][c] + 2);
}

static void helpers_change_their_callers_variables(void **state)
{
    (void)state;
    fill();
    run_both("void step(i32 *n, i32 by) { if (*n > 20) { *n += 1; return; } *n = *n * 2 + by; }\n"
             "void often(i32 *n, const i32 *by) { for (i32 i = 0; i < 5; i++) step(n, *by); }\n"
             "void swap(auto *a, auto *b) { auto old = *a; *a = *b; *b = old; }\n"
             "void fold(auto *x) { *x = where(*x < 0, -*x, *x); *x += 2; }\n"
             "auto scaled(auto x, constexpr i32 by = 3, constexpr bool negative = false)\n"
             "{ if constexpr (negative) return -(x * by); else return x * by; }\n" KERNEL
             "    i32 a = 1, one = 1, b;\n"
             "    often(&a, &one);\n" // a is 3 7 15 31 32 in turn
             "    a -= 1;\n"
             "    b = 12;\n"
             "    swap(&a, &b);\n"
             "    whole[0] = b;\n"
             "    whole[1] = a;\n"
             "    whole[2] = scaled(4);\n"
             "    whole[3] = scaled(4, .negative = true, .by = 5);\n"
             "    whole[4] = scaled(.x = 5, .by = 2);\n"
             "    fold(&n);\n"
             "    whole[256 + " AT "] = n;\n"
             "}\n",
             1, arguments, 4, check_helpers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_combines_elements),
        cmocka_unit_test(scans_run_both_ways),
        cmocka_unit_test(several_values_are_combined),
        cmocka_unit_test(the_best_has_an_index),
        cmocka_unit_test(kept_dimensions_broadcast),
        cmocka_unit_test(helpers_change_their_callers_variables),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
