// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strategies of the tuner: ./dev bench tune [NAME-PART]
//
// For each problem the whole space is searched once, then by the guided and the random strategy
// with their default budgets and several seeds, and by the model: its first choice alone, and the
// best of its first eight. Costs are predicted by the simulator's clock, which executes only what
// it needs, so nothing is verified. A ratio is the best predicted time of the exhaustive search
// divided by that of the strategy: 1 is the best there is. At the end a lookup is timed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "kiln/tune_runner.h"

enum { SEEDS = 3, MAX_WORDS = 16, MAX_AXES = 8, MAX_VALUES = 8 };

typedef struct row {
    const char *name, *file, *grid; // grid NULL: the declared one
    const char *words[MAX_WORDS];
    struct {
        const char *name, *values[MAX_VALUES];
    } axes[MAX_AXES];
} row_t;

#define GEMM(m, n, k)                                                                              \
    {"M=" m,                                                                                       \
     "N=" n,                                                                                       \
     "K=" k,                                                                                       \
     "lda=K",                                                                                      \
     "ldb=N",                                                                                      \
     "ldc=N",                                                                                      \
     "a=f16[M,K]:random:1",                                                                        \
     "b=f16[K,N]:random:2",                                                                        \
     "c=f16[M,N]"}
#define GEMM_AXES                                                                                  \
    {                                                                                              \
        {"BLOCK_M", {"16", "32", "64", "128", "256"}},                                             \
        {"BLOCK_N", {"32", "64", "128", "256"}},                                                   \
        {"BLOCK_K", {"32", "64", "128"}},                                                          \
        {"num_warps", {"2", "4", "8"}},                                                            \
        {"num_stages", {"1", "2", "3"}},                                                           \
    }

static const row_t rows[] = {
    {"gemm 1024x1024x1024", "gemm", NULL, GEMM("1024", "1024", "1024"), GEMM_AXES},
    {"gemm 16x4096x4096", "gemm", NULL, GEMM("16", "4096", "4096"), GEMM_AXES},
    {"gemm 512x11008x4096", "gemm", NULL, GEMM("512", "11008", "4096"), GEMM_AXES},
    {"int8_gemm 1024",
     "int8_gemm",
     "cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N)",
     {"M=1024", "N=1024", "K=1024", "a=i8[M,K]:random:1", "b=i8[N,K]:random:2", "c=f16[M,N]",
      "a_scale=f32[M]:fill:0.01", "b_scale=f32[N]:fill:0.01"},
     GEMM_AXES},
    {"attention 2048, D=64",
     "attention",
     "cdiv(queries,BLOCK_M),heads",
     {"heads=16", "kv_heads=2", "queries=2048", "keys=2048", "scale=0.125",
      "q=f16[16,2048,64]:random:1", "k=f16[2,2048,64]:random:2", "v=f16[2,2048,64]:random:3",
      "out=f16[16,2048,64]", "sums=f32[16,2048]"},
     {{"BLOCK_M", {"16", "32", "64", "128", "256"}},
      {"BLOCK_N", {"16", "32", "64", "128"}},
      {"num_warps", {"1", "2", "4", "8"}},
      {"num_stages", {"1", "2", "3"}},
      {"waves_per_eu", {"0", "1", "2"}},
      {"D", {"64"}},
      {"CAUSAL", {"false"}}}},
    {"layernorm 8192x4000",
     "layernorm",
     "8192",
     {"columns=4000", "stride=4000", "eps=1e-5", "in=f16[8192,4000]:random:1",
      "weight=f16[4000]:random:2", "bias=f16[4000]:random:3", "out=f16[8192,4000]"},
     {{"BLOCK", {"256", "512", "1024", "2048", "4096"}},
      {"num_warps", {"1", "2", "4", "8", "16"}},
      {"num_stages", {"1", "2", "3", "4"}},
      {"waves_per_eu", {"0", "1", "2", "4"}}}},
};

static void must(kiln_status_t status)
{
    if (!status)
        return;
    fprintf(stderr, "bench_tune: %s\n", kiln_status_format(status));
    exit(1);
}

typedef struct outcome {
    double cost, ms;
    size_t tried, count;
} outcome_t;

static outcome_t search(kiln_tune_problem_t *problem, kiln_tune_strategy_t strategy, uint64_t seed)
{
    kiln_tune_result_t *result;
    problem->strategy = strategy;
    problem->seed = seed;
    outcome_t outcome = {.ms = -kiln_now_ms()};
    kiln_status_t status = kiln_tune(problem, &result);
    outcome.ms += kiln_now_ms();
    if (kiln_status_code(status) == KILN_STATUS_MISMATCH) { // what was tried does not run
        kiln_status_free(status);
        outcome.cost = INFINITY;
        return outcome;
    }
    must(status);
    outcome.count = kiln_tune_result_count(result);
    outcome.cost = kiln_tune_result_sample(result, 0)->cost;
    for (size_t i = 0; i < outcome.count; i++)
        outcome.tried += kiln_tune_result_sample(result, i)->verdict != KILN_TUNE_UNTRIED;
    kiln_tune_result_release(result);
    return outcome;
}

// By the model alone: the ratio of the best of its first `budget` choices.
static double model(kiln_tune_problem_t *problem, size_t budget, double best, outcome_t *out)
{
    kiln_tune_problem_t chosen = *problem;
    chosen.budget = budget;
    *out = search(&chosen, KILN_TUNE_MODEL, 0);
    return best / out->cost;
}

// The mean ratio over the seeds, and the worst one.
static void compare(kiln_tune_problem_t *problem, kiln_tune_strategy_t strategy, double best,
                    double *out_mean, double *out_worst, outcome_t *out_last)
{
    *out_mean = 0;
    *out_worst = INFINITY;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        *out_last = search(problem, strategy, seed);
        *out_mean += best / out_last->cost / SEEDS;
        *out_worst = fmin(*out_worst, best / out_last->cost);
    }
}

static void run(kiln_device_t *device, const row_t *row)
{
    kiln_tune_problem_t problem;
    kiln_arguments_t *arguments;
    kiln_tune_runner_t *runner;
    kiln_tune_axis_t axes[MAX_AXES];
    char path[256], *text;
    kiln_tune_problem_initialize(&problem);
    snprintf(path, sizeof path, "%s/%s.tile.c", KILN_EXAMPLES_DIR, row->file);
    must(kiln_file_read(path, &text, &problem.source.length));
    must(kiln_arguments_create(device, &arguments));
    for (size_t i = 0; i < MAX_WORDS && row->words[i]; i++)
        must(kiln_arguments_add(arguments, row->words[i]));
    must(kiln_tune_runner_create(arguments, row->grid, NULL, 0, &runner));
    for (; problem.axis_count < MAX_AXES && row->axes[problem.axis_count].name;
         problem.axis_count++) {
        kiln_tune_axis_t *axis = &axes[problem.axis_count];
        *axis = (kiln_tune_axis_t){.name = row->axes[problem.axis_count].name,
                                   .values = row->axes[problem.axis_count].values};
        while (axis->value_count < MAX_VALUES && axis->values[axis->value_count])
            axis->value_count++;
    }
    problem.source.stage = KILN_STAGE_TILE;
    problem.source.name = path;
    problem.source.text = text;
    problem.device = device;
    problem.axes = axes;
    problem.prepare = kiln_tune_runner_prepare;
    problem.plan = kiln_tune_runner_plan;
    problem.verify = kiln_tune_runner_verify;
    problem.user = runner;
    const outcome_t all = search(&problem, KILN_TUNE_EXHAUSTIVE, 0);
    double guided, guided_worst, drawn, drawn_worst;
    outcome_t last, other;
    outcome_t first, eight;
    const double alone = model(&problem, 1, all.cost, &first),
                 of_eight = model(&problem, 8, all.cost, &eight);
    compare(&problem, KILN_TUNE_GUIDED, all.cost, &guided, &guided_worst, &last);
    compare(&problem, KILN_TUNE_RANDOM, all.cost, &drawn, &drawn_worst, &other);
    printf("%-22s %6zu %7.1f %10.0f %7.2f %6.3f %6.3f %6zu %7.1f %8.3f %6.3f %8.3f %6.3f\n",
           row->name, all.count, all.ms / 1e3, all.cost, first.ms / 1e3, alone, of_eight,
           last.tried, last.ms / 1e3, guided, guided_worst, drawn, drawn_worst);
    fflush(stdout);
    kiln_tune_runner_release(runner);
    kiln_arguments_release(arguments);
    free(text);
}

// The time of a repeated lookup.
static void look_up(void)
{
    enum { COUNT = 1000000 };
    char path[] = "/tmp/kiln-bench-tune-XXXXXX", file[64], *config;
    kiln_tune_store_t *store;
    if (!mkdtemp(path))
        return;
    snprintf(file, sizeof file, "%s/tune.db", path);
    must(kiln_tune_store_open(file, &store));
    const kiln_tune_key_t key = {"gemm", "0123456789abcdef0123456789abcdef",
                                 "gfx942:AMD Instinct MI300X (Kiln simulator):304:sim",
                                 "K=4096,M=4096,N=4096,lda=4096,ldb=4096,ldc=4096", ""};
    must(kiln_tune_store_put(store, &key, "BLOCK_K=64 BLOCK_M=128 BLOCK_N=128 num_warps=4",
                             KILN_COST_PREDICTED_NANOSECONDS, 1, KILN_TUNE_VERIFIED));
    const kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                             .kernel = key.kernel,
                                             .problem = key.problem,
                                             .device = key.device,
                                             .arguments = key.arguments};
    const double begin = kiln_now_ms();
    for (int i = 0; i < COUNT; i++) {
        must(kiln_tune_lookup(&request, store, &config));
        free(config);
    }
    printf("a repeated lookup: %.0f ns\n", (kiln_now_ms() - begin) * 1e6 / COUNT);
    kiln_tune_store_release(store);
    unlink(file);
    rmdir(path);
}

int main(int argc, char **argv)
{
    kiln_device_t *device;
    const kiln_sim_setting_t settings[] = {{"clock", "only"}, {"caches", "warm"}};
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_settings = settings;
    options.sim_setting_count = sizeof settings / sizeof *settings;
    must(kiln_device_open(&options, &device));
    printf("%-22s %6s %7s %10s %7s %6s %6s %6s %7s %8s %6s %8s %6s\n", "problem", "all", "s",
           "best ns", "s", "model", "of 8", "tried", "s", "guided", "worst", "random", "worst");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (argc < 2 || strstr(rows[i].name, argv[1]))
            run(device, &rows[i]);
    kiln_device_release(device);
    look_up();
    return 0;
}
