// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strategies of the tuner: ./dev bench tune [--store=FILE] [--replay] [--within=R] [NAME-PART]
//
//     --within=R        leaves out candidates that the model estimates at more than R times its
//                       least estimate, in all searches
//     --bars            instead times whole searches of the kiln command (tune_bars.c)
//     --origami=PYTHON  instead compares with Origami's choice for the GEMMs (tune_origami.c); in
//                       this Python `import origami` works: pip install rocm-origami, which needs
//                       ROCm's CMake files, or its sources compiled with Debian's HIP headers;
//                       with --quick only what the two models choose, without searches
//     --vllm=CHECKOUT   instead compares with vLLM's tables for MI300X (tune_vllm.c), whose names
//                       contain NAME-PART
//     --registers=N     instead compares the model's registers with those of N candidates for each
//                       kernel (tune_registers.c)
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
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "estimates.h"
#include "search.h"
#include "space.h"
#include "trials.h"
#include "tune_bars.h"
#include "tune_origami.h"
#include "tune_registers.h"
#include "tune_rows.h"
#include "tune_vllm.h"

enum { SEEDS = 10 };

// A problem whose costs are known -----------------------------------------------------------------

typedef struct costs {
    kiln_tune_candidate_t *candidates; // in the order of the axes
    kiln_tune_sample_t *samples;       // with estimates
    double *costs;                     // 0: rejected
    char (*launches)[33];              // hashes of code and arguments
    unsigned *spills;                  // registers in memory
    size_t count, launched;
    double within; // of the least estimate; 0: all are launched
    double best, ms;
} costs_t;

static void list_candidates(const kiln_tune_problem_t *problem, costs_t *all)
{
    kiln_space_walk_t walk;
    bench_must(kiln_space_walk_begin(problem, &walk));
    all->candidates = bench_allocate(walk.count + 1, sizeof *all->candidates);
    all->samples = bench_allocate(walk.count + 1, sizeof *all->samples);
    all->costs = bench_allocate(walk.count + 1, sizeof *all->costs);
    all->launches = bench_allocate(walk.count + 1, sizeof *all->launches);
    all->spills = bench_allocate(walk.count + 1, sizeof *all->spills);
    for (bool found = true; found;) {
        bench_must(kiln_space_walk_next(&walk, &all->candidates[all->count], &found));
        if (found)
            all->count++;
    }
    kiln_space_walk_free(&walk);
    for (size_t i = 0; i < all->count; i++)
        all->samples[i].candidate = &all->candidates[i];
}

// Admits what the model estimates at no more than `within` times its least estimate.
static kiln_status_t admit(const kiln_tune_candidate_t *candidate, bool *out_is_candidate,
                           void *user)
{
    const costs_t *all = user;
    double least = INFINITY, own = 0;
    for (size_t i = 0; i < all->count; i++) {
        const double estimate = all->samples[i].modelled_ns;
        least = estimate > 0 ? fmin(least, estimate) : least;
        if (strcmp(all->candidates[i].config, candidate->config) == 0)
            own = estimate;
    }
    *out_is_candidate = own > 0 && own <= all->within * least;
    return KILN_OK;
}

static void search_all(kiln_tune_problem_t problem, costs_t *all)
{
    kiln_tune_result_t *result;
    problem.strategy = KILN_TUNE_EXHAUSTIVE;
    problem.admit = all->within > 0 ? admit : NULL;
    problem.admit_user = all;
    problem.recall = KILN_TUNE_RECALL_ALL;
    all->ms = -kiln_now_ms();
    bench_must(kiln_tune(&problem, &result));
    all->ms += kiln_now_ms();
    all->launched = kiln_tune_result_count(result);
    for (size_t r = 0; r < all->launched; r++) {
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

static costs_t learn(const kiln_tune_problem_t *problem, double within)
{
    costs_t all = {.within = within};
    kiln_tune_problem_t modelled = *problem;
    modelled.strategy = KILN_TUNE_MODEL;
    list_candidates(problem, &all);
    bench_must(kiln_tune_estimate_all(&modelled, all.candidates, all.count, 0, all.samples));
    search_all(*problem, &all);
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
    kiln_tune_sample_t *samples = bench_allocate(all->count, sizeof *samples);
    bool *chosen = bench_allocate(all->count, sizeof *chosen);
    outcome_t outcome = {.cost = INFINITY};
    for (size_t i = 0; i < all->count; i++) {
        samples[i] = all->samples[i];
        samples[i].verdict = KILN_TUNE_UNTRIED;
        if (problem.strategy == KILN_TUNE_RANDOM)
            samples[i].modelled_ns = 0;
    }
    bench_must(kiln_search_create(&problem, all->candidates, samples, all->count, &search));
    for (size_t count = 1; count;) {
        bench_must(kiln_search_next(search, chosen, &count));
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
    bench_must(kiln_tune(&problem, &result));
    const double seconds = (kiln_now_ms() - begin) / 1e3;
    if (kiln_tune_result_sample(result, 0)->cost != replay(problem, all).cost)
        printf("the next search differs from its replay\n");
    kiln_tune_result_release(result);
    return seconds;
}

// The benchmark -----------------------------------------------------------------------------------

typedef struct totals {
    summary_t model, of_eight, guided, random;
    double within;
    bool is_timed;
} totals_t;

static void add_row(const row_t *row, const kiln_tune_problem_t *problem, void *user)
{
    totals_t *totals = user;
    costs_t all = learn(problem, totals->within);
    const double seconds = totals->is_timed ? time_guided(*problem, &all) : NAN,
                 alone = choose(*problem, 1, &all), of_eight = choose(*problem, 8, &all);
    const summary_t guided = replay_seeds(*problem, KILN_TUNE_GUIDED, &all),
                    drawn = replay_seeds(*problem, KILN_TUNE_RANDOM, &all);
    printf("%-36s %5zu %5zu %6.1f %9.0f %6.3f %6.3f %5zu %6zu %6.1f %6.3f %6.3f %6.3f %6.3f\n",
           row->name, all.count, all.launched, all.ms / 1e3, all.best, alone, of_eight,
           guided.tried, guided.launched, seconds, mean(&guided), guided.worst, mean(&drawn),
           drawn.worst);
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

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// The CPU time of a repeated lookup: other work on the machine is not counted.
static void look_up(void)
{
    enum { COUNT = 1000000 };
    char path[] = "/tmp/kiln-bench-tune-XXXXXX", file[64], *config;
    kiln_tune_store_t *store;
    if (!mkdtemp(path))
        return;
    snprintf(file, sizeof file, "%s/tune.db", path);
    bench_must(kiln_tune_store_open(file, &store));
    const kiln_tune_key_t key = {"gemm", "0123456789abcdef0123456789abcdef",
                                 "gfx942:AMD Instinct MI300X (Kiln simulator):304:sim",
                                 "K=4096,M=4096,N=4096,lda=4096,ldb=4096,ldc=4096", ""};
    bench_must(kiln_tune_store_put(store, &key, "BLOCK_K=64 BLOCK_M=128 BLOCK_N=128 num_warps=4",
                                   KILN_COST_PREDICTED_NANOSECONDS, 1, KILN_TUNE_VERIFIED));
    const kiln_jit_tune_request_t request = {.struct_size = sizeof request,
                                             .kernel = key.kernel,
                                             .problem = key.problem,
                                             .device = key.device,
                                             .arguments = key.arguments};
    const double begin = cpu_ms();
    for (int i = 0; i < COUNT; i++) {
        bench_must(kiln_tune_lookup(&request, store, &config));
        free(config);
    }
    printf("a repeated lookup: %.0f ns of CPU time\n", (cpu_ms() - begin) * 1e6 / COUNT);
    kiln_tune_store_release(store);
    unlink(file);
    rmdir(path);
}

static kiln_device_t *open_device(void)
{
    const kiln_sim_setting_t settings[] = {{"clock", "only"}, {"caches", "warm"}};
    kiln_device_options_t options;
    kiln_device_t *device;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    options.sim_settings = settings;
    options.sim_setting_count = sizeof settings / sizeof *settings;
    bench_must(kiln_device_open(&options, &device));
    return device;
}

static void compare_strategies(kiln_device_t *device, kiln_tune_store_t *store, const char *part,
                               totals_t *totals)
{
    printf("%-36s %5s %5s %6s %9s %6s %6s %5s %6s %6s %6s %6s %6s %6s\n", "problem", "all", "tried",
           "s", "best ns", "model", "of 8", "tried", "launch", "s", "guided", "worst", "random",
           "worst");
    for (size_t i = 0; i < bench_row_count; i++)
        if (strstr(bench_rows[i].name, part))
            bench_with_row(device, store, &bench_rows[i], add_row, totals);
    printf("%-36s %5s %5s %6s %9s %6.3f %6.3f %5s %6s %6s %6.3f %6.3f %6.3f %6.3f\n", "mean", "",
           "", "", "", mean(&totals->model), mean(&totals->of_eight), "", "", "",
           mean(&totals->guided), totals->guided.worst, mean(&totals->random),
           totals->random.worst);
    printf("worst of the model: %.3f, of its first eight: %.3f\n", totals->model.worst,
           totals->of_eight.worst);
    look_up();
}

// The value of the flag "--name=VALUE", or NULL.
static const char *value_of(const char *word, const char *flag)
{
    const size_t length = strlen(flag);
    return strncmp(word, flag, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

int main(int argc, char **argv)
{
    kiln_tune_store_t *store = NULL;
    totals_t totals = {.is_timed = true};
    bool is_quick = false;
    const char *part = "", *origami = NULL, *vllm = NULL, *registers = NULL, *value;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bars") == 0) {
            bench_tune_bars();
            return 0;
        }
        if ((value = value_of(argv[i], "--store")))
            bench_must(kiln_tune_store_open(value, &store));
        else if ((value = value_of(argv[i], "--origami")))
            origami = value;
        else if ((value = value_of(argv[i], "--vllm")))
            vllm = value;
        else if ((value = value_of(argv[i], "--registers")))
            registers = value;
        else if ((value = value_of(argv[i], "--within")))
            totals.within = strtod(value, NULL);
        else if (strcmp(argv[i], "--quick") == 0)
            is_quick = true;
        else if (strcmp(argv[i], "--replay") == 0)
            totals.is_timed = false;
        else
            part = argv[i];
    }
    if (is_quick && !origami)
        bench_must(
            kiln_status_make(KILN_STATUS_USAGE, "--quick has no effect without --origami=PYTHON"));
    kiln_device_t *device = open_device();
    if (origami)
        bench_compare_origami(device, store, origami, part, is_quick);
    else if (vllm)
        bench_compare_vllm(device, store, vllm, part);
    else if (registers)
        bench_compare_registers(device, part, strtoul(registers, NULL, 10));
    else
        compare_strategies(device, store, part, &totals);
    kiln_device_release(device);
    kiln_tune_store_release(store);
    return 0;
}
