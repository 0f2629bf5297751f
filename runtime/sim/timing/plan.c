// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing/plan.h"

#include <stdlib.h>

enum {
    GENERATIONS = 3
}; // workgroups that follow each other in one place: enough to see the first, a steady one, the last

static int by_id(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t id_at(const kiln_timing_plan_t *plan, uint64_t rank, unsigned unit, unsigned xcd)
{
    return (rank * plan->units + unit) * plan->xcds + xcd;
}

static unsigned width(const kiln_timing_plan_t *plan)
{
    return 1 + plan->companions + plan->peers;
}

// Gives a group its id and the streams of its waves; one that the launch does not have stays without.
static bool fill(const kiln_timing_plan_t *plan, kiln_timing_group_t *group, uint64_t id, unsigned waves,
                 bool companion)
{
    group->id = id;
    group->companion = companion;
    if (id >= plan->grid)
        return true;
    group->wave_count = waves;
    group->waves = calloc(waves, sizeof *group->waves);
    return group->waves != NULL;
}

static bool fill_all(kiln_timing_plan_t *plan, unsigned waves)
{
    bool good = true;
    for (unsigned own = 0; own < plan->own; own++) {
        // Those at both ends, and between them at equal distances.
        const uint64_t rank = plan->own > 1 ? own * (plan->ranks - 1) / (plan->own - 1) : 0;
        kiln_timing_group_t *row = plan->groups + (size_t)own * width(plan);
        good = good && fill(plan, row, id_at(plan, rank, 0, 0), waves, false);
        for (unsigned i = 0; i < plan->companions; i++)
            good = good && fill(plan, row + 1 + i, id_at(plan, rank, i + 1, 0), waves, true);
        for (unsigned i = 0; i < plan->peers; i++)
            good = good && fill(plan, row + 1 + plan->companions + i, id_at(plan, rank, 0, i + 1), waves, true);
    }
    return good;
}

bool kiln_timing_plan_make(kiln_timing_plan_t *plan, uint64_t grid, unsigned compute_units, unsigned xcds,
                           unsigned resident, unsigned waves)
{
    const unsigned units = compute_units / xcds;
    const uint64_t at_once = (uint64_t)units * xcds;
    *plan = (kiln_timing_plan_t){.grid = grid,
                                 .units = units,
                                 .xcds = xcds,
                                 .resident = resident ? resident : 1,
                                 .ranks = (grid + at_once - 1) / at_once,
                                 .companions = units - 1,
                                 .peers = xcds - 1};
    const uint64_t wanted = (uint64_t)plan->resident * GENERATIONS;
    plan->own = (unsigned)(plan->ranks < wanted ? plan->ranks : wanted);
    const size_t count = (size_t)plan->own * width(plan);
    plan->groups = calloc(count, sizeof *plan->groups);
    plan->ids = calloc(count, sizeof *plan->ids);
    if (!plan->groups || !plan->ids || !fill_all(plan, waves))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (plan->groups[i].waves)
            plan->ids[plan->id_count++] = plan->groups[i].id;
    }
    qsort(plan->ids, plan->id_count, sizeof *plan->ids, by_id);
    return true;
}

void kiln_timing_plan_free(kiln_timing_plan_t *plan)
{
    for (size_t i = 0; plan->groups && i < (size_t)plan->own * width(plan); i++) {
        for (unsigned w = 0; w < plan->groups[i].wave_count; w++)
            kiln_timing_stream_free(&plan->groups[i].waves[w]);
        free(plan->groups[i].waves);
    }
    free(plan->groups);
    free(plan->ids);
    *plan = (kiln_timing_plan_t){0};
}

kiln_timing_group_t *kiln_timing_plan_find(const kiln_timing_plan_t *plan, uint64_t id)
{
    if (!plan->id_count || !bsearch(&id, plan->ids, plan->id_count, sizeof id, by_id))
        return NULL;
    for (unsigned own = 0; own < plan->own; own++) {
        kiln_timing_group_t *row = plan->groups + (size_t)own * width(plan);
        const uint64_t distance = id - row->id, unit = distance / plan->xcds, xcd = distance % plan->xcds;
        if (id < row->id || unit >= plan->units)
            continue;
        if (xcd == 0)
            return row + unit;
        if (unit == 0)
            return row + plan->companions + xcd;
    }
    return NULL;
}

kiln_timing_group_t *kiln_timing_plan_own(const kiln_timing_plan_t *plan, unsigned own)
{
    return plan->groups + (size_t)own * width(plan);
}

static kiln_timing_group_t *existing(kiln_timing_group_t *group)
{
    return group->waves ? group : NULL;
}

kiln_timing_group_t *kiln_timing_plan_companion(const kiln_timing_plan_t *plan, unsigned own, unsigned number)
{
    return existing(kiln_timing_plan_own(plan, own) + 1 + number);
}

kiln_timing_group_t *kiln_timing_plan_peer(const kiln_timing_plan_t *plan, unsigned own, unsigned number)
{
    return existing(kiln_timing_plan_own(plan, own) + 1 + plan->companions + number);
}
