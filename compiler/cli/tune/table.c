// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the table of a search.
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t count_same(const kiln_tune_result_t *result, const kiln_tune_candidate_t *candidate)
{
    size_t count = 0;
    for (size_t i = 0; i < kiln_tune_result_count(result); i++)
        count += kiln_tune_result_sample(result, i)->same_as == candidate;
    return count;
}

static void print_row(const kiln_tune_result_t *result, const kiln_tune_sample_t *sample)
{
    char error[16] = "-", stages[16] = "-";
    if (!isnan(sample->error))
        snprintf(error, sizeof error, "%.2g", sample->error);
    if (sample->stages_made)
        snprintf(stages, sizeof stages, "%d", sample->stages_made);
    printf("%16.0f %7s %9s %6u %5u %6u %6s  %s", sample->cost, sample->bound, error,
           sample->resources->vgprs + sample->resources->agprs, sample->resources->lds_bytes,
           sample->resources->occupancy, stages, sample->candidate->config);
    const size_t same = count_same(result, sample->candidate);
    if (same)
        printf(" (and %zu with the same code)", same);
    printf("\n");
}

typedef struct counts {
    size_t right, unverified, untried, same, recalled;
} counts_t;

static counts_t count(const kiln_tune_result_t *result)
{
    counts_t counts = {0};
    for (size_t i = 0; i < kiln_tune_result_count(result); i++) {
        const kiln_tune_sample_t *sample = kiln_tune_result_sample(result, i);
        counts.untried += sample->verdict == KILN_TUNE_UNTRIED;
        counts.same += sample->same_as != NULL;
        counts.recalled += sample->is_recalled;
        if (sample->verdict == KILN_TUNE_OK)
            ++*(isnan(sample->error) ? &counts.unverified : &counts.right);
    }
    return counts;
}

void kiln_tune_print_table(const kiln_tune_result_t *result, long top, bool is_stopped)
{
    const size_t total = kiln_tune_result_count(result);
    const counts_t counts = count(result);
    if (counts.right + counts.unverified > 0) // without costs nothing says of which kind they are
        printf("%16s %7s %9s %6s %5s %6s %6s  %s\n",
               kiln_cost_kind_name(kiln_tune_result_cost_kind(result)), "bound", "error", "vgprs",
               "lds", "occup.", "stages", "configuration");
    long shown = 0;
    for (size_t i = 0; i < total && shown < top; i++) {
        const kiln_tune_sample_t *sample = kiln_tune_result_sample(result, i);
        if (sample->verdict == KILN_TUNE_OK && !sample->same_as) {
            print_row(result, sample);
            shown++;
        }
    }
    printf("%zu candidates, %zu correct, %zu rejected or wrong", total, counts.right,
           total - counts.right - counts.unverified - counts.untried);
    if (counts.unverified)
        printf(", %zu not executed and so unverified", counts.unverified);
    if (counts.same)
        printf(", %zu with the code of another", counts.same);
    if (counts.recalled)
        printf(", %zu from the store", counts.recalled);
    if (counts.untried)
        printf(", %zu not tried%s", counts.untried,
               is_stopped ? ": the search was stopped, and the same command continues it" : "");
    printf("\n");
    const kiln_tune_sample_t *best = kiln_tune_result_sample(result, 0);
    if (best->verdict == KILN_TUNE_OK)
        printf("best: %s\n", best->candidate->config);
    if (best->verdict == KILN_TUNE_OK && best->modelled_ns > 0)
        printf("estimated by the model: %.0f ns\n", best->modelled_ns);
}
