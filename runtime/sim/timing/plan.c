// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing/plan.h"

#include <stdlib.h>

enum {
    CANDIDATES = 4
}; // of a row: those whose instructions are recorded, so that they may be replayed; the peers' are, too

// Workgroups that follow each other in one place: the first, two steady ones, and one behind them, which where there are many places is
// left out: they are not empty all at once.
static unsigned generations(unsigned resident)
{
    enum { FEW = 4 };
    return resident > FEW ? 3 : 4;
}

static int by_id(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t id_at(const kiln_timing_plan_t *plan, uint64_t rank, unsigned unit, unsigned xcd)
{
    return (rank * plan->units + unit) * plan->xcds + xcd;
}

static kiln_timing_group_t *row_of(const kiln_timing_plan_t *plan, unsigned own)
{
    return plan->groups + (size_t)own * (plan->units + plan->peers);
}

static kiln_timing_group_t *existing(kiln_timing_group_t *group)
{
    return group->waves ? group : NULL;
}

// The unit of a row whose workgroup has peers: another one in each row, so that no period of the grid is met always at the same
// point.
static unsigned base_unit(const kiln_timing_plan_t *plan, unsigned own)
{
    const unsigned unit = (unsigned)(own * 0.618 * plan->units) % plan->units; // the golden ratio's
    return row_of(plan, own)[unit].id < plan->grid ? unit : 0;
}

// Where a candidate stands in the row, or behind it.
static unsigned candidate(const kiln_timing_plan_t *plan, unsigned own, unsigned number)
{
    if (number >= CANDIDATES)
        return plan->units + number - CANDIDATES;
    return (base_unit(plan, own) + number * plan->units / CANDIDATES) % plan->units;
}

// Gives a group the streams of its waves; one that the launch does not have stays without.
static bool fill(const kiln_timing_plan_t *plan, kiln_timing_group_t *group, unsigned waves)
{
    if (group->id >= plan->grid)
        return true;
    group->wave_count = waves;
    group->waves = calloc(waves, sizeof *group->waves);
    return group->waves != NULL;
}

// Those that run together follow each other; generations lie at both ends of the launch, and between them at equal distances.
static uint64_t rank_of(const kiln_timing_plan_t *plan, unsigned own)
{
    if (plan->own == plan->ranks)
        return own;
    const unsigned generation = own / plan->resident, last = generations(plan->resident) - 1;
    return generation * (plan->ranks - plan->resident) / last + own % plan->resident;
}

static bool fill_row(const kiln_timing_plan_t *plan, unsigned own, unsigned waves)
{
    const uint64_t rank = rank_of(plan, own);
    kiln_timing_group_t *row = row_of(plan, own);
    for (unsigned i = 0; i < plan->units; i++)
        row[i].id = id_at(plan, rank, i, 0);
    const unsigned base = base_unit(plan, own);
    for (unsigned i = 0; i < plan->peers; i++)
        row[plan->units + i].id = id_at(plan, rank, base, i + 1);
    bool good = true;
    for (unsigned i = 0; i < plan->units + plan->peers; i++)
        good = good && fill(plan, &row[i], waves);
    for (unsigned i = 0; i < CANDIDATES + plan->peers; i++)
        row[candidate(plan, own, i)].steps_wanted = true;
    plan->chosen[own] = base;
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
                                 .peers = xcds - 1,
                                 .scale = 1,
                                 .average = 1};
    const uint64_t wanted = (uint64_t)plan->resident * generations(plan->resident);
    plan->own = (unsigned)(plan->ranks < wanted ? plan->ranks : wanted);
    const size_t count = (size_t)plan->own * (plan->units + plan->peers);
    plan->groups = calloc(count, sizeof *plan->groups);
    plan->ids = calloc(count, sizeof *plan->ids);
    plan->chosen = calloc(plan->own, sizeof *plan->chosen);
    plan->own_ids = calloc(plan->own, sizeof *plan->own_ids);
    bool good = plan->groups && plan->ids && plan->chosen && plan->own_ids;
    for (unsigned own = 0; good && own < plan->own; own++)
        good = fill_row(plan, own, waves);
    for (size_t i = 0; good && i < count; i++) {
        if (plan->groups[i].waves)
            plan->ids[plan->id_count++] = plan->groups[i].id;
    }
    if (good)
        qsort(plan->ids, plan->id_count, sizeof *plan->ids, by_id);
    return good;
}

void kiln_timing_plan_free(kiln_timing_plan_t *plan)
{
    for (size_t i = 0; plan->groups && i < (size_t)plan->own * (plan->units + plan->peers); i++) {
        for (unsigned w = 0; w < plan->groups[i].wave_count; w++)
            kiln_timing_stream_free(&plan->groups[i].waves[w]);
        free(plan->groups[i].waves);
    }
    free(plan->groups);
    free(plan->chosen);
    free(plan->own_ids);
    free(plan->ids);
    *plan = (kiln_timing_plan_t){0};
}

kiln_timing_group_t *kiln_timing_plan_find(const kiln_timing_plan_t *plan, uint64_t id)
{
    if (!plan->id_count || !bsearch(&id, plan->ids, plan->id_count, sizeof id, by_id))
        return NULL;
    for (unsigned own = 0; own < plan->own; own++) {
        kiln_timing_group_t *row = row_of(plan, own);
        const uint64_t distance = id - row->id, unit = distance / plan->xcds, xcd = distance % plan->xcds;
        if (id < row->id || unit >= plan->units)
            continue;
        if (xcd == 0)
            return row + unit;
        if (unit == base_unit(plan, own))
            return row + plan->units + xcd - 1;
    }
    return NULL;
}

kiln_timing_group_t *kiln_timing_plan_own(const kiln_timing_plan_t *plan, unsigned own)
{
    return row_of(plan, own) + plan->chosen[own];
}

kiln_timing_group_t *kiln_timing_plan_companion(const kiln_timing_plan_t *plan, unsigned own, unsigned number)
{
    return existing(row_of(plan, own) + number + (number >= plan->chosen[own]));
}

kiln_timing_group_t *kiln_timing_plan_base(const kiln_timing_plan_t *plan, unsigned own)
{
    return row_of(plan, own) + base_unit(plan, own);
}

kiln_timing_group_t *kiln_timing_plan_peer(const kiln_timing_plan_t *plan, unsigned own, unsigned number)
{
    return existing(row_of(plan, own) + plan->units + number);
}

// ---- what is replayed

static double work_of(const kiln_timing_group_t *group)
{
    double work = 0;
    for (unsigned w = 0; w < group->wave_count; w++)
        work += (double)group->waves[w].memory_count;
    return work;
}

// Of the whole row; *count: how many there are.
static double row_work(const kiln_timing_plan_t *plan, unsigned own, unsigned *count)
{
    double work = 0;
    *count = 0;
    for (unsigned i = 0; i < plan->units; i++) {
        work += work_of(&row_of(plan, own)[i]);
        *count += row_of(plan, own)[i].waves != NULL;
    }
    return work;
}

// Of the candidates the one with the least work that is not below the target; where all are below, that with the most.
static void choose(kiln_timing_plan_t *plan, unsigned own, double target)
{
    double best = -1;
    for (unsigned i = 0; i < CANDIDATES + plan->peers; i++) {
        const unsigned unit = candidate(plan, own, i);
        const kiln_timing_group_t *group = &row_of(plan, own)[unit];
        const double work = work_of(group);
        if (!group->waves)
            continue;
        if (best < 0 || (best < target ? work > best : work >= target && work < best)) {
            best = work;
            plan->chosen[own] = unit;
        }
    }
}

// How much more the XCD with the most work has than the first one.
static double largest_share(const kiln_timing_plan_t *plan)
{
    double first = 0, most = 0;
    for (unsigned own = 0; own < plan->own; own++)
        first += work_of(kiln_timing_plan_base(plan, own));
    for (unsigned p = 0; p < plan->peers; p++) {
        double work = 0;
        for (unsigned own = 0; own < plan->own; own++) {
            const kiln_timing_group_t *peer = kiln_timing_plan_peer(plan, own, p);
            work += peer ? work_of(peer) : 0;
        }
        most = work > most ? work : most;
    }
    return first > 0 && most > first ? most / first : 1;
}

// The compute unit of the row's place which has most to do, where each gets no more than it holds at once; else workgroups go where
// there is room, and all have as much to do as the average.
static double unit_work(const kiln_timing_plan_t *plan)
{
    double sum = 0, most = 0;
    for (unsigned own = 0; own < plan->own; own++) {
        unsigned count;
        const double work = row_work(plan, own, &count);
        sum += work / count;
    }
    if (plan->ranks > plan->resident)
        return sum;
    for (unsigned i = 0; i < plan->units; i++) {
        double work = 0;
        for (unsigned own = 0; own < plan->own; own++)
            work += work_of(&row_of(plan, own)[i]);
        most = work > most ? work : most;
    }
    return most;
}

static double average_work(const kiln_timing_plan_t *plan)
{
    double work = 0;
    for (size_t i = 0; i < (size_t)plan->own * (plan->units + plan->peers); i++)
        work += work_of(&plan->groups[i]);
    return work / (double)plan->id_count;
}

void kiln_timing_plan_choose(kiln_timing_plan_t *plan)
{
    double replayed = 0;
    const double share = largest_share(plan), wanted = unit_work(plan) * share;
    for (unsigned own = 0; own < plan->own; own++) {
        unsigned count;
        const double average = row_work(plan, own, &count) / count;
        choose(plan, own, plan->ranks > plan->resident ? average * share : wanted / plan->own);
        replayed += work_of(kiln_timing_plan_own(plan, own));
    }
    plan->scale = replayed > 0 ? wanted / replayed : share;
    plan->average = replayed > 0 ? average_work(plan) / (replayed / plan->own) : 1;
}

static void forget(kiln_timing_group_t *group)
{
    group->recorded = false;
    for (unsigned w = 0; w < group->wave_count; w++)
        kiln_timing_stream_free(&group->waves[w]);
}

void kiln_timing_plan_want_steps(kiln_timing_plan_t *plan, bool wanted)
{
    for (size_t i = 0; i < (size_t)plan->own * (plan->units + plan->peers); i++)
        plan->groups[i].steps_wanted = false;
    for (unsigned own = 0; wanted && own < plan->own; own++) {
        kiln_timing_group_t *group = kiln_timing_plan_own(plan, own);
        group->steps_wanted = true;
        forget(group);
        plan->own_ids[own] = group->id;
    }
    if (wanted)
        qsort(plan->own_ids, plan->own, sizeof *plan->own_ids, by_id);
}
