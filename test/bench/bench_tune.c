// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strategies of the tuner: ./dev bench tune [--store=FILE] [--replay] [NAME-PART]
//
// Searches the whole space of each problem (tune_problems.def) and then determines what the guided
// and the random strategy with their default budgets and several seeds would have found, and the
// model: its first choice alone, and the best of its first eight. Costs are predicted by the
// simulator's clock, which executes only what it needs, so nothing is verified. A ratio is the best
// predicted time of the exhaustive search divided by that of the strategy: 1 is the best there is.
// "tried" and "launch" are the most candidates that the guided search compiles and launches. At the
// end a lookup is timed.
//
// The strategies are replayed on the costs that are known, which is the same as searching because
// costs are deterministic; unless --replay is given, one guided search is run to see that it is,
// and how long it takes. With a store, samples are kept and taken from it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "estimates.h"
#include "kiln/tune_runner.h"
#include "search.h"
#include "space.h"
#include "trials.h"

enum { SEEDS = 10, MAX_WORDS = 16, MAX_AXES = 8, MAX_VALUES = 8 };

typedef struct row {
    const char *name, *file, *grid; // grid NULL: the declared one
    const char *words[MAX_WORDS];
    struct {
        const char *name, *values[MAX_VALUES];
    } axes[MAX_AXES];
} row_t;

// clang-format off
#define SHAPE(m, n, k) "M=" m, "N=" n, "K=" k
#define BLOCKS                                                                                     \
    {"BLOCK_M", {"16", "32", "64", "128", "256"}}, {"BLOCK_N", {"32", "64", "128", "256"}}
#define OPTIONS(...) {"num_warps", {__VA_ARGS__}}, {"num_stages", {"1", "2", "3"}}
#define GEMM_AXES {BLOCKS, {"BLOCK_K", {"32", "64", "128"}}, OPTIONS("2", "4", "8")}

static const row_t rows[] = {
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

static void must(kiln_status_t status)
{
    if (!status)
        return;
    fprintf(stderr, "bench_tune: %s\n", kiln_status_format(status));
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        must(kiln_status_out_of_memory());
    return memory;
}

// A problem whose costs are known -----------------------------------------------------------------

typedef struct costs {
    kiln_tune_candidate_t *candidates; // in the order of the axes
    kiln_tune_sample_t *samples;       // with estimates
    double *costs;                     // 0: rejected
    char (*launches)[33];              // hashes of code and arguments
    unsigned *spills;                  // registers in memory
    size_t count;
    double best, ms;
} costs_t;

static void list_candidates(const kiln_tune_problem_t *problem, costs_t *all)
{
    kiln_space_walk_t walk;
    must(kiln_space_walk_begin(problem, &walk));
    all->candidates = allocate(walk.count + 1, sizeof *all->candidates);
    all->samples = allocate(walk.count + 1, sizeof *all->samples);
    all->costs = allocate(walk.count + 1, sizeof *all->costs);
    all->launches = allocate(walk.count + 1, sizeof *all->launches);
    all->spills = allocate(walk.count + 1, sizeof *all->spills);
    for (bool found = true; found;) {
        must(kiln_space_walk_next(&walk, &all->candidates[all->count], &found));
        if (found)
            all->count++;
    }
    kiln_space_walk_free(&walk);
    for (size_t i = 0; i < all->count; i++)
        all->samples[i].candidate = &all->candidates[i];
}

static void search_all(kiln_tune_problem_t problem, costs_t *all)
{
    kiln_tune_result_t *result;
    problem.strategy = KILN_TUNE_EXHAUSTIVE;
    problem.recall = KILN_TUNE_RECALL_ALL;
    all->ms = -kiln_now_ms();
    must(kiln_tune(&problem, &result));
    all->ms += kiln_now_ms();
    for (size_t r = 0; r < kiln_tune_result_count(result); r++) {
        const kiln_tune_sample_t *sample = kiln_tune_result_sample(result, r);
        const kiln_trial_t *trial = &result->trials[sample->candidate - result->candidates];
        for (size_t i = 0; i < all->count && sample->verdict == KILN_TUNE_OK; i++) {
            if (strcmp(all->candidates[i].config, sample->candidate->config) != 0)
                continue;
            all->costs[i] = sample->cost;
            all->spills[i] = kiln_trials_spills(&trial->resources);
            if (sample->is_recalled)
                snprintf(all->launches[i], sizeof all->launches[i], "%s", trial->recalled.launch);
            else
                kiln_hash_format(trial->launch, all->launches[i]);
        }
    }
    all->best = kiln_tune_result_sample(result, 0)->cost;
    kiln_tune_result_release(result);
}

static costs_t learn(const kiln_tune_problem_t *problem)
{
    costs_t all = {0};
    kiln_tune_problem_t modelled = *problem;
    modelled.strategy = KILN_TUNE_MODEL;
    list_candidates(problem, &all);
    search_all(*problem, &all);
    must(kiln_tune_estimate_all(&modelled, all.candidates, all.count, 0, all.samples));
    return all;
}

static void free_costs(costs_t *all)
{
    for (size_t i = 0; i < all->count; i++)
        kiln_space_candidate_free(&all->candidates[i]);
    free(all->candidates);
    free(all->samples);
    free(all->costs);
    free(all->launches);
    free(all->spills);
}

// Strategies --------------------------------------------------------------------------------------

typedef struct outcome {
    double cost; // infinite: nothing that was tried compiles
    size_t tried, launched;
} outcome_t;

// Whether a candidate that was tried before has the same code.
static bool is_known(const costs_t *all, const kiln_tune_sample_t *samples, size_t index)
{
    for (size_t i = 0; i < all->count; i++)
        if (i != index && samples[i].verdict == KILN_TUNE_OK && *all->launches[i] &&
            strcmp(all->launches[i], all->launches[index]) == 0)
            return true;
    return false;
}

// Whether a guided search leaves the candidate out, as trials.c does.
static bool is_left_out(const costs_t *all, const kiln_tune_sample_t *samples, size_t index)
{
    size_t best = all->count;
    for (size_t i = 0; i < all->count; i++)
        if (samples[i].verdict == KILN_TUNE_OK &&
            (best == all->count || all->costs[i] < all->costs[best]))
            best = i;
    return best < all->count &&
           all->spills[index] > all->spills[best] + KILN_TRIALS_TOLERATED_SPILLS;
}

static outcome_t replay(kiln_tune_problem_t problem, const costs_t *all)
{
    kiln_search_t *search;
    kiln_tune_sample_t *samples = allocate(all->count, sizeof *samples);
    bool *chosen = allocate(all->count, sizeof *chosen);
    outcome_t outcome = {.cost = INFINITY};
    for (size_t i = 0; i < all->count; i++) {
        samples[i] = all->samples[i];
        samples[i].verdict = KILN_TUNE_UNTRIED;
        if (problem.strategy == KILN_TUNE_RANDOM)
            samples[i].modelled_ns = 0;
    }
    must(kiln_search_create(&problem, all->candidates, samples, all->count, &search));
    for (size_t count = 1; count;) {
        must(kiln_search_next(search, chosen, &count));
        outcome.tried += count;
        for (size_t i = 0; i < all->count; i++) {
            if (!chosen[i])
                continue;
            const bool known = is_known(all, samples, i),
                       left_out = !known && problem.strategy == KILN_TUNE_GUIDED &&
                                  is_left_out(all, samples, i);
            outcome.launched += !left_out && !known;
            if (left_out || known)
                kiln_search_refund(search);
            samples[i].verdict = all->costs[i] > 0 && !left_out ? KILN_TUNE_OK : KILN_TUNE_REJECTED;
            samples[i].cost = all->costs[i];
            if (samples[i].verdict == KILN_TUNE_OK)
                outcome.cost = fmin(outcome.cost, all->costs[i]);
        }
    }
    kiln_search_release(search);
    free(samples);
    free(chosen);
    return outcome;
}

typedef struct summary {
    double sum, worst;
    size_t count, tried, launched; // the largest numbers
} summary_t;

static void add(summary_t *to, double ratio)
{
    to->worst = to->count ? fmin(to->worst, ratio) : ratio;
    to->sum += ratio;
    to->count++;
}

static double mean(const summary_t *summary)
{
    return summary->count ? summary->sum / (double)summary->count : 0;
}

static summary_t replay_seeds(kiln_tune_problem_t problem, kiln_tune_strategy_t strategy,
                              const costs_t *all)
{
    summary_t summary = {0};
    problem.strategy = strategy;
    for (problem.seed = 0; problem.seed < SEEDS; problem.seed++) {
        const outcome_t outcome = replay(problem, all);
        add(&summary, all->best / outcome.cost);
        summary.tried = outcome.tried > summary.tried ? outcome.tried : summary.tried;
        if (outcome.launched > summary.launched)
            summary.launched = outcome.launched;
    }
    return summary;
}

// By the model alone: the ratio of the best of its first `budget` choices.
static double choose(kiln_tune_problem_t problem, size_t budget, const costs_t *all)
{
    problem.strategy = KILN_TUNE_MODEL;
    problem.budget = budget;
    return all->best / replay(problem, all).cost;
}

// Runs a guided search; its seconds.
static double time_guided(kiln_tune_problem_t problem, const costs_t *all)
{
    kiln_tune_result_t *result;
    problem.strategy = KILN_TUNE_GUIDED;
    problem.store = NULL;
    const double begin = kiln_now_ms();
    must(kiln_tune(&problem, &result));
    const double seconds = (kiln_now_ms() - begin) / 1e3;
    if (kiln_tune_result_sample(result, 0)->cost != replay(problem, all).cost)
        printf("the next search differs from its replay\n");
    kiln_tune_result_release(result);
    return seconds;
}

// The benchmark -----------------------------------------------------------------------------------

// What the JIT would know of the arguments. Names are borrowed from them.
static kiln_arg_hint_t *hint(const kiln_arguments_t *arguments, size_t *out_count)
{
    const kiln_jit_argument_t *values = kiln_arguments_values(arguments, out_count);
    kiln_arg_hint_t *hints = allocate(*out_count + 1, sizeof *hints);
    for (size_t i = 0; i < *out_count; i++)
        hints[i] = kiln_jit_argument_hint(&values[i]);
    return hints;
}

typedef struct totals {
    summary_t model, of_eight, guided, random;
} totals_t;

static void add_row(totals_t *totals, const row_t *row, const kiln_tune_problem_t *problem,
                    bool is_timed)
{
    costs_t all = learn(problem);
    const double seconds = is_timed ? time_guided(*problem, &all) : NAN,
                 alone = choose(*problem, 1, &all), of_eight = choose(*problem, 8, &all);
    const summary_t guided = replay_seeds(*problem, KILN_TUNE_GUIDED, &all),
                    drawn = replay_seeds(*problem, KILN_TUNE_RANDOM, &all);
    printf("%-36s %5zu %6.1f %9.0f %6.3f %6.3f %5zu %6zu %6.1f %6.3f %6.3f %6.3f %6.3f\n",
           row->name, all.count, all.ms / 1e3, all.best, alone, of_eight, guided.tried,
           guided.launched, seconds, mean(&guided), guided.worst, mean(&drawn), drawn.worst);
    fflush(stdout);
    add(&totals->model, alone);
    add(&totals->of_eight, of_eight);
    for (int i = 0; i < 2; i++) { // the mean of means, and the worst of all
        const summary_t *from = i ? &drawn : &guided;
        summary_t *to = i ? &totals->random : &totals->guided;
        const double worst = to->count ? fmin(to->worst, from->worst) : from->worst;
        add(to, mean(from));
        to->worst = worst;
    }
    free_costs(&all);
}

static void run(kiln_device_t *device, kiln_tune_store_t *store, const row_t *row, totals_t *totals,
                bool is_timed)
{
    kiln_tune_problem_t problem;
    kiln_arguments_t *arguments;
    kiln_tune_runner_t *runner;
    kiln_tune_axis_t axes[MAX_AXES];
    kiln_compile_options_t options;
    char path[256], *text;
    kiln_tune_problem_initialize(&problem);
    kiln_compile_options_initialize(&options);
    snprintf(path, sizeof path, "%s/%s.tile.c", KILN_EXAMPLES_DIR, row->file);
    must(kiln_file_read(path, &text, &problem.source.length));
    must(kiln_arguments_create(device, &arguments));
    for (size_t i = 0; i < MAX_WORDS && row->words[i]; i++)
        must(kiln_arguments_add(arguments, row->words[i]));
    must(kiln_tune_runner_create(arguments, row->grid, NULL, 0, &runner));
    kiln_arg_hint_t *hints = hint(arguments, &options.arg_count);
    options.args = hints;
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
    problem.options = &options;
    problem.device = device;
    problem.axes = axes;
    problem.prepare = kiln_tune_runner_prepare;
    problem.plan = kiln_tune_runner_plan;
    problem.verify = kiln_tune_runner_verify;
    problem.user = runner;
    problem.store = store;
    problem.arguments = row->name;
    add_row(totals, row, &problem, is_timed);
    free(hints);
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
    kiln_tune_store_t *store = NULL;
    totals_t totals = {0};
    bool is_timed = true;
    const char *part = "", store_flag[] = "--store=";
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], store_flag, sizeof store_flag - 1) == 0)
            must(kiln_tune_store_open(argv[i] + sizeof store_flag - 1, &store));
        else if (strcmp(argv[i], "--replay") == 0)
            is_timed = false;
        else
            part = argv[i];
    const kiln_sim_setting_t settings[] = {{"clock", "only"}, {"caches", "warm"}};
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_settings = settings;
    options.sim_setting_count = sizeof settings / sizeof *settings;
    must(kiln_device_open(&options, &device));
    printf("%-36s %5s %6s %9s %6s %6s %5s %6s %6s %6s %6s %6s %6s\n", "problem", "all", "s",
           "best ns", "model", "of 8", "tried", "launch", "s", "guided", "worst", "random",
           "worst");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strstr(rows[i].name, part))
            run(device, store, &rows[i], &totals, is_timed);
    printf("%-36s %5s %6s %9s %6.3f %6.3f %5s %6s %6s %6.3f %6.3f %6.3f %6.3f\n", "mean", "", "",
           "", mean(&totals.model), mean(&totals.of_eight), "", "", "", mean(&totals.guided),
           totals.guided.worst, mean(&totals.random), totals.random.worst);
    printf("worst of the model: %.3f, of its first eight: %.3f\n", totals.model.worst,
           totals.of_eight.worst);
    kiln_device_release(device);
    kiln_tune_store_release(store);
    look_up();
    return 0;
}
