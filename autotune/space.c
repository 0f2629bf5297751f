// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates of a search.
#include "space.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/string.h"
#include "tune_space.h"

static kiln_status_t size_within(const kiln_tune_axis_t *axes, size_t axis_count, size_t max,
                                 size_t *out_size)
{
    *out_size = 0;
    size_t size = 1;
    for (size_t i = 0; i < axis_count; ++i) {
        if (axes[i].value_count == 0)
            return kiln_status_make(KILN_STATUS_USAGE, "axis '%s' has no values", axes[i].name);
        for (size_t j = 0; j < i; ++j)
            if (strcmp(axes[i].name, axes[j].name) == 0)
                return kiln_status_make(KILN_STATUS_USAGE, "duplicate axis '%s'", axes[i].name);
        if (axes[i].value_count > max / size)
            return kiln_status_make(KILN_STATUS_USAGE, "the axes have more than %zu combinations",
                                    max);
        size *= axes[i].value_count;
    }
    *out_size = size;
    return KILN_OK;
}

kiln_status_t kiln_space_size(const kiln_tune_axis_t *axes, size_t axis_count, size_t *out_size)
{
    return size_within(axes, axis_count, KILN_SPACE_MAX, out_size);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const kiln_setting_t *)a)->name, ((const kiln_setting_t *)b)->name);
}

// "BLOCK_M=64 num_warps=4". The names are sorted so that the key does not depend on the order of
// the axes.
static char *config_text(const kiln_setting_t *settings, size_t count)
{
    kiln_setting_t *sorted = malloc((count ? count : 1) * sizeof *sorted);
    if (!sorted)
        return NULL;
    memcpy(sorted, settings, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_name);
    kiln_string_t text = {0};
    kiln_string_append(&text, "");
    for (size_t i = 0; i < count; ++i)
        kiln_string_appendf(&text, "%s%s=%s", i ? " " : "", sorted[i].name, sorted[i].value);
    free(sorted);
    return kiln_string_take(&text);
}

kiln_status_t kiln_space_candidate(const kiln_tune_axis_t *axes, size_t axis_count, size_t index,
                                   kiln_tune_candidate_t *out_candidate)
{
    *out_candidate = (kiln_tune_candidate_t){0};
    kiln_setting_t *settings = calloc(axis_count ? axis_count : 1, sizeof *settings);
    if (!settings)
        return kiln_status_out_of_memory();
    for (size_t i = axis_count; i-- > 0;) {
        settings[i] = (kiln_setting_t){axes[i].name, axes[i].values[index % axes[i].value_count]};
        index /= axes[i].value_count;
    }
    char *config = config_text(settings, axis_count);
    if (!config) {
        free(settings);
        return kiln_status_out_of_memory();
    }
    *out_candidate = (kiln_tune_candidate_t){
        .settings = settings, .setting_count = axis_count, .config = config};
    return KILN_OK;
}

void kiln_space_candidate_free(kiln_tune_candidate_t *candidate)
{
    free((void *)candidate->settings);
    free((void *)candidate->config);
    *candidate = (kiln_tune_candidate_t){0};
}

// Walks -------------------------------------------------------------------------------------------

// Makes a candidate if the problem admits it; else it is empty.
static kiln_status_t make_admitted(const kiln_tune_problem_t *problem, size_t number,
                                   kiln_tune_candidate_t *out_candidate, bool *out_is_admitted)
{
    bool is_admitted = true;
    *out_is_admitted = false;
    KILN_TRY(kiln_space_candidate(problem->axes, problem->axis_count, number, out_candidate));
    kiln_status_t status =
        problem->admit ? problem->admit(out_candidate, &is_admitted, problem->admit_user) : KILN_OK;
    *out_is_admitted = !status && is_admitted;
    if (!*out_is_admitted)
        kiln_space_candidate_free(out_candidate);
    return status;
}

// The problem's space if it allows only some configurations; else NULL.
static const kiln_tune_space_t *limited_space(const kiln_tune_problem_t *problem)
{
    const kiln_tune_space_t *space =
        problem->admit == kiln_tune_space_admits ? problem->admit_user : NULL;
    size_t count;
    return space && kiln_tune_space_is_limited(space) &&
                   kiln_tune_space_axes(space, &count) == problem->axes &&
                   count == problem->axis_count
               ? space
               : NULL;
}

kiln_status_t kiln_space_walk_in_order(const kiln_tune_problem_t *problem,
                                       kiln_space_walk_t *out_walk)
{
    const kiln_tune_space_t *space = limited_space(problem);
    size_t size;
    *out_walk = (kiln_space_walk_t){.problem = problem};
    KILN_TRY(size_within(problem->axes, problem->axis_count, SIZE_MAX, &size));
    if (space)
        return kiln_tune_space_number(space, &out_walk->numbers, &out_walk->count);
    out_walk->count = size;
    return KILN_OK;
}

// Large spaces ------------------------------------------------------------------------------------

// The combinations that are considered, at most, until KILN_SPACE_MAX of them are admitted.
enum { MAX_CONSIDERED = 4 * KILN_SPACE_MAX };

static size_t common_divisor(size_t a, size_t b)
{
    while (b) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

size_t kiln_space_stride(size_t count)
{
    // 2^64 divided by the golden ratio; a rational number with a small denominator would repeat.
    size_t stride = (size_t)((unsigned __int128)count * UINT64_C(0x9e3779b97f4a7c15) >> 64) + 1;
    while (common_divisor(stride, count) != 1)
        stride++;
    return stride;
}

static int by_number(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void report_drawn(const kiln_tune_problem_t *problem, size_t size, size_t considered,
                         size_t admitted)
{
    if (!problem->diagnostic)
        return;
    char *text = kiln_string_print("the axes have %zu combinations; the search is among %zu of "
                                   "%zu that are spread over all values",
                                   size, admitted, considered);
    const kiln_diagnostic_t warning = {
        .severity = KILN_SEVERITY_WARNING,
        .message = text ? text : "the search is among a part of the axes' combinations"};
    problem->diagnostic(&warning, problem->diagnostic_user);
    free(text);
}

// Reduces a walk to combinations that are admitted and spread over all values of all axes. Depends
// only on the axes and what is admitted, so that a search can be continued.
static kiln_status_t draw(kiln_space_walk_t *walk)
{
    const size_t size = walk->count, stride = kiln_space_stride(size);
    size_t *numbers = malloc(KILN_SPACE_MAX * sizeof *numbers), count = 0, considered = 0;
    if (!numbers)
        return kiln_status_out_of_memory();
    kiln_status_t status = KILN_OK;
    for (size_t at = 0;
         considered < size && considered < MAX_CONSIDERED && count < KILN_SPACE_MAX && !status;
         considered++) {
        kiln_tune_candidate_t candidate;
        bool is_admitted;
        status = make_admitted(walk->problem, at, &candidate, &is_admitted);
        if (!status && is_admitted)
            numbers[count++] = at;
        kiln_space_candidate_free(&candidate);
        at = at >= size - stride ? at - (size - stride) : at + stride;
    }
    if (!status && count == 0)
        status = kiln_status_make(KILN_STATUS_USAGE,
                                  "the axes have %zu combinations, and none of %zu that are spread "
                                  "over all values is admitted",
                                  size, considered);
    if (status) {
        free(numbers);
        return status;
    }
    qsort(numbers, count, sizeof *numbers, by_number);
    walk->numbers = numbers;
    walk->count = count;
    report_drawn(walk->problem, size, considered, count);
    return KILN_OK;
}

kiln_status_t kiln_space_walk_begin(const kiln_tune_problem_t *problem, kiln_space_walk_t *out_walk)
{
    KILN_TRY(kiln_space_walk_in_order(problem, out_walk));
    if (out_walk->count <= KILN_SPACE_MAX)
        return KILN_OK;
    if (problem->strategy == KILN_TUNE_EXHAUSTIVE)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "the axes have %zu combinations, and an exhaustive search tries at "
                                "most %d; give fewer values, or search guided, which tries some",
                                out_walk->count, KILN_SPACE_MAX);
    return draw(out_walk);
}

void kiln_space_walk_free(kiln_space_walk_t *walk)
{
    free(walk->numbers);
    *walk = (kiln_space_walk_t){0};
}

kiln_status_t kiln_space_walk_next(kiln_space_walk_t *walk, kiln_tune_candidate_t *out_candidate,
                                   bool *out_found)
{
    *out_candidate = (kiln_tune_candidate_t){0};
    *out_found = false;
    while (walk->next < walk->count && !*out_found) {
        const size_t number = walk->numbers ? walk->numbers[walk->next] : walk->next;
        walk->next++;
        KILN_TRY(make_admitted(walk->problem, number, out_candidate, out_found));
    }
    return KILN_OK;
}

// Shards ------------------------------------------------------------------------------------------

typedef struct drawn {
    kiln_hash_t hash;
    size_t index;
} drawn_t;

static int by_hash(const void *a, const void *b)
{
    const drawn_t *x = a, *y = b;
    if (x->hash.high != y->hash.high)
        return x->hash.high < y->hash.high ? -1 : 1;
    if (x->hash.low != y->hash.low)
        return x->hash.low < y->hash.low ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

kiln_status_t kiln_space_keep_shard(kiln_tune_candidate_t *candidates, size_t *io_count,
                                    size_t shard, size_t shard_count)
{
    const size_t count = *io_count;
    size_t kept = 0;
    if (count < shard)
        return kiln_status_make(
            KILN_STATUS_USAGE, "shard %zu of %zu is empty: there %s only %zu candidate%s", shard,
            shard_count, count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
    drawn_t *drawn = calloc(count, sizeof *drawn);
    bool *keeps = calloc(count, sizeof *keeps);
    if (drawn && keeps) {
        for (size_t i = 0; i < count; i++)
            drawn[i] =
                (drawn_t){kiln_hash_bytes(candidates[i].config, strlen(candidates[i].config)), i};
        qsort(drawn, count, sizeof *drawn, by_hash);
        for (size_t rank = shard - 1; rank < count; rank += shard_count)
            keeps[drawn[rank].index] = true;
        for (size_t i = 0; i < count; i++)
            if (keeps[i])
                candidates[kept++] = candidates[i];
            else
                kiln_space_candidate_free(&candidates[i]);
        memset(&candidates[kept], 0, (count - kept) * sizeof *candidates);
        *io_count = kept;
    }
    const bool is_whole = drawn && keeps;
    free(drawn);
    free(keeps);
    return is_whole ? KILN_OK : kiln_status_out_of_memory();
}
