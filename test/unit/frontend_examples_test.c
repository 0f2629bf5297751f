// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples compute the right results: each runs on the simulator with several sizes and options
// and is compared with double precision.
#include <math.h>
#include <stdio.h>

#include "run_kernel.h"

typedef _Float16 f16;

static char text[1 << 16];

static kiln_source_t read_example(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/examples/%s", KILN_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    assert_true(length < sizeof text);
    return (kiln_source_t){KILN_STAGE_TILE, name, text, length};
}

static void fill(f16 *data, size_t count, unsigned seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        data[i] = (f16)((double)(seed >> 8) / (1 << 23) - 1);
    }
}

#define SCALAR(value) {&(value), sizeof(value), 1}

static void gemm_multiplies(void **state)
{
    static const struct {
        int m, n, k, stages, nonkdim, warps, kpack;
        const char *bm, *bn, *bk, *group;
    } cases[] = {
        {128, 128, 64, 2, 16, 4, 1, "64", "64", "32", "8"},
        {77, 33, 19, 1, 16, 1, 1, "32", "32", "16", "1"},
        {100, 70, 90, 2, 32, 4, 1, "64", "32", "32", "2"},
        {65, 129, 130, 3, 16, 2, 2, "32", "64", "64", "4"},
        {1, 1, 1, 2, 0, 1, 1, "16", "16", "16", "8"},
        {96, 64, 256, 2, 32, 8, 1, "128", "64", "16", "8"},
    };
    static f16 a[1 << 16], b[1 << 16], c[1 << 16];
    kiln_source_t source = read_example("gemm.tile.c");
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int m = cases[i].m, n = cases[i].n, k = cases[i].k;
        const kiln_setting_t defines[] = {{"BLOCK_M", cases[i].bm},
                                          {"BLOCK_N", cases[i].bn},
                                          {"BLOCK_K", cases[i].bk},
                                          {"GROUP_M", cases[i].group}};
        const kiln_arg_hint_t hints[] = {
            {.name = "a", .divisibility = 16, .pointer_range_32 = true},
            {.name = "b", .divisibility = 16, .pointer_range_32 = true},
            {.name = "c", .divisibility = 16, .pointer_range_32 = true}};
        kiln_compile_options_t options;
        kiln_compile_options_initialize(&options);
        options.num_stages = cases[i].stages;
        options.matrix_instr_nonkdim = cases[i].nonkdim;
        options.num_warps = cases[i].warps;
        options.kpack = cases[i].kpack;
        options.defines = defines;
        options.define_count = 4;
        options.args = hints;
        options.arg_count = 3;
        fill(a, (size_t)(m * k), 1);
        fill(b, (size_t)(k * n), 2);
        memset(c, 0xFF, sizeof c);
        const argument_t arguments[] = {{a, (size_t)(m * k) * 2, 0},
                                        {b, (size_t)(k * n) * 2, 0},
                                        {c, (size_t)(m * n) * 2, 0},
                                        SCALAR(m),
                                        SCALAR(n),
                                        SCALAR(k),
                                        SCALAR(k),
                                        SCALAR(n),
                                        SCALAR(n)};
        int bm = atoi(cases[i].bm), bn = atoi(cases[i].bn);
        run_kernel(&source, &options, (unsigned)((m + bm - 1) / bm * ((n + bn - 1) / bn)),
                   arguments, 9);
        double wrong = 0, norm = 0;
        for (int r = 0; r < m; r++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int p = 0; p < k; p++)
                    sum += (double)a[r * k + p] * (double)b[p * n + j];
                double difference = (double)c[r * n + j] - sum;
                wrong += difference * difference;
                norm += sum * sum;
            }
        if (!(sqrt(wrong / norm) < 1e-3))
            print_error("%d x %d x %d, case %zu: relative error %g\n", m, n, k, i,
                        sqrt(wrong / norm));
        assert_true(sqrt(wrong / norm) < 1e-3);
    }
}

static void softmax_normalises_rows(void **state)
{
    enum { ROWS = 3, COLUMNS = 300, STRIDE = 320 };
    static f16 in[ROWS * STRIDE], out[ROWS * STRIDE];
    int stride = STRIDE, columns = COLUMNS;
    kiln_source_t source = read_example("softmax.tile.c");
    (void)state;
    fill(in, ROWS * STRIDE, 3);
    const argument_t arguments[] = {
        {out, sizeof out, 0}, {in, sizeof in, 0}, SCALAR(stride), SCALAR(stride), SCALAR(columns)};
    run_kernel(&source, NULL, ROWS, arguments, 5);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int c = 0; c < COLUMNS; c++)
            sum += exp((double)in[r * STRIDE + c]);
        for (int c = 0; c < STRIDE; c++) {
            double expected = c < COLUMNS ? exp((double)in[r * STRIDE + c]) / sum : 0;
            assert_true(fabs((double)out[r * STRIDE + c] - expected) <= 1e-3 * expected);
        }
    }
}

static void layernorm_normalises_rows(void **state)
{
    enum { ROWS = 2, COLUMNS = 700 };
    static f16 in[ROWS * COLUMNS], out[ROWS * COLUMNS], weight[COLUMNS], bias[COLUMNS];
    int columns = COLUMNS;
    float eps = 1e-5f;
    const kiln_setting_t defines[] = {{"BLOCK", "256"}};
    kiln_compile_options_t options;
    kiln_source_t source = read_example("layernorm.tile.c");
    (void)state;
    kiln_compile_options_initialize(&options);
    options.defines = defines;
    options.define_count = 1;
    fill(in, ROWS * COLUMNS, 5);
    fill(weight, COLUMNS, 6);
    fill(bias, COLUMNS, 7);
    const argument_t arguments[] = {{out, sizeof out, 0},
                                    {in, sizeof in, 0},
                                    {weight, sizeof weight, 0},
                                    {bias, sizeof bias, 0},
                                    SCALAR(columns),
                                    SCALAR(columns),
                                    SCALAR(eps)};
    run_kernel(&source, &options, ROWS, arguments, 7);
    for (int r = 0; r < ROWS; r++) {
        double mean = 0, variance = 0;
        const f16 *row = in + r * COLUMNS;
        for (int c = 0; c < COLUMNS; c++)
            mean += (double)row[c] / COLUMNS;
        for (int c = 0; c < COLUMNS; c++)
            variance += ((double)row[c] - mean) * ((double)row[c] - mean) / COLUMNS;
        for (int c = 0; c < COLUMNS; c++) {
            double expected = ((double)row[c] - mean) / sqrt(variance + 1e-5) * (double)weight[c] +
                              (double)bias[c];
            assert_true(fabs((double)out[r * COLUMNS + c] - expected) <=
                        1e-3 * fabs(expected) + 1e-3);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm_multiplies),
        cmocka_unit_test(softmax_normalises_rows),
        cmocka_unit_test(layernorm_normalises_rows),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
