// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategies of a search, on an artificial cost over a space: which candidates they choose, and
// how good the result is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "search.h"
#include "space.h"
#include "surrogate.h"

#define VALUES(...)                                                                                \
    (const char *const[]){__VA_ARGS__},                                                            \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

enum { MAX = 1728 };

typedef struct space {
    kiln_tune_problem_t problem;
    kiln_tune_candidate_t candidates[MAX];
    kiln_tune_sample_t samples[MAX];
    bool chosen[MAX];
    size_t count, order[MAX], tried;
} space_t;

static const kiln_tune_axis_t axes[] = {{"M", VALUES("16", "32", "64", "128", "256", "512")},
                                        {"N", VALUES("16", "32", "64", "128", "256", "512")},
                                        {"K", VALUES("16", "32", "64", "128")},
                                        {"warps", VALUES("2", "4", "8")},
                                        {"stages", VALUES("1", "2", "3", "4")}};

static double number(const kiln_tune_candidate_t *candidate, size_t axis)
{
    return log2(strtod(candidate->settings[axis].value, NULL));
}

// A cost like a GEMM's: memory traffic falls with the tile, waves need work, stages need LDS, and a
// tile that is too large for its waves spills. 0: does not fit.
static double cost_of(const kiln_tune_candidate_t *candidate)
{
    const double m = number(candidate, 0), n = number(candidate, 1), k = number(candidate, 2),
                 warps = number(candidate, 3), stages = exp2(number(candidate, 4));
    const double lds = (exp2(m + k) + exp2(n + k)) * 2 * (stages > 1 ? stages - 1 : 1);
    if (lds > 65536)
        return 0;
    const double traffic = exp2(-m) + exp2(-n), registers = exp2(m + n - warps - 6);
    return 1000 * (1 + 20 * traffic) * (1 + 0.2 / stages) * (1 + 0.05 * fabs(k - 6)) *
           (registers > 256 ? 3 : 1 + fabs(log2(registers / 64)) / 10);
}

static space_t *make_space(kiln_tune_strategy_t strategy, uint64_t seed, size_t budget)
{
    space_t *space = calloc(1, sizeof *space);
    kiln_tune_problem_initialize(&space->problem);
    space->problem.axes = axes;
    space->problem.axis_count = sizeof axes / sizeof *axes;
    space->problem.strategy = strategy;
    space->problem.seed = seed;
    space->problem.budget = budget;
    assert_null(kiln_space_size(axes, space->problem.axis_count, &space->count));
    assert_int_equal(space->count, MAX);
    for (size_t i = 0; i < space->count; i++) {
        assert_null(
            kiln_space_candidate(axes, space->problem.axis_count, i, &space->candidates[i]));
        space->samples[i] =
            (kiln_tune_sample_t){.candidate = &space->candidates[i], .verdict = KILN_TUNE_UNTRIED};
    }
    return space;
}

static void free_space(space_t *space)
{
    for (size_t i = 0; i < space->count; i++)
        kiln_space_candidate_free(&space->candidates[i]);
    free(space);
}

static void explore(space_t *space, double (*cost)(const kiln_tune_candidate_t *))
{
    kiln_search_t *search;
    size_t count;
    assert_null(kiln_search_create(&space->problem, space->candidates, space->samples, space->count,
                                   &search));
    do {
        size_t seen = 0;
        assert_null(kiln_search_next(search, space->chosen, &count));
        for (size_t i = 0; i < space->count; i++) {
            if (!space->chosen[i])
                continue;
            assert_int_equal(space->samples[i].verdict, KILN_TUNE_UNTRIED);
            space->samples[i].cost = cost(&space->candidates[i]);
            space->samples[i].verdict =
                space->samples[i].cost > 0 ? KILN_TUNE_OK : KILN_TUNE_REJECTED;
            space->order[space->tried++] = i;
            seen++;
        }
        assert_int_equal(seen, count);
    } while (count);
    assert_true(space->tried <= kiln_search_budget(search));
    kiln_search_release(search);
}

static void a_guided_search_begins_with_a_given_candidate(void **state)
{
    (void)state;
    space_t *space = make_space(KILN_TUNE_GUIDED, 0, 20);
    bool chosen[MAX];
    kiln_search_t *search;
    size_t count;
    assert_null(kiln_search_create(&space->problem, space->candidates, space->samples, space->count,
                                   &search));
    kiln_search_begin_with(search, 77);
    assert_null(kiln_search_next(search, chosen, &count));
    assert_true(count == 1 && chosen[77]);
    space->samples[77].verdict = KILN_TUNE_REJECTED;
    assert_null(kiln_search_next(search, chosen, &count));
    assert_true(count > 1 && count < 20 && !chosen[77]);
    kiln_search_release(search);
    free_space(space);
}

static double best_of(const space_t *space)
{
    double best = INFINITY;
    for (size_t i = 0; i < space->count; i++)
        if (space->samples[i].verdict == KILN_TUNE_OK)
            best = fmin(best, space->samples[i].cost);
    return best;
}

static void exhaustive_search_takes_all_in_order(void **state)
{
    (void)state;
    space_t *space = make_space(KILN_TUNE_EXHAUSTIVE, 0, 0);
    explore(space, cost_of);
    assert_int_equal(space->tried, space->count);
    for (size_t i = 0; i < space->count; i++)
        assert_int_equal(space->order[i], i);
    free_space(space);
    space = make_space(KILN_TUNE_EXHAUSTIVE, 0, 100);
    space->samples[3].verdict = KILN_TUNE_REJECTED; // known from an earlier search
    explore(space, cost_of);
    assert_int_equal(space->tried, 100);
    assert_int_equal(space->order[99], 100);
    free_space(space);
}

static void guided_search_finds_good_candidates_early(void **state)
{
    (void)state;
    space_t *space = make_space(KILN_TUNE_EXHAUSTIVE, 0, 0);
    explore(space, cost_of);
    const double best = best_of(space);
    free_space(space);
    double guided = 0, drawn = 0;
    enum { SEEDS = 3 };
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        space = make_space(KILN_TUNE_GUIDED, seed, 0);
        explore(space, cost_of);
        assert_in_range(space->tried, 32, 173);
        assert_true(best_of(space) <= 1.02 * best);
        guided += best_of(space) / SEEDS;
        const size_t budget = space->tried;
        free_space(space);
        space = make_space(KILN_TUNE_RANDOM, seed, budget);
        explore(space, cost_of);
        assert_int_equal(space->tried, budget);
        drawn += best_of(space) / SEEDS;
        free_space(space);
    }
    assert_true(guided < drawn);
}

static void a_seed_decides_what_is_tried(void **state)
{
    (void)state;
    space_t *spaces[3];
    for (int i = 0; i < 3; i++) {
        spaces[i] = make_space(KILN_TUNE_GUIDED, i == 2 ? 8 : 7, 48);
        explore(spaces[i], cost_of);
    }
    assert_memory_equal(spaces[0]->order, spaces[1]->order, sizeof spaces[0]->order);
    assert_memory_not_equal(spaces[0]->order, spaces[2]->order, sizeof spaces[0]->order);
    for (int i = 0; i < 3; i++)
        free_space(spaces[i]);
}

static double fails(const kiln_tune_candidate_t *candidate)
{
    (void)candidate;
    return 0;
}

static double same(const kiln_tune_candidate_t *candidate)
{
    (void)candidate;
    return 5;
}

static void searches_end_where_nothing_can_be_learned(void **state)
{
    (void)state;
    space_t *space = make_space(KILN_TUNE_GUIDED, 0, 0);
    explore(space, fails);
    assert_int_equal(space->tried, 173); // all candidates, in random order
    free_space(space);
    space = make_space(KILN_TUNE_GUIDED, 0, 64);
    explore(space, same);
    assert_int_equal(space->tried, 64);
    free_space(space);
    space = make_space(KILN_TUNE_RANDOM, 0, 10 * MAX); // more than there are candidates
    explore(space, cost_of);
    assert_int_equal(space->tried, MAX);
    free_space(space);
}

// By default a guided search ends long before a tenth of a large space.
static void a_guided_budget_has_a_maximum(void **state)
{
    (void)state;
    enum { SIDE = 60, COUNT = SIDE * SIDE };
    static char text[SIDE][8];
    const char *values[SIDE];
    for (int i = 0; i < SIDE; i++) {
        snprintf(text[i], sizeof text[i], "%d", i);
        values[i] = text[i];
    }
    const kiln_tune_axis_t square[] = {{"A", values, SIDE}, {"B", values, SIDE}};
    kiln_tune_candidate_t *candidates = calloc(COUNT, sizeof *candidates);
    kiln_tune_sample_t *samples = calloc(COUNT, sizeof *samples);
    kiln_tune_problem_t problem;
    kiln_tune_problem_initialize(&problem);
    problem.axes = square;
    problem.axis_count = 2;
    for (size_t i = 0; i < COUNT; i++) {
        assert_null(kiln_space_candidate(square, 2, i, &candidates[i]));
        samples[i] = (kiln_tune_sample_t){.candidate = &candidates[i]};
    }
    const struct {
        kiln_tune_strategy_t strategy;
        size_t given, budget;
    } cases[] = {{KILN_TUNE_GUIDED, 0, 256},
                 {KILN_TUNE_GUIDED, 1000, 1000},
                 {KILN_TUNE_RANDOM, 0, 360},
                 {KILN_TUNE_EXHAUSTIVE, 0, COUNT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kiln_search_t *search;
        problem.strategy = cases[i].strategy;
        problem.budget = cases[i].given;
        assert_null(kiln_search_create(&problem, candidates, samples, COUNT, &search));
        assert_int_equal(kiln_search_budget(search), cases[i].budget);
        kiln_search_release(search);
    }
    for (size_t i = 0; i < COUNT; i++)
        kiln_space_candidate_free(&candidates[i]);
    free(candidates);
    free(samples);
}

// The mean passes through the samples, and the deviation grows with the distance from them.
static void a_surrogate_reproduces_its_samples(void **state)
{
    (void)state;
    const uint32_t points[] = {0, 2, 5, 9};
    const double values[] = {3, 2, 4, 8};
    const size_t size = 10;
    kiln_surrogate_t *surrogate;
    assert_null(kiln_surrogate_fit(points, values, 4, &size, 1, &surrogate));
    for (size_t i = 0; i < 4; i++) {
        double mean, deviation, other;
        kiln_surrogate_predict(surrogate, &points[i], &mean, &deviation);
        assert_true(fabs(mean - values[i]) < 0.2);
        const uint32_t between = 7;
        kiln_surrogate_predict(surrogate, &between, &mean, &other);
        assert_true(deviation < other);
    }
    const uint32_t a = 4, b = 4;
    assert_true(kiln_surrogate_similarity(surrogate, &a, &b) == 1);
    kiln_surrogate_release(surrogate);
}

// Estimates that are too low, each by another factor, but in about the right order.
static void add_estimates(space_t *space)
{
    for (size_t i = 0; i < space->count; i++) {
        const double cost = cost_of(&space->candidates[i]);
        if (cost > 0) // the others cannot be estimated
            space->samples[i].modelled_ns = cost / (2 + (double)(i % 7) / 50);
    }
}

static void the_model_takes_the_least_estimates(void **state)
{
    (void)state;
    space_t *space = make_space(KILN_TUNE_MODEL, 0, 0);
    add_estimates(space);
    explore(space, cost_of);
    assert_int_equal(space->tried, 8);
    double max = 0;
    for (size_t i = 0; i < space->count; i++)
        if (space->samples[i].verdict != KILN_TUNE_UNTRIED)
            max = fmax(max, space->samples[i].modelled_ns);
    for (size_t i = 0; i < space->count; i++)
        if (space->samples[i].verdict == KILN_TUNE_UNTRIED)
            assert_true(space->samples[i].modelled_ns == 0 || space->samples[i].modelled_ns >= max);
    free_space(space);
    space = make_space(KILN_TUNE_MODEL, 0, 3); // without estimates: the first ones
    explore(space, cost_of);
    assert_int_equal(space->tried, 3);
    assert_int_equal(space->order[2], 2);
    free_space(space);
}

// With a good model, a guided search needs fewer candidates.
// Four candidates that differ only in their stages have equal estimates: one of them is tried.
static void equal_estimates_are_tried_once(void **state)
{
    (void)state;
    enum { BUDGET = 8, EQUAL = 4 };
    space_t *space = make_space(KILN_TUNE_MODEL, 0, BUDGET);
    for (size_t i = 0; i < space->count; i++)
        space->samples[i].modelled_ns = 1000 + (double)((i / EQUAL * 7) % (MAX / EQUAL));
    explore(space, cost_of);
    assert_int_equal(space->tried, BUDGET);
    for (size_t i = 0; i < space->tried; i++) {
        assert_int_equal(space->order[i] % EQUAL, 0);
        assert_true(space->samples[space->order[i]].modelled_ns < 1000 + BUDGET);
    }
    free_space(space);

    space = make_space(KILN_TUNE_MODEL, 0, 3); // all are equal: the first ones
    for (size_t i = 0; i < space->count; i++)
        space->samples[i].modelled_ns = 1000;
    explore(space, cost_of);
    assert_int_equal(space->tried, 3);
    for (size_t i = 0; i < space->tried; i++)
        assert_int_equal(space->order[i], i);
    free_space(space);
}

static void estimates_guide_a_search(void **state)
{
    (void)state;
    space_t *space = make_space(KILN_TUNE_EXHAUSTIVE, 0, 0);
    explore(space, cost_of);
    const double best = best_of(space);
    free_space(space);
    for (uint64_t seed = 0; seed < 3; seed++) {
        space = make_space(KILN_TUNE_GUIDED, seed, 32);
        add_estimates(space);
        explore(space, cost_of);
        assert_true(best_of(space) <= 1.03 * best);
        free_space(space);
    }
    // One that orders them the other way round does harm, but is corrected.
    space = make_space(KILN_TUNE_GUIDED, 0, 0);
    for (size_t i = 0; i < space->count; i++)
        if (cost_of(&space->candidates[i]) > 0)
            space->samples[i].modelled_ns = 1e6 / cost_of(&space->candidates[i]);
    explore(space, cost_of);
    assert_true(best_of(space) <= 1.2 * best);
    free_space(space);
}

// Shards are disjoint, cover all, and depend on the set of candidates only.
static void shards_part_the_candidates(void **state)
{
    (void)state;
    const size_t axis_count = sizeof axes / sizeof *axes, shard_count = 7;
    bool seen[MAX] = {false};
    for (size_t shard = 1; shard <= shard_count; shard++) {
        kiln_tune_candidate_t candidates[MAX];
        size_t count = MAX, next = 0;
        for (size_t i = 0; i < MAX; i++)
            assert_null(kiln_space_candidate(axes, axis_count, i, &candidates[i]));
        assert_null(kiln_space_keep_shard(candidates, &count, shard, shard_count));
        assert_true(count == MAX / shard_count || count == MAX / shard_count + 1);
        for (size_t i = 0; i < MAX && next < count; i++) {
            kiln_tune_candidate_t candidate;
            assert_null(kiln_space_candidate(axes, axis_count, i, &candidate));
            if (strcmp(candidate.config, candidates[next].config) == 0) { // in this order
                assert_false(seen[i]);
                seen[i] = true;
                next++;
            }
            kiln_space_candidate_free(&candidate);
        }
        assert_int_equal(next, count);
        for (size_t i = 0; i < count; i++)
            kiln_space_candidate_free(&candidates[i]);
    }
    for (size_t i = 0; i < MAX; i++)
        assert_true(seen[i]);
    kiln_tune_candidate_t one;
    size_t count = 1;
    assert_null(kiln_space_candidate(axes, axis_count, 0, &one));
    kiln_status_t status = kiln_space_keep_shard(&one, &count, 2, 3);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_USAGE);
    kiln_status_free(status);
    assert_null(kiln_space_keep_shard(&one, &count, 1, 3));
    assert_int_equal(count, 1);
    kiln_space_candidate_free(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exhaustive_search_takes_all_in_order),
        cmocka_unit_test(guided_search_finds_good_candidates_early),
        cmocka_unit_test(a_seed_decides_what_is_tried),
        cmocka_unit_test(a_guided_search_begins_with_a_given_candidate),
        cmocka_unit_test(searches_end_where_nothing_can_be_learned),
        cmocka_unit_test(a_guided_budget_has_a_maximum),
        cmocka_unit_test(a_surrogate_reproduces_its_samples),
        cmocka_unit_test(the_model_takes_the_least_estimates),
        cmocka_unit_test(equal_estimates_are_tried_once),
        cmocka_unit_test(estimates_guide_a_search),
        cmocka_unit_test(shards_part_the_candidates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
