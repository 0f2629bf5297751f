// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the workgroups that the clock examines, and those of them that it replays
// (timing/plan.h).
#include "timing/plan.h"

#include <stdlib.h>

enum { PROBES = 5 }; // between two examined generations

enum {
    CANDIDATES = 4
}; // per row: their instructions are recorded so that they can be replayed, and so are those of the
   // peers

// Number of generations of workgroups in one place: the first, two steady ones, and the last. With
// many places the last is omitted, since they do not all become empty at once.
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

bool kiln_timing_plan_at_once(const kiln_timing_plan_t *plan)
{
    return plan->ranks <= plan->resident;
}

// The unit of a row whose workgroup has peers. If there is more than one turn, it differs between
// rows, so that a period of the grid is not always sampled at the same point.
static unsigned base_unit(const kiln_timing_plan_t *plan, unsigned own)
{
    const double turn = kiln_timing_plan_at_once(plan) ? 0 : own * 0.618; // golden ratio
    const unsigned unit = (unsigned)(turn * plan->units) % plan->units;
    return row_of(plan, own)[unit].id < plan->grid ? unit : 0;
}

// Number of a row's workgroups on the first XCD that the launch has.
static unsigned count_existing(const kiln_timing_plan_t *plan, unsigned own)
{
    const uint64_t count = (plan->grid - row_of(plan, own)->id + plan->xcds - 1) / plan->xcds;
    return count < plan->units ? (unsigned)count : plan->units;
}

// Index of a candidate in the row, or among the peers after it. Those of a launch whose workgroups
// all run at once include the row's last workgroup, which is often at the edge of a tensor.
static unsigned candidate(const kiln_timing_plan_t *plan, unsigned own, unsigned number)
{
    if (number >= CANDIDATES)
        return plan->units + number - CANDIDATES;
    if (kiln_timing_plan_at_once(plan))
        return number * (count_existing(plan, own) - 1) / (CANDIDATES - 1);
    return (base_unit(plan, own) + number * plan->units / CANDIDATES) % plan->units;
}

// Allocates the streams of a group's waves; a group outside of the launch gets none.
static bool fill(const kiln_timing_plan_t *plan, kiln_timing_group_t *group, unsigned waves)
{
    if (group->id >= plan->grid)
        return true;
    group->wave_count = waves;
    group->waves = calloc(waves, sizeof *group->waves);
    return group->waves != NULL;
}

// Co-resident rows are consecutive. Generations are at both ends of the launch and at equal
// distances in between.
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
        row[candidate(plan, own, i)].needs_steps = true;
    plan->chosen[own] = base;
    return good;
}

// ---- probes: single workgroups between the examined generations

static size_t in_rows(const kiln_timing_plan_t *plan)
{
    return (size_t)plan->own * (plan->units + plan->peers);
}

// The first rank that is not examined after a generation, and the number of such ranks before the
// next one.
static uint64_t gap_after(const kiln_timing_plan_t *plan, unsigned generation, uint64_t *count)
{
    const uint64_t from = rank_of(plan, generation * plan->resident) + plan->resident;
    *count = rank_of(plan, (generation + 1) * plan->resident) - from;
    return from;
}

static unsigned count_probes(const kiln_timing_plan_t *plan)
{
    uint64_t gap = 0;
    if (plan->own < plan->ranks)
        gap_after(plan, 0, &gap);
    return gap > PROBES ? (generations(plan->resident) - 1) * PROBES : 0;
}

static bool fill_probes(const kiln_timing_plan_t *plan, unsigned waves)
{
    bool good = true;
    for (unsigned p = 0; good && p < plan->probes; p++) {
        uint64_t gap;
        const unsigned generation = p / PROBES;
        const uint64_t from = gap_after(plan, generation, &gap);
        const uint64_t rank = from + (2 * (p % PROBES) + 1) * gap / (2 * PROBES);
        kiln_timing_group_t *probe = &plan->groups[in_rows(plan) + p];
        probe->id = id_at(plan, rank, base_unit(plan, generation * plan->resident), 0);
        good = fill(plan, probe, waves);
    }
    return good;
}

bool kiln_timing_plan_make(kiln_timing_plan_t *plan, uint64_t grid, unsigned compute_units,
                           unsigned xcds, unsigned resident, unsigned waves)
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
                                 .average = 1,
                                 .mean_group = 1,
                                 .mean_unit = 1};
    const uint64_t needed = (uint64_t)plan->resident * generations(plan->resident);
    plan->own = (unsigned)(plan->ranks < needed ? plan->ranks : needed);
    plan->probes = count_probes(plan);
    const size_t count = in_rows(plan) + plan->probes;
    plan->groups = calloc(count, sizeof *plan->groups);
    plan->ids = calloc(count, sizeof *plan->ids);
    plan->chosen = calloc(plan->own, sizeof *plan->chosen);
    plan->own_ids = calloc(plan->own, sizeof *plan->own_ids);
    bool good = plan->groups && plan->ids && plan->chosen && plan->own_ids;
    for (unsigned own = 0; good && own < plan->own; own++)
        good = fill_row(plan, own, waves);
    good = good && fill_probes(plan, waves);
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
    for (size_t i = 0; plan->groups && i < in_rows(plan) + plan->probes; i++) {
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
        const uint64_t distance = id - row->id, unit = distance / plan->xcds,
                       xcd = distance % plan->xcds;
        if (id < row->id || unit >= plan->units)
            continue;
        if (xcd == 0)
            return row + unit;
        if (unit == base_unit(plan, own))
            return row + plan->units + xcd - 1;
    }
    for (unsigned p = 0; p < plan->probes; p++) {
        if (plan->groups[in_rows(plan) + p].id == id)
            return &plan->groups[in_rows(plan) + p];
    }
    return NULL;
}

kiln_timing_group_t *kiln_timing_plan_own(const kiln_timing_plan_t *plan, unsigned own)
{
    return row_of(plan, own) + plan->chosen[own];
}

kiln_timing_group_t *kiln_timing_plan_companion(const kiln_timing_plan_t *plan, unsigned own,
                                                unsigned number)
{
    return existing(row_of(plan, own) + number + (number >= plan->chosen[own]));
}

kiln_timing_group_t *kiln_timing_plan_row(const kiln_timing_plan_t *plan, unsigned own,
                                          unsigned unit)
{
    return existing(row_of(plan, own) + unit);
}

kiln_timing_group_t *kiln_timing_plan_base(const kiln_timing_plan_t *plan, unsigned own)
{
    return row_of(plan, own) + base_unit(plan, own);
}

kiln_timing_group_t *kiln_timing_plan_peer(const kiln_timing_plan_t *plan, unsigned own,
                                           unsigned number)
{
    return existing(row_of(plan, own) + plan->units + number);
}

// ---- choosing the replayed workgroups

double kiln_timing_plan_work(const kiln_timing_group_t *group)
{
    double work = 0;
    for (unsigned w = 0; w < group->wave_count; w++)
        work += (double)group->waves[w].memory_count;
    return work;
}

// Work of the whole row; *count is the number of its workgroups.
static double row_work(const kiln_timing_plan_t *plan, unsigned own, unsigned *count)
{
    double work = 0;
    *count = 0;
    for (unsigned i = 0; i < plan->units; i++) {
        work += kiln_timing_plan_work(&row_of(plan, own)[i]);
        *count += row_of(plan, own)[i].waves != NULL;
    }
    return work;
}

// Chooses the candidate with the least work at or above the target or, if all are below, the one
// with the most work.
static void choose(kiln_timing_plan_t *plan, unsigned own, double target)
{
    double best = -1;
    for (unsigned i = 0; i < CANDIDATES + plan->peers; i++) {
        const unsigned unit = candidate(plan, own, i);
        const kiln_timing_group_t *group = &row_of(plan, own)[unit];
        const double work = kiln_timing_plan_work(group);
        if (!group->waves)
            continue;
        if (best < 0 || (best < target ? work > best : work >= target && work < best)) {
            best = work;
            plan->chosen[own] = unit;
        }
    }
}

// The work of a row's workgroup on the XCD with the most work minus that of its workgroup on the
// first XCD: the mean difference between that peer and its neighbour. A ratio would be arbitrarily
// large if the neighbour has almost no work.
static double extra_work(const kiln_timing_plan_t *plan)
{
    double max = 0;
    for (unsigned p = 0; p < plan->peers; p++) {
        double more = 0;
        for (unsigned own = 0; own < plan->own; own++) {
            const kiln_timing_group_t *peer = kiln_timing_plan_peer(plan, own, p);
            more += (peer ? kiln_timing_plan_work(peer) : 0) -
                    kiln_timing_plan_work(kiln_timing_plan_base(plan, own));
        }
        max = more > max ? more : max;
    }
    return max / plan->own;
}

// ---- launches whose workgroups all run at once: a compute unit gets all its workgroups at the
// start

static double column_work(const kiln_timing_plan_t *plan, unsigned unit)
{
    double work = 0;
    for (unsigned own = 0; own < plan->own; own++)
        work += kiln_timing_plan_work(&row_of(plan, own)[unit]);
    return work;
}

// Chooses, in all rows, the candidate compute unit with the most work. Returns the most work of any
// compute unit: the first XCD's maximum plus the extra work on another XCD.
static double choose_column(kiln_timing_plan_t *plan)
{
    unsigned best = candidate(plan, 0, 0);
    double max = 0;
    for (unsigned unit = 0; unit < plan->units; unit++) {
        const double work = column_work(plan, unit);
        max = work > max ? work : max;
    }
    for (unsigned i = 0; i < CANDIDATES + plan->peers; i++) {
        const unsigned unit = candidate(plan, 0, i);
        best = column_work(plan, unit) > column_work(plan, best) ? unit : best;
    }
    for (unsigned own = 0; own < plan->own; own++) {
        if (row_of(plan, own)[best].waves)
            plan->chosen[own] = best;
    }
    return max + extra_work(plan) * plan->own;
}

// ---- other launches: workgroups go where there is room, and every compute unit gets the average

// The work of the examined rows on a compute unit of the XCD with the most work. Chooses in each
// row the workgroup that is replayed.
static double choose_rows(kiln_timing_plan_t *plan)
{
    const double extra = extra_work(plan);
    double needed = 0;
    for (unsigned own = 0; own < plan->own; own++) {
        unsigned count;
        const double target = row_work(plan, own, &count) / count + extra;
        choose(plan, own, target);
        needed += target;
    }
    return needed;
}

static double generation_work(const kiln_timing_plan_t *plan, unsigned generation)
{
    double work = 0;
    for (unsigned i = 0; i < plan->resident; i++) {
        unsigned count;
        work += row_work(plan, generation * plan->resident + i, &count) / count;
    }
    return work / plan->resident;
}

// How similar the workgroups after a generation are to those of generation `like`, from 0 to 1,
// according to the probes; one half if the probes do not decide it.
static double similarity(const kiln_timing_plan_t *plan, unsigned generation, unsigned like)
{
    const unsigned unit = base_unit(plan, generation * plan->resident);
    const double full = kiln_timing_plan_work(&row_of(plan, like * plan->resident)[unit]);
    double sum = 0;
    for (unsigned p = 0; p < PROBES && plan->probes && full > 0; p++) {
        const size_t at = in_rows(plan) + generation * PROBES + p;
        const double part = kiln_timing_plan_work(&plan->groups[at]) / full;
        sum += (part < 1 ? part : 1) / PROBES;
    }
    return plan->probes && full > 0 ? sum : 0.5;
}

// Mean work of the workgroups of all rows. Between two generations work is taken to change evenly,
// unless one of them has almost no work: then the probes show where the work ends or begins.
static double mean_work(const kiln_timing_plan_t *plan)
{
    const double few = 0.25;
    if (plan->own == plan->ranks) {
        double work = 0;
        for (unsigned own = 0; own < plan->own; own++) {
            unsigned count;
            work += row_work(plan, own, &count) / count;
        }
        return work / plan->own;
    }
    double before = generation_work(plan, 0), sum = before * plan->resident;
    for (unsigned g = 0; g + 1 < generations(plan->resident); g++) {
        uint64_t gap;
        const double after = generation_work(plan, g + 1);
        double first = 0.5; // the share of the generation before
        gap_after(plan, g, &gap);
        if (after < few * before)
            first = similarity(plan, g, g);
        else if (before < few * after)
            first = 1 - similarity(plan, g, g + 1);
        sum += (before * first + after * (1 - first)) * (double)gap + after * plan->resident;
        before = after;
    }
    return sum / (double)plan->ranks;
}

static double average_work(const kiln_timing_plan_t *plan)
{
    double work = 0;
    size_t count = 0;
    for (size_t i = 0; i < in_rows(plan); i++) {
        work += kiln_timing_plan_work(&plan->groups[i]);
        count += plan->groups[i].waves != NULL;
    }
    return work / (double)count;
}

static double longest_work(const kiln_timing_plan_t *plan)
{
    double longest = 0;
    for (unsigned own = 0; own < plan->own; own++) {
        for (unsigned unit = 0; unit < plan->units; unit++) {
            const double work = kiln_timing_plan_work(&row_of(plan, own)[unit]);
            longest = work > longest ? work : longest;
        }
    }
    return longest + extra_work(plan);
}

static double share_of(double part, double whole)
{
    return part < whole ? part / whole : 1;
}

void kiln_timing_plan_choose(kiln_timing_plan_t *plan)
{
    double replayed = 0;
    const bool at_once = kiln_timing_plan_at_once(plan);
    const double needed = at_once ? choose_column(plan) : choose_rows(plan);
    for (unsigned own = 0; own < plan->own; own++)
        replayed += kiln_timing_plan_work(kiln_timing_plan_own(plan, own));
    plan->accesses = replayed > 0;
    plan->scale = plan->accesses ? needed / replayed : 1;
    plan->average = plan->accesses ? average_work(plan) / (replayed / plan->own) : 1;
    const double all = (mean_work(plan) + extra_work(plan)) * (double)plan->ranks;
    if (at_once && plan->accesses) {
        plan->mean_group = share_of(all / (double)plan->ranks, longest_work(plan));
        plan->mean_unit = share_of(all, needed);
    }
    plan->remaining = plan->accesses ? all - replayed : (double)(plan->ranks - plan->own);
}

static void forget(kiln_timing_group_t *group)
{
    group->recorded = false;
    for (unsigned w = 0; w < group->wave_count; w++)
        kiln_timing_stream_free(&group->waves[w]);
}

void kiln_timing_plan_request_steps(kiln_timing_plan_t *plan, bool needed)
{
    for (size_t i = 0; i < in_rows(plan); i++)
        plan->groups[i].needs_steps = false;
    for (unsigned own = 0; needed && own < plan->own; own++) {
        kiln_timing_group_t *group = kiln_timing_plan_own(plan, own);
        group->needs_steps = true;
        forget(group);
        plan->own_ids[own] = group->id;
    }
    if (needed)
        qsort(plan->own_ids, plan->own, sizeof *plan->own_ids, by_id);
}
