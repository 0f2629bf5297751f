// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

// clang-format off
#define SHAPE(m, n, k) "M=" m, "N=" n, "K=" k
#define BLOCKS                                                                                     \
    {"BLOCK_M", {"16", "32", "64", "128", "256"}}, {"BLOCK_N", {"32", "64", "128", "256"}}
#define OPTIONS(...) {"num_warps", {__VA_ARGS__}}, {"num_stages", {"1", "2", "3"}}
#define GEMM_AXES {BLOCKS, {"BLOCK_K", {"32", "64", "128"}}, OPTIONS("2", "4", "8")}

const row_t bench_rows[] = {
#define GEMM(m, n, k)                                                                              \
    {"gemm " m "x" n "x" k, "gemm", NULL,                                                          \
     {SHAPE(m, n, k), "lda=K", "ldb=N", "ldc=N", "a=f16[M,K]", "b=f16[K,N]", "c=f16[M,N]"},        \
     GEMM_AXES},
#define GEMM_INT8(m, n, k)                                                                         \
    {"int8 " m "x" n "x" k, "int8_gemm", NULL,                                                     \
     {SHAPE(m, n, k), "a=i8[M,K]", "b=i8[N,K]", "c=f16[M,N]", "a_scale=f32[M]", "b_scale=f32[N]"}, \
     GEMM_AXES},
#define GEMM_FP8(m, n, k)                                                                          \
    {"fp8 " m "x" n "x" k, "fp8_gemm", NULL,                                                       \
     {SHAPE(m, n, k), "a=f8e4m3fnuz[M,K]", "b=f8e4m3fnuz[N,K]", "c=bf16[M,N]",                     \
      "a_scale=f32[M,K]", "b_scale=f32[N,K]"},                                                     \
     {BLOCKS, OPTIONS("2", "4", "8"), {"waves_per_eu", {"0", "1", "2"}}}},
#define ATTENTION(heads, kv, queries, keys, d, causal)                                             \
    {"attention " heads "/" kv " " queries "x" keys " " d " " causal, "attention",                 \
     "cdiv(queries,BLOCK_M),heads",                                                                \
     {"heads=" heads, "kv_heads=" kv, "queries=" queries, "keys=" keys, "scale=0.125",             \
      "q=f16[" heads "," queries "," d "]", "k=f16[" kv "," keys "," d "]",                        \
      "v=f16[" kv "," keys "," d "]", "out=f16[" heads "," queries "," d "]",                      \
      "sums=f32[" heads "," queries "]"},                                                          \
     {{"BLOCK_M", {"16", "32", "64", "128", "256"}}, {"BLOCK_N", {"16", "32", "64", "128"}},       \
      OPTIONS("2", "4", "8"), {"waves_per_eu", {"0", "1", "2"}}, {"D", {d}},            \
      {"CAUSAL", {causal}}}},
#define EXPERTS(e, m, n, k)                                                                        \
    {"experts " e "*" m "x" n "x" k, "fused_moe", e "*cdiv(N,BLOCK_N)",                            \
     {"N=" n, "K=" k, "slot_count=" e "*" m, "in=f16[" e "," m "," k "]",                          \
      "weight=f16[" e "," n "," k "]", "out=f16[" e "," m "," n "]", "gate=f32[" e "," m "]",      \
      "slots=i32[" e "," m "]:iota", "experts=i32[" e "]:iota", "used=i32[1]:fill:1000000"},       \
     {{"BLOCK_M", {m}}, {"BLOCK_N", {"32", "64", "128", "256"}},                                   \
      {"BLOCK_K", {"32", "64", "128", "256"}}, OPTIONS("1", "2", "4", "8"),                  \
      {"waves_per_eu", {"0", "1", "2"}}}},
#define ROWS(file, title, count, ...)                                                              \
    {#file " " title, #file, count, {__VA_ARGS__},                                                 \
     {{"BLOCK", {"256", "512", "1024", "2048", "4096"}},                                           \
      {"num_warps", {"1", "2", "4", "8", "16"}}, {"num_stages", {"1", "2", "3", "4"}},             \
      {"waves_per_eu", {"0", "1", "2", "4", "8"}}}},
#include "tune_problems.def"
};
// clang-format on
const size_t bench_row_count = sizeof bench_rows / sizeof *bench_rows;

void bench_must(kiln_status_t status)
{
    if (!status)
        return;
    fprintf(stderr, "bench_tune: %s\n", kiln_status_format(status));
    exit(1);
}

void *bench_allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        bench_must(kiln_status_out_of_memory());
    return memory;
}

// What the JIT would know of the arguments. Names are borrowed from them.
static kiln_arg_hint_t *hint(const kiln_arguments_t *arguments, size_t *out_count)
{
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, out_count);
    kiln_arg_hint_t *hints = bench_allocate(*out_count + 1, sizeof *hints);
    for (size_t i = 0; i < *out_count; i++)
        hints[i] = kiln_jit_argument_hint(&values[i]);
    return hints;
}

void bench_with_row(kiln_device_t *device, kiln_tune_store_t *store, const row_t *row,
                    void (*use)(const row_t *row, const kiln_tune_problem_t *problem, void *user),
                    void *user)
{
    kiln_tune_problem_t problem;
    kiln_arguments_t *arguments;
    kiln_tune_runner_t *runner;
    kiln_tune_axis_t axes[ROW_AXES];
    kiln_compile_options_t options;
    char path[256], *text;
    kiln_tune_problem_initialize(&problem);
    kiln_compile_options_initialize(&options);
    snprintf(path, sizeof path, "%s/%s.tile.c", KILN_EXAMPLES_DIR, row->file);
    bench_must(kiln_file_read(path, &text, &problem.source.length));
    bench_must(kiln_arguments_create(device, &arguments));
    for (size_t i = 0; i < ROW_WORDS && row->words[i]; i++)
        bench_must(kiln_arguments_add(arguments, row->words[i]));
    bench_must(kiln_tune_runner_create(arguments, row->grid, NULL, 0, &runner));
    kiln_arg_hint_t *hints = hint(arguments, &options.arg_count);
    options.args = hints;
    for (; problem.axis_count < ROW_AXES && row->axes[problem.axis_count].name;
         problem.axis_count++) {
        kiln_tune_axis_t *axis = &axes[problem.axis_count];
        *axis = (kiln_tune_axis_t){.name = row->axes[problem.axis_count].name,
                                   .values = row->axes[problem.axis_count].values};
        while (axis->value_count < ROW_VALUES && axis->values[axis->value_count])
            axis->value_count++;
    }
    problem.source.stage = KILN_STAGE_TILE;
    problem.source.name = path;
    problem.source.text = text;
    problem.options = &options;
    problem.device = device;
    problem.axes = axes;
    problem.prepare = kiln_tune_runner_prepare;
    problem.plan = kiln_tune_runner_plan;
    problem.verify = kiln_tune_runner_verify;
    problem.user = runner;
    problem.store = store;
    problem.arguments = row->name;
    use(row, &problem, user);
    free(hints);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
    free(text);
}

long bench_setting(const char *config, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = config; at && *at; at = strchr(at, ' '), at += at != NULL)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return strtol(at + length + 1, NULL, 10);
    return 0;
}
