// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of tensors in memory: block pointers and descriptors, including at the tensor's edges.
#include <math.h>

#include "run_both.h"

enum { M = 7, N = 19 };

static float in[M * N], out[M * N], sums[M * N], edge[8 * 32];
static int32_t whole[M * N], rows = M, columns = N;

static const argument_t arguments[] = {{in, sizeof in, 0},           {out, sizeof out, 0},
                                       {sums, sizeof sums, 0},       {edge, sizeof edge, 0},
                                       {whole, sizeof whole, 0},     {&rows, sizeof rows, 1},
                                       {&columns, sizeof columns, 1}};

static void fill(void)
{
    for (int i = 0; i < M * N; i++) {
        in[i] = (float)(i % 23) - 11;
        out[i] = -1;
        sums[i] = (float)i;
        whole[i] = i;
    }
    memset(edge, 0, sizeof edge);
}

#define KERNEL                                                                                     \
    "kernel void k(const f32 *in, f32 *out, f32 *sums, f32 *edge, i32 *whole, i32 m, i32 n)\n{\n"

static void check_blocks(void)
{
    for (int i = 0; i < M * N; i++)
        assert_true(out[i] == in[i] * 2);
    for (int r = 0; r < 8; r++)
        for (int c = 0; c < 32; c++)
            assert_true(r < M && c < N ? edge[r * 32 + c] == in[r * N + c]
                                       : isnan(edge[r * 32 + c]));
}

static void block_pointers_advance(void **state)
{
    (void)state;
    fill();
    run_both("auto next(auto p) { return advance(p, {0, 16}); }\n" KERNEL
             "    auto from = make_block_ptr(in, {m, n}, {n, 1}, {0, 0}, {8, 16});\n"
             "    auto to = make_block_ptr(out, {m, n}, {n, 1}, {0, 0}, {8, 16}, {1, 0});\n"
             "    for (i32 j = 0; j < n; j += 16) {\n"
             "        f32 x[8][16] = load(from, .boundary_check = {0, 1}, .padding = nan, .cache = "
             "cg);\n"
             "        edge[range(8)[:, None] * 32 + j + range(16)] = x;\n"
             "        store(to, x * 2, .boundary_check = {0, 1});\n"
             "        from = next(from);\n"
             "        to = advance(to, {0, 16});\n"
             "    }\n"
             "}\n",
             1, arguments, 7, check_blocks);
}

static void check_descriptors(void)
{
    for (int r = 0; r < M; r++)
        for (int c = 0; c < N; c++) {
            float wanted = in[r * N + c] + 1;
            assert_true(out[r * N + c] == wanted);
            float added = r < 4 && c >= 16 ? 10 : 0;
            assert_true(sums[r * N + c] == (float)(r * N + c) + added);
            int32_t kept = r * N + c, row = r % 2 == 0 && r < 6 ? r : -1;
            if (row >= 0 && c >= 8 && c < 16)
                kept = row * 100 + c;
            if (r < 4 && c < 8) // gathered: rows 6 (untouched), 4, 2, 0 from column 8 on
                kept = r == 0 ? 6 * N + 8 + c : (6 - 2 * r) * 100 + c + 8;
            assert_int_equal(whole[r * N + c], kept);
        }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 8; c++)
            assert_true(edge[r * 8 + c] == (c < N - 16 ? in[r * N + 16 + c] : 0));
}

static void descriptors_refer_to_their_tensor(void **state)
{
    (void)state;
    fill();
    run_both(KERNEL
             "    auto from = make_tensor_descriptor(in, {m, n}, {n, 1}, {4, 8});\n"
             "    auto to = make_tensor_descriptor(out, {m, n}, {n, 1}, {4, 8}, .padding = zero);\n"
             "    for (i32 i = 0; i < m; i += 4)\n"
             "        for (i32 j = 0; j < n; j += 8)\n"
             "            descriptor_store(to, {i, j}, descriptor_load(from, {i, j}, .evict = "
             "first) + 1);\n"
             "    edge[range(4)[:, None] * 8 + range(8)] = descriptor_load(from, {0, 16});\n"
             "    descriptor_reduce(make_tensor_descriptor(sums, {m, n}, {n, 1}, {4, 8}), {0, 16}, "
             "10, .op = add);\n"
             "    auto row = make_tensor_descriptor(whole, {m, n}, {n, 1}, {1, 8});\n"
             "    i32 which[4] = range(4) * 2;\n"
             "    descriptor_scatter(row, where(which < 6, which, 100), 8, which[:, None] * 100 + "
             "8 + range(8));\n"
             "    barrier();\n"
             "    i32 back[4][8] = descriptor_gather(row, 6 - which, 8);\n"
             "    barrier();\n"
             "    descriptor_store(make_tensor_descriptor(whole, {m, n}, {n, 1}, {4, 8}), {0, 0}, "
             "back);\n"
             "}\n",
             1, arguments, 7, check_descriptors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(block_pointers_advance),
                                       cmocka_unit_test(descriptors_refer_to_their_tensor)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
