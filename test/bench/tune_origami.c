// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Origami chooses a tile. The options of the compiler it does not know, so the tile is costed with
// those that tritonBLAS gives all of its kernels, 8 waves and 2 stages, and with the best of the
// space. The order of programs that it also chooses is not an axis here.
//
// A quick comparison searches nothing: beside Origami's tile with tritonBLAS's options stands its
// tile with the options of Kiln's model, and what that model alone chooses.
#include "tune_origami.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kiln/tune.h"

// How the kernels of tune_problems.def read their operands, in Origami's words, and K's tile if it
// is no axis.
typedef struct kind {
    const char *file, *type, *out, *transpose_b, *tile_k;
} kind_t;

static const kind_t kinds[] = {{"gemm", "Half", "Half", "T", NULL},
                               {"int8_gemm", "Int8", "Half", "N", NULL},
                               {"fp8_gemm", "Float8_fnuz", "BFloat16", "N", "128"}};
static const char *const tile_axes[] = {"BLOCK_M", "BLOCK_N", "BLOCK_K"};

enum { SIDES = 3, TEXT = 64 };

typedef struct comparison {
    const char *python;
    double model, with_options, best_options; // sums of ratios
    double worst_model, worst_with_options, worst_best_options;
    size_t count;
    bool is_quick;
} comparison_t;

static const kind_t *kind_of(const row_t *row)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(row->file, kinds[i].file) == 0)
            return &kinds[i];
    return NULL;
}

static const kiln_tune_axis_t *axis(const kiln_tune_problem_t *problem, const char *name)
{
    for (size_t i = 0; i < problem->axis_count; i++)
        if (strcmp(problem->axes[i].name, name) == 0)
            return &problem->axes[i];
    return NULL;
}

// Asks for a tile among all that the axes have. False: it takes none of them.
static bool ask(const char *python, const row_t *row, const kiln_tune_problem_t *problem,
                char tile[SIDES][16])
{
    const kind_t *kind = kind_of(row);
    const kiln_tune_axis_t *m = axis(problem, "BLOCK_M"), *n = axis(problem, "BLOCK_N"),
                           *k = axis(problem, "BLOCK_K");
    char *command;
    size_t size;
    FILE *text = open_memstream(&command, &size);
    if (!text)
        bench_must(kiln_status_out_of_memory());
    fprintf(text, "'%s' " KILN_BENCH_DIR "/origami_choice.py %s %s %s", python, kind->type,
            kind->out, kind->transpose_b);
    for (int i = 0; i < SIDES; i++) // "M=1024"
        fprintf(text, " %s", row->words[i] + 2);
    for (size_t a = 0; a < m->value_count; a++)
        for (size_t b = 0; b < n->value_count; b++)
            for (size_t c = 0; c < (k ? k->value_count : 1); c++)
                fprintf(text, " %sx%sx%s", m->values[a], n->values[b],
                        k ? k->values[c] : kind->tile_k);
    if (fclose(text) != 0)
        bench_must(kiln_status_out_of_memory());
    FILE *answer = popen(command, "r");
    const bool found =
        answer && fscanf(answer, "%15s %15s %15s", tile[0], tile[1], tile[2]) == SIDES;
    if (!answer || pclose(answer) != 0 || !found) {
        fprintf(stderr, "bench_tune: Origami has no answer: %s\n", command);
        exit(1);
    }
    free(command);
    return strcmp(tile[0], "-") != 0;
}

// The least cost of a search. The model's one choice would be hidden by what a store has.
static double search(kiln_tune_problem_t problem, kiln_tune_strategy_t strategy)
{
    kiln_tune_result_t *result;
    problem.strategy = strategy;
    problem.recall = KILN_TUNE_RECALL_ALL;
    if (strategy == KILN_TUNE_MODEL) {
        problem.budget = 1;
        problem.store = NULL;
    }
    bench_must(kiln_tune(&problem, &result));
    const double cost = kiln_tune_result_sample(result, 0)->cost;
    kiln_tune_result_release(result);
    return cost;
}

// A problem some of whose axes have one value.
typedef struct narrowed {
    kiln_tune_problem_t problem;
    kiln_tune_axis_t axes[ROW_AXES];
    const char *values[ROW_AXES];
    char arguments[TEXT];
} narrowed_t;

static void fix(narrowed_t *n, const char *name, const char *value)
{
    for (size_t i = 0; i < n->problem.axis_count; i++)
        if (strcmp(n->axes[i].name, name) == 0) {
            n->values[i] = value;
            n->axes[i].values = &n->values[i];
            n->axes[i].value_count = 1;
        }
}

static void fix_tile(narrowed_t *n, const kiln_tune_problem_t *problem, char tile[SIDES][16])
{
    n->problem = *problem;
    memcpy(n->axes, problem->axes, problem->axis_count * sizeof *n->axes);
    n->problem.axes = n->axes;
    snprintf(n->arguments, sizeof n->arguments, "%s tile", problem->arguments);
    n->problem.arguments = n->arguments; // not known to the search
    for (int side = 0; side < SIDES; side++)
        fix(n, tile_axes[side], tile[side]);
}

// Without searching: the costs of a tile with the model's options, and with tritonBLAS's.
static void cost_tile_quickly(const kiln_tune_problem_t *given, char tile[SIDES][16],
                              double *out_best, double *out_with_options)
{
    narrowed_t n;
    fix_tile(&n, given, tile);
    *out_best = search(n.problem, KILN_TUNE_MODEL);
    fix(&n, "num_warps", "8");
    fix(&n, "num_stages", "2");
    fix(&n, "waves_per_eu", "0");
    *out_with_options = search(n.problem, KILN_TUNE_EXHAUSTIVE);
}

// The least costs of a tile: of all options, and of tritonBLAS's.
static void cost_tile(const kiln_tune_problem_t *given, char tile[SIDES][16], double *out_best,
                      double *out_with_options)
{
    narrowed_t n;
    fix_tile(&n, given, tile);
    kiln_tune_problem_t problem = n.problem;
    kiln_tune_result_t *result;
    problem.strategy = KILN_TUNE_EXHAUSTIVE;
    problem.recall = KILN_TUNE_RECALL_ALL;
    bench_must(kiln_tune(&problem, &result));
    *out_best = *out_with_options = INFINITY;
    for (size_t i = 0; i < kiln_tune_result_count(result); i++) {
        const kiln_tune_sample_t *sample = kiln_tune_result_sample(result, i);
        const char *config = sample->candidate->config;
        if (sample->verdict != KILN_TUNE_OK)
            continue;
        *out_best = fmin(*out_best, sample->cost);
        if (bench_setting(config, "num_warps") == 8 && bench_setting(config, "num_stages") == 2 &&
            bench_setting(config, "waves_per_eu") == 0)
            *out_with_options = fmin(*out_with_options, sample->cost);
    }
    kiln_tune_result_release(result);
}

static void add(double ratio, double *sum, double *worst, size_t count)
{
    *sum += ratio;
    *worst = count ? fmin(*worst, ratio) : ratio;
}

static void compare(const row_t *row, const kiln_tune_problem_t *problem, void *user)
{
    comparison_t *c = user;
    char tile[SIDES][16];
    double best_options = INFINITY, with_options = INFINITY;
    const bool has_tile = ask(c->python, row, problem, tile);
    const double model = search(*problem, KILN_TUNE_MODEL),
                 guided = c->is_quick ? NAN : search(*problem, KILN_TUNE_GUIDED);
    if (has_tile)
        (c->is_quick ? cost_tile_quickly : cost_tile)(problem, tile, &best_options, &with_options);
    const double best = fmin(fmin(guided, model), fmin(best_options, with_options));
    printf("%-24s %9.0f %7.3f %7.3f %4sx%sx%-4s %8.3f %8.3f\n", row->name, best, best / guided,
           best / model, tile[0], tile[1], tile[2], best / with_options, best / best_options);
    fflush(stdout);
    if (!has_tile)
        return;
    add(best / model, &c->model, &c->worst_model, c->count);
    add(best / with_options, &c->with_options, &c->worst_with_options, c->count);
    add(best / best_options, &c->best_options, &c->worst_best_options, c->count);
    c->count++;
}

void bench_compare_origami(kiln_device_t *device, kiln_tune_store_t *store, const char *python,
                           const char *part, bool is_quick)
{
    comparison_t c = {.python = python, .is_quick = is_quick};
    printf("%-24s %9s %7s %7s %12s %8s %8s\n", "problem", "best ns", "guided", "model", "Origami",
           "8 waves", is_quick ? "model's" : "any");
    for (size_t i = 0; i < bench_row_count; i++)
        if (kind_of(&bench_rows[i]) && strstr(bench_rows[i].name, part))
            bench_with_row(device, store, &bench_rows[i], compare, &c);
    if (!c.count)
        return;
    const double count = (double)c.count;
    printf("%-24s %9s %7s %7.3f %12s %8.3f %8.3f\n", "mean", "", "", c.model / count, "",
           c.with_options / count, c.best_options / count);
    printf("%-24s %9s %7s %7.3f %12s %8.3f %8.3f\n", "worst", "", "", c.worst_model, "",
           c.worst_with_options, c.worst_best_options);
}
