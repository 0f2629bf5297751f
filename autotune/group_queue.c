// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests a round from the strategy when the last one has been given out. Other ranks may still be
// trying candidates of earlier rounds: these are not chosen again, and their costs are not known
// yet.
#include "group_queue.h"

#include <stdlib.h>
#include <string.h>

#include "search.h"

struct kiln_group_queue {
    kiln_search_t *search;
    kiln_tune_sample_t *samples; // verdicts and costs; the search reads them
    bool *chosen, *given;        // in the current round and not yet given out; ever given out
    size_t count, done, planned;
};

kiln_status_t kiln_group_queue_create(const kiln_tune_problem_t *problem,
                                      const kiln_tune_candidate_t *candidates,
                                      const kiln_tune_sample_t *samples, size_t count,
                                      kiln_group_queue_t **out_queue)
{
    kiln_group_queue_t *queue = *out_queue = calloc(1, sizeof *queue);
    if (!queue)
        return kiln_status_out_of_memory();
    queue->count = count;
    queue->samples = calloc(count + 1, sizeof *queue->samples);
    queue->chosen = calloc(count + 1, sizeof *queue->chosen);
    queue->given = calloc(count + 1, sizeof *queue->given);
    kiln_status_t status =
        queue->samples && queue->chosen && queue->given ? KILN_OK : kiln_status_out_of_memory();
    if (!status) {
        memcpy(queue->samples, samples, count * sizeof *samples);
        for (size_t i = 0; i < count; i++)
            queue->done += samples[i].verdict != KILN_TUNE_UNTRIED;
        status = kiln_search_create(problem, candidates, queue->samples, count, &queue->search);
    }
    if (status) {
        kiln_group_queue_release(queue);
        *out_queue = NULL;
        return status;
    }
    kiln_search_exclude(queue->search, queue->given);
    const size_t budget = kiln_search_budget(queue->search), left = count - queue->done;
    queue->planned = queue->done + (budget < left ? budget : left);
    return KILN_OK;
}

void kiln_group_queue_release(kiln_group_queue_t *queue)
{
    if (!queue)
        return;
    kiln_search_release(queue->search);
    free(queue->samples);
    free(queue->chosen);
    free(queue->given);
    free(queue);
}

static size_t first_chosen(const kiln_group_queue_t *queue)
{
    size_t index = 0;
    while (index < queue->count && !queue->chosen[index])
        index++;
    return index;
}

kiln_status_t kiln_group_queue_next(kiln_group_queue_t *queue, size_t *out_index)
{
    *out_index = first_chosen(queue);
    if (*out_index == queue->count) {
        size_t round;
        KILN_TRY(kiln_search_next(queue->search, queue->chosen, &round));
        *out_index = first_chosen(queue);
    }
    if (*out_index < queue->count) {
        queue->chosen[*out_index] = false;
        queue->given[*out_index] = true;
    }
    return KILN_OK;
}

void kiln_group_queue_report(kiln_group_queue_t *queue, size_t index, kiln_tune_verdict_t verdict,
                             double cost)
{
    if (index >= queue->count || queue->samples[index].verdict != KILN_TUNE_UNTRIED)
        return;
    queue->samples[index].verdict = verdict;
    queue->samples[index].cost = cost;
    queue->done++;
}

size_t kiln_group_queue_count(const kiln_group_queue_t *queue)
{
    return queue->count;
}

size_t kiln_group_queue_done(const kiln_group_queue_t *queue)
{
    return queue->done;
}

size_t kiln_group_queue_planned(const kiln_group_queue_t *queue)
{
    return queue->planned;
}
