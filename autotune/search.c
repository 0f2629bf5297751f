// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strategies. An exhaustive search takes all candidates in order; a random one draws them; one by
// the model takes those with the least estimates; a guided one draws the first ones and then takes,
// in rounds, those whose expected improvement over the best cost is the largest (Jones, Schonlau
// and Welch, Efficient Global Optimization of Expensive Black-Box Functions, 1998), by a surrogate
// of the logarithm of the cost.
//
// Where candidates have estimates (estimates.h), half of the first ones are those with the least
// (of equal ones, one), the others are drawn from the quarter with the least, and the surrogate is
// of how far the logarithms of costs differ from those of the estimates.
//
// The value of a candidate that is much more expensive than the best is limited to BAD, and that of
// a failed one is somewhat larger. The surrogate thus learns where such candidates are, but is not
// distorted by how bad they are. Rounds have a fixed size, so that the number of threads changes
// nothing: on the simulator the seed determines which candidates are tried.
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surrogate.h"

enum {
    ROUND = 8,           // candidates between two fits
    MIN_BUDGET = 32,     // by default
    MAX_GUIDED = 256,    // by default: a guided search converges long before a tenth of 60,000
    MODEL_BUDGET = 8,    // of a search by the model, by default
    BUDGET_SHARE = 10,   // of the candidates, by default: one in ten
    FIRST_PER_AXIS = 2,  // candidates that are drawn before the first fit
    MAX_ESTIMATED = 4096 // untried candidates that one round considers
};

// If no candidate is expected to improve the cost by this share, a guided search draws candidates
// at random, since the surrogate may be wrong.
#define NO_IMPROVEMENT 5e-4

#define BAD 0.7 // logarithm of a cost relative to the best: twice as expensive
#define FAILED 0.8

struct kiln_search {
    const kiln_tune_problem_t *problem;
    const kiln_tune_sample_t *samples;
    size_t count, budget, taken, refunded;
    uint64_t state;
    uint32_t *points; // count × axis_count
    size_t *sizes;    // values of each axis
    size_t *pool;     // untried candidates
    double *priors;   // logarithms of estimates relative to the least; all 0 without estimates
    bool has_priors;
    double *gains;
    const bool *excluded; // NULL: none
    size_t first;         // candidate to begin with; `count`: none
};

// SplitMix64.
static uint64_t next_random(kiln_search_t *search)
{
    uint64_t z = search->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(kiln_search_t *search, size_t limit)
{
    return (size_t)(next_random(search) % limit);
}

static void place(const kiln_search_t *search, const kiln_tune_candidate_t *candidate,
                  uint32_t *point)
{
    for (size_t a = 0; a < search->problem->axis_count; a++) {
        const kiln_tune_axis_t *axis = &search->problem->axes[a];
        while (axis->values[point[a]] != candidate->settings[a].value)
            point[a]++;
    }
}

// A candidate without an estimate counts as one that the model expects to be bad.
static void take_estimates(kiln_search_t *search)
{
    double min = INFINITY;
    for (size_t i = 0; i < search->count; i++)
        if (search->samples[i].modelled_ns > 0)
            min = fmin(min, search->samples[i].modelled_ns);
    search->has_priors = min < INFINITY;
    for (size_t i = 0; i < search->count && search->has_priors; i++) {
        const double estimate = search->samples[i].modelled_ns;
        search->priors[i] = estimate > 0 ? log(estimate / min) : INFINITY;
    }
}

static double prior_of(const kiln_search_t *search, size_t candidate)
{
    return fmin(search->priors[candidate], BAD);
}

kiln_status_t kiln_search_create(const kiln_tune_problem_t *problem,
                                 const kiln_tune_candidate_t *candidates,
                                 const kiln_tune_sample_t *samples, size_t count,
                                 kiln_search_t **out_search)
{
    const size_t axes = problem->axis_count;
    kiln_search_t *search = *out_search = calloc(1, sizeof *search);
    if (!search)
        return kiln_status_out_of_memory();
    search->problem = problem;
    search->samples = samples;
    search->count = count;
    search->state = problem->seed;
    search->first = count;
    search->budget = problem->budget ? problem->budget : count;
    if (!problem->budget && problem->strategy == KILN_TUNE_MODEL)
        search->budget = MODEL_BUDGET;
    else if (!problem->budget && problem->strategy != KILN_TUNE_EXHAUSTIVE) {
        search->budget = (count + BUDGET_SHARE - 1) / BUDGET_SHARE;
        search->budget = search->budget < MIN_BUDGET ? MIN_BUDGET : search->budget;
        if (problem->strategy == KILN_TUNE_GUIDED && search->budget > MAX_GUIDED)
            search->budget = MAX_GUIDED;
    }
    search->budget = search->budget < count ? search->budget : count;
    search->points = calloc(count * axes + 1, sizeof *search->points);
    search->sizes = calloc(axes + 1, sizeof *search->sizes);
    search->pool = calloc(count + 1, sizeof *search->pool);
    search->gains = calloc(count + 1, sizeof *search->gains);
    search->priors = calloc(count + 1, sizeof *search->priors);
    if (!search->points || !search->sizes || !search->pool || !search->gains || !search->priors) {
        kiln_search_release(search);
        *out_search = NULL;
        return kiln_status_out_of_memory();
    }
    for (size_t a = 0; a < axes; a++)
        search->sizes[a] = problem->axes[a].value_count;
    for (size_t i = 0; i < count; i++)
        place(search, &candidates[i], &search->points[i * axes]);
    take_estimates(search);
    return KILN_OK;
}

void kiln_search_release(kiln_search_t *search)
{
    if (!search)
        return;
    free(search->points);
    free(search->sizes);
    free(search->pool);
    free(search->gains);
    free(search->priors);
    free(search);
}

void kiln_search_exclude(kiln_search_t *search, const bool *excluded)
{
    search->excluded = excluded;
}

void kiln_search_begin_with(kiln_search_t *search, size_t candidate)
{
    search->first = candidate;
}

bool kiln_search_refund(kiln_search_t *search)
{
    if (search->problem->strategy != KILN_TUNE_GUIDED || search->refunded == search->budget)
        return false;
    search->refunded++;
    search->taken--;
    return true;
}

size_t kiln_search_budget(const kiln_search_t *search)
{
    return search->budget;
}

// Random draws ------------------------------------------------------------------------------------

static void choose(bool *chosen, size_t index, size_t *count)
{
    chosen[index] = true;
    ++*count;
}

// Moves `wanted` random elements of the pool to its beginning.
static void shuffle(kiln_search_t *search, size_t pool_count, size_t wanted)
{
    for (size_t i = 0; i < wanted && i < pool_count; i++) {
        const size_t other = i + below(search, pool_count - i), index = search->pool[other];
        search->pool[other] = search->pool[i];
        search->pool[i] = index;
    }
}

static void draw(kiln_search_t *search, size_t pool_count, size_t wanted, bool *chosen,
                 size_t *count)
{
    shuffle(search, pool_count, wanted);
    for (size_t i = 0; i < wanted && i < pool_count; i++)
        choose(chosen, search->pool[i], count);
}

// Estimates ---------------------------------------------------------------------------------------

static int by_prior(const void *a, const void *b, void *user)
{
    const kiln_search_t *search = user;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (search->priors[x] != search->priors[y])
        return search->priors[x] < search->priors[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static void sort_by_prior(kiln_search_t *search, size_t pool_count)
{
    qsort_r(search->pool, pool_count, sizeof *search->pool, by_prior, search);
}

// Chooses the candidates with the least estimates; of those with equal ones, which usually have the
// same code, the first, and the others only if too few are left.
static void take_lowest(kiln_search_t *search, size_t pool_count, size_t wanted, bool *chosen,
                        size_t *count)
{
    const size_t *pool = search->pool;
    sort_by_prior(search, pool_count);
    for (int equal = 0; equal < 2; equal++)
        for (size_t i = 0; i < pool_count && *count < wanted; i++)
            if (equal == (i > 0 && search->priors[pool[i]] == search->priors[pool[i - 1]]))
                choose(chosen, pool[i], count);
}

// Removes the chosen candidates from the pool, and returns how many are left.
static size_t drop_chosen(kiln_search_t *search, size_t pool_count, const bool *chosen)
{
    size_t left = 0;
    for (size_t i = 0; i < pool_count; i++)
        if (!chosen[search->pool[i]])
            search->pool[left++] = search->pool[i];
    return left;
}

// Chooses the first candidates of a guided search.
static void take_first(kiln_search_t *search, size_t pool_count, size_t wanted, bool *chosen,
                       size_t *count)
{
    if (!search->has_priors) {
        draw(search, pool_count, wanted, chosen, count);
        return;
    }
    const size_t lowest = (wanted + 1) / 2, rest = wanted - lowest;
    take_lowest(search, pool_count, lowest, chosen, count);
    const size_t good = (pool_count + 3) / 4, left = drop_chosen(search, pool_count, chosen),
                 taken = pool_count - left;
    draw(search, good > taken + rest ? good - taken : left, rest, chosen, count);
}

// The guided search -------------------------------------------------------------------------------

typedef struct known {
    uint32_t *points;
    double *values; // logarithms of costs relative to the best
    size_t count;
    double best; // logarithm of the best cost; infinite without one
} known_t;

static void free_known(known_t *known)
{
    free(known->points);
    free(known->values);
}

static bool is_good(const kiln_tune_sample_t *sample)
{
    return sample->verdict == KILN_TUNE_OK && sample->cost > 0;
}

// Collects the samples that the surrogate is fitted to. If there are too many, takes every n-th.
static kiln_status_t collect(const kiln_search_t *search, known_t *known)
{
    const size_t axes = search->problem->axis_count;
    size_t tried = 0;
    known->best = INFINITY;
    for (size_t i = 0; i < search->count; i++) {
        const kiln_tune_sample_t *sample = &search->samples[i];
        tried += sample->verdict != KILN_TUNE_UNTRIED;
        if (is_good(sample))
            known->best = fmin(known->best, log(sample->cost));
    }
    known->count = 0;
    known->points = calloc(KILN_SURROGATE_POINTS * axes + 1, sizeof *known->points);
    known->values = calloc(KILN_SURROGATE_POINTS, sizeof *known->values);
    if (!known->points || !known->values)
        return kiln_status_out_of_memory();
    const size_t every = (tried + KILN_SURROGATE_POINTS - 1) / KILN_SURROGATE_POINTS;
    size_t seen = 0;
    for (size_t i = 0; i < search->count && known->best < INFINITY; i++) {
        const kiln_tune_sample_t *sample = &search->samples[i];
        if (sample->verdict == KILN_TUNE_UNTRIED)
            continue;
        const double value = is_good(sample) ? log(sample->cost) - known->best : FAILED;
        if ((seen++ % every && value > 0) || known->count == KILN_SURROGATE_POINTS)
            continue;
        memcpy(&known->points[known->count * axes], &search->points[i * axes],
               axes * sizeof *known->points);
        known->values[known->count++] =
            (is_good(sample) ? fmin(value, BAD) : FAILED) - prior_of(search, i);
    }
    return KILN_OK;
}

// The mean of max(0, −x) for a normally distributed x; the best value is 0.
static double expected_improvement(double mean, double deviation)
{
    if (deviation < 1e-9)
        return fmax(-mean, 0);
    const double z = -mean / deviation;
    return -mean * erfc(-z / sqrt(2)) / 2 +
           deviation * exp(-z * z / 2) / sqrt(2 * 3.14159265358979323846);
}

// Takes the candidates with the largest gain, one after the other. The gains of candidates similar
// to a taken one shrink, since its sample will show much about them.
static void take_best(kiln_search_t *search, const kiln_surrogate_t *surrogate, size_t pool_count,
                      size_t wanted, bool *chosen, size_t *count)
{
    const size_t axes = search->problem->axis_count;
    while (*count < wanted) {
        size_t best = 0;
        for (size_t i = 1; i < pool_count; i++)
            if (search->gains[i] > search->gains[best])
                best = i;
        if (search->gains[best] < NO_IMPROVEMENT)
            return;
        choose(chosen, search->pool[best], count);
        const uint32_t *taken = &search->points[search->pool[best] * axes];
        for (size_t i = 0; i < pool_count; i++)
            search->gains[i] *= 1 - kiln_surrogate_similarity(
                                        surrogate, taken, &search->points[search->pool[i] * axes]);
    }
}

static kiln_status_t guide(kiln_search_t *search, size_t pool_count, size_t wanted, bool *chosen,
                           size_t *count)
{
    known_t known;
    kiln_surrogate_t *surrogate = NULL;
    kiln_status_t status = collect(search, &known);
    const size_t axes = search->problem->axis_count, first = FIRST_PER_AXIS * (axes + 1);
    if (!status && known.count < first) {
        take_first(search, pool_count, wanted < first ? wanted : first, chosen, count);
        free_known(&known);
        return KILN_OK;
    }
    if (!status)
        status = kiln_surrogate_fit(known.points, known.values, known.count, search->sizes, axes,
                                    &surrogate);
    if (!status) {
        if (pool_count > MAX_ESTIMATED) {
            if (search->has_priors)
                sort_by_prior(search, pool_count);
            else
                shuffle(search, pool_count, MAX_ESTIMATED);
            pool_count = MAX_ESTIMATED;
        }
        for (size_t i = 0; i < pool_count; i++) {
            double mean, deviation;
            kiln_surrogate_predict(surrogate, &search->points[search->pool[i] * axes], &mean,
                                   &deviation);
            mean += prior_of(search, search->pool[i]);
            search->gains[i] = expected_improvement(mean, deviation);
        }
        wanted = wanted < ROUND ? wanted : ROUND;
        take_best(search, surrogate, pool_count, wanted, chosen, count);
        if (*count == 0)
            draw(search, pool_count, wanted, chosen, count);
    }
    kiln_surrogate_release(surrogate);
    free_known(&known);
    return status;
}

kiln_status_t kiln_search_next(kiln_search_t *search, bool *chosen, size_t *out_count)
{
    size_t pool_count = 0, count = 0;
    kiln_status_t status = KILN_OK;
    memset(chosen, 0, search->count * sizeof *chosen);
    for (size_t i = 0; i < search->count; i++)
        if (search->samples[i].verdict == KILN_TUNE_UNTRIED &&
            !(search->excluded && search->excluded[i]))
            search->pool[pool_count++] = i;
    size_t wanted = search->budget - search->taken;
    wanted = wanted < pool_count ? wanted : pool_count;
    const size_t first = search->first;
    search->first = search->count;
    if (wanted && search->problem->strategy == KILN_TUNE_GUIDED && first < search->count &&
        search->samples[first].verdict == KILN_TUNE_UNTRIED)
        choose(chosen, first, &count);
    else if (wanted && search->problem->strategy == KILN_TUNE_EXHAUSTIVE)
        for (size_t i = 0; i < wanted; i++)
            choose(chosen, search->pool[i], &count);
    else if (wanted && search->problem->strategy == KILN_TUNE_RANDOM)
        draw(search, pool_count, wanted, chosen, &count);
    else if (wanted && search->problem->strategy == KILN_TUNE_MODEL)
        take_lowest(search, pool_count, wanted, chosen, &count);
    else if (wanted)
        status = guide(search, pool_count, wanted, chosen, &count);
    search->taken += count;
    *out_count = count;
    return status;
}
