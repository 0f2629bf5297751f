// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays the recorded workgroups of one compute unit, with the accesses of their companions on the
// other compute units of the XCD, and extrapolates to the whole grid.
//
// Companions have no clock of their own. A companion's wave makes its n-th access when the wave
// that it accompanies makes its own n-th access: half of the companions just before it and half
// just after it, so that no workgroup is always the first to request a shared line. What hits the
// accompanied wave's L1 also hits those of the companions.
#include <stdlib.h>

#include "timing/parameters.h"
#include "timing/predict.h"
#include "timing/unit.h"

typedef struct replay {
    kiln_timing_clock_t *clock;
    kiln_timing_unit_t *unit;
    kiln_timing_slot_t *slots;
    uint64_t *ends;                 // of own workgroups, in ascending order
    double *done;                   // work that was done by then
    double finished;                // work of those that have ended
    uint64_t *apart;                // scratch: distances between ends
    unsigned own, resident;         // of the plan, or as supposed
    unsigned started, ended, waves; // waves: of a workgroup that are dispatched
    bool host_waits;
    const kiln_sim_product_t *product;
    uint64_t longest;    // cycles from start to end of the longest own workgroup
    uint64_t dispatched; // cycle from which the dispatcher can serve this compute unit again
} replay_t;

static uint64_t dispatch_cycles(uint64_t waves)
{
    return waves * 100 / KILN_TIMING_DISPATCH_WAVES;
}

// The dispatcher of an XCD serves its compute units in turn, one wave at a time.
static void start(replay_t *r, kiln_timing_slot_t *slot, uint64_t now)
{
    const kiln_timing_plan_t *plan = &r->clock->plan;
    const uint64_t turn = r->dispatched > now ? r->dispatched : now;
    r->dispatched = turn + dispatch_cycles(plan->units * r->waves);
    slot->own = r->started++;
    slot->group = kiln_timing_plan_own(plan, slot->own);
    kiln_timing_unit_start(r->unit, slot,
                           turn + dispatch_cycles(r->waves) + KILN_TIMING_WAVE_START_CYCLES);
}

static double work_of(const replay_t *r, const kiln_timing_group_t *group)
{
    return r->clock->plan.accesses ? kiln_timing_plan_work(group) : 1;
}

// The work that the workgroups in other slots have done so far.
static double begun_work(const replay_t *r, const kiln_timing_slot_t *without)
{
    double work = 0;
    for (unsigned s = 0; s < r->resident && r->clock->plan.accesses; s++) {
        const kiln_timing_slot_t *slot = &r->slots[s];
        for (unsigned w = 0; slot != without && slot->live_waves && w < slot->group->wave_count;
             w++)
            work += (double)slot->waves[w].memory;
    }
    return work;
}

static void ended(void *user, kiln_timing_slot_t *slot, uint64_t now)
{
    replay_t *r = user;
    r->clock->replay.wave_cycles += (now - slot->begun) * slot->group->wave_count;
    r->longest = now - slot->begun > r->longest ? now - slot->begun : r->longest;
    r->finished += work_of(r, slot->group);
    r->done[r->ended] = r->finished + begun_work(r, slot);
    r->ends[r->ended++] = now;
    if (r->started < r->own)
        start(r, slot, now);
}

// ---- companions

static void move(replay_t *r, const kiln_timing_follower_t *follower, uint64_t now, uint64_t missed)
{
    kiln_timing_l2_t *l2 = &r->unit->l2;
    const kiln_timing_map_t *map = r->unit->map;
    for (unsigned i = 0; i < follower->count; i++) {
        const uint64_t line = follower->base + follower->distances[i];
        if (!(missed >> i % 64 & 1))
            continue;
        // A companion that shares its data would read the same line, at the same moment.
        if (l2->near && !follower->atomic && !follower->writes && map->find(map, line).elsewhere) {
            kiln_timing_l2_reread(l2, line, 1 + follower->more);
            continue;
        }
        if (follower->atomic)
            kiln_timing_l2_atomic(l2, now, line, map);
        else if (follower->writes)
            kiln_timing_l2_write(l2, now, line, map);
        else
            kiln_timing_l2_read(l2, now, line, map);
        if (follower->more)
            kiln_timing_l2_reread(l2, line, follower->more);
    }
}

static void follow(void *user, const kiln_timing_wave_t *wave, uint64_t now, uint64_t missed,
                   bool after)
{
    replay_t *r = user;
    const kiln_timing_follower_t *end;
    const kiln_timing_follower_t *follower = kiln_timing_companions_part(
        &r->clock->companions, wave->slot->own, wave->number, wave->memory, after, &end);
    for (; follower < end; follower++)
        move(r, follower, now, follower->follows_timing ? missed : UINT64_MAX);
}

// ---- replay and extrapolation

// An earlier launch has left its code in the L2, and in the instruction cache unless the host has
// waited since: for that ROCm's runtime dispatches a barrier that acquires at system scope, which
// invalidates instruction caches (ROCm/clr f9f995c6d rocvirtual.cpp, releaseGpuMemoryFence).
static void warm_code(replay_t *r)
{
    const kiln_timing_clock_t *clock = r->clock;
    const kiln_timing_map_t *map = &clock->cache_state.map;
    for (size_t i = 0; i < clock->op_count; i++) {
        const uint64_t address = r->unit->image + clock->ops[i].address;
        if (clock->executed[i] && map->find(map, address / KILN_GFX942_L2_LINE).in_mall) {
            if (!r->host_waits) {
                kiln_timing_scalar_warm(&r->unit->scalar, address);
                kiln_timing_scalar_warm(&r->unit->scalar, address + clock->ops[i].size - 1);
            }
            kiln_timing_l2_warm(&r->unit->l2, address / KILN_GFX942_L2_LINE);
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool have_equal_types(const kiln_timing_plan_t *plan)
{
    size_t min = SIZE_MAX, max = 0;
    for (unsigned own = 0; own < plan->own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(plan, own);
        size_t steps = 0;
        for (unsigned w = 0; w < group->wave_count; w++)
            steps += group->waves[w].step_count;
        min = steps < min ? steps : min;
        max = steps > max ? steps : max;
    }
    return max - min <= max / 8;
}

// The time per workgroup in the steady state: the distance from an end to the end `resident`
// workgroups later. The median of these distances is used because the first workgroups all begin at
// once and the last ones have no successors.
static double steady(const replay_t *r)
{
    const unsigned lag = r->resident;
    if (r->own < 2 * lag + 1)
        return r->own > lag ? (double)(r->ends[r->ended - 1] - r->ends[lag - 1]) / (r->own - lag)
                            : 0;
    const unsigned count = r->own - 2 * lag + 1;
    for (unsigned i = 0; i < count; i++)
        r->apart[i] = r->ends[i + 2 * lag - 1] - r->ends[i + lag - 1];
    qsort(r->apart, count, sizeof *r->apart, ascending);
    return (double)r->apart[count / 2] / lag;
}

// The cycles of a unit of work (kiln_timing_plan_work) where workgroups differ. They are measured
// from the end of the first generation, in which all begin at once, until the last workgroup
// begins, after which places stay empty. If almost no work happens in between, they are measured
// until the end, or over the whole launch.
static double work_cycles(const replay_t *r)
{
    const unsigned last = r->ended - 1, lag = r->resident;
    const unsigned from = lag - 1 < last ? lag - 1 : last, to = last >= lag ? last - lag : 0;
    const double few = r->done[last] / 16, end = (double)r->ends[last];
    if (to > from && r->done[to] - r->done[from] > few)
        return (double)(r->ends[to] - r->ends[from]) / (r->done[to] - r->done[from]);
    if (r->done[last] - r->done[from] > few)
        return (double)(r->ends[last] - r->ends[from]) / (r->done[last] - r->done[from]);
    return r->done[last] > 0 ? end / r->done[last] : 0;
}

// The time of the compute unit's workgroups that were not replayed: the time for their work if
// workgroups differ, otherwise that of a workgroup in the steady state for each.
static double remainder_of(const replay_t *r)
{
    const kiln_timing_plan_t *plan = &r->clock->plan;
    const double groups = (double)(plan->ranks - plan->own),
                 left = groups - r->clock->suppose.fewer;
    return have_equal_types(plan) ? steady(r) * left
                                  : work_cycles(r) * plan->remaining * left / groups;
}

// Of the lines that are written late (timing/l2.h), the part that is. If the L2 holds all lines of
// the launch, one that several workgroups write is written back once. Otherwise other lines have
// replaced it in between.
static double late_part(const replay_t *r)
{
    const kiln_timing_plan_t *plan = &r->clock->plan;
    const double lines = (double)r->unit->l2.fabric.late_lines * (double)plan->ranks / plan->own,
                 held = kiln_timing_cache_state_held(&r->clock->cache_state);
    return r->unit->l2.late >= 1 && lines > held ? held / lines : 1;
}

// The cycles in which the L2s write back what is dirty when the last workgroup has ended, so that
// the next launch's workgroups on other XCDs see it (LLVM's memory model of gfx942: a release at
// agent scope, which the runtime requests of each launch, writes the L2 back).
static double write_back(const replay_t *r)
{
    return r->unit->l2.fabric.late * late_part(r) * (double)r->clock->plan.ranks /
           r->clock->plan.own;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// Where memory is recalled, the launch takes at least the part of its time in which memory is busy.
static double memory_min(const replay_t *r)
{
    const kiln_timing_replay_t *known = &r->clock->last_replay;
    const double cycles = known->launch_cycles - known->memory.write_back;
    return r->clock->suppose.recalls ? cycles * known->memory.busy / (double)known->cycles : 0;
}

// The time to dispatch the workgroups of the XCD that gets the most. Where the last round is not
// full, some of its compute units get one fewer.
static double dispatch_time(const replay_t *r)
{
    const uint64_t xcds = r->clock->plan.xcds,
                   groups = (kiln_timing_clock_grid(r->clock) + xcds - 1) / xcds;
    return (double)dispatch_cycles(groups * r->waves);
}

// A launch takes at least the time to dispatch its workgroups, and at least the time of the longest
// one: if most exit at once, the average compute unit has less work than one workgroup.
static double extrapolate(const replay_t *r)
{
    const kiln_timing_plan_t *plan = &r->clock->plan;
    const bool whole = plan->own == plan->ranks;
    const double end = (double)r->ends[r->ended - 1], rest = whole ? 0 : remainder_of(r);
    const double all = (end + rest) * (whole || have_equal_types(plan) ? plan->scale : 1);
    const double min = larger((double)r->longest, dispatch_time(r));
    return larger(larger(all, min), memory_min(r)) + r->clock->replay.memory.write_back;
}

// Counts floating-point operations, and finds the rate of the kind that contributed most.
static void count_flops(const replay_t *r)
{
    const kiln_timing_clock_t *clock = r->clock;
    kiln_timing_replay_t *to = &r->clock->replay;
    double max = 0;
    for (size_t i = 0; i < clock->op_count; i++) {
        const kiln_timing_op_t *op = &clock->ops[i];
        const double flops =
            (double)(clock->stalls[i][KILN_SIM_STALL_ISSUED] / KILN_TIMING_ISSUE_CYCLES) *
            (double)op->flops;
        to->flops += flops;
        if (flops <= max)
            continue;
        max = flops;
        to->flops_a_cycle = (double)op->flops / op->cycles;
        if (op->act == KILN_TIMING_MATRIX) // at the full clock, as kiln_sim_prediction_t's peaks
            to->flops_a_cycle /=
                1 + kiln_timing_matrix_longer(r->product, op->power, r->product->clock_mhz);
    }
}

// No other order of the same accesses of memory ends earlier.
static double memory_cycles(const kiln_timing_unit_t *unit)
{
    const kiln_timing_fabric_t *fabric = &unit->l2.fabric;
    const double busy[] = {(double)unit->l1.busy,
                           (double)unit->l2.reads * KILN_GFX942_L2_LINE / KILN_TIMING_L2_READ_BYTES,
                           (double)fabric->mall_lines * fabric->mall_line, fabric->hbm_busy};
    double max = 0;
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++)
        max = busy[i] > max ? busy[i] : max;
    return max;
}

static void sum_up_memory(const replay_t *r, kiln_timing_memory_sums_t *to)
{
    const kiln_timing_l2_t *l2 = &r->unit->l2;
    to->busy = memory_cycles(r->unit);
    to->write_back = write_back(r);
    to->l1 = r->unit->l1.busy;
    to->l1_hits = r->unit->l1.hits;
    to->l1_misses = r->unit->l1.misses;
    to->l2_lines = l2->reads + l2->writes + l2->atomics;
    to->l2_hits = l2->hits;
    to->l2_waited = l2->waited;
    to->mall_lines =
        l2->fabric.mall_lines + (uint64_t)((double)l2->fabric.late_lines * late_part(r));
    to->hbm_read_lines = l2->fabric.hbm_read;
    to->hbm_write_lines = l2->fabric.hbm_written + (double)l2->fabric.late_hbm_lines * late_part(r);
}

static void sum_up(const replay_t *r)
{
    const kiln_timing_unit_t *unit = r->unit;
    kiln_timing_replay_t *to = &r->clock->replay;
    to->cycles = r->ends[r->ended - 1];
    if (r->clock->suppose.recalls)
        to->memory = r->clock->last_replay.memory;
    else
        sum_up_memory(r, &to->memory);
    to->launch_cycles = extrapolate(r);
    for (unsigned s = 0; s < KILN_TIMING_SIMDS; s++) {
        to->valu += unit->simds[s].valu_busy;
        to->matrix += unit->simds[s].matrix_busy;
        for (unsigned power = 0; power < KILN_TIMING_POWERS; power++)
            to->power[power] += unit->simds[s].power_busy[power];
    }
    to->lds = unit->lds.busy;
    count_flops(r);
}

static bool run(replay_t *r)
{
    r->unit->l2.near = r->clock->suppose.near;
    r->unit->l2.late = kiln_timing_cache_state_late(&r->clock->cache_state);
    if (kiln_timing_cache_state_has_l2(&r->clock->cache_state) &&
        !kiln_timing_l2_keep(&r->unit->l2, &r->clock->first))
        return false;
    warm_code(r);
    for (unsigned s = 0; s < r->resident && r->started < r->own; s++)
        start(r, &r->slots[s], 0);
    if (!kiln_timing_unit_run(r->unit) || r->ended < r->own)
        return false;
    sum_up(r);
    return true;
}

static kiln_timing_memory_t memory_of(const kiln_timing_clock_t *clock)
{
    if (!clock->supposes)
        return KILN_TIMING_MEMORY_KEPT;
    return clock->suppose.recalls ? KILN_TIMING_MEMORY_RECALLED : KILN_TIMING_MEMORY_COMPUTED;
}

bool kiln_timing_replay(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch, double ghz)
{
    const kiln_timing_plan_t *plan = &clock->plan;
    const kiln_sim_product_t *product = launch->options->product;
    const kiln_timing_suppose_t *suppose = &clock->suppose;
    kiln_timing_unit_t unit = {.ops = clock->ops,
                               .plain = suppose->plain,
                               .from_wave = suppose->from_wave,
                               .stalls = clock->stalls,
                               .waited = clock->waited,
                               .set_waits = clock->set_waits,
                               .image = launch->image - launch->memory->arena,
                               .map = &clock->cache_state.map,
                               .measured = launch->options->parameters,
                               .memory = memory_of(clock),
                               .timeline = launch->options->timeline ? &clock->timeline : NULL,
                               .follow = follow,
                               .ended = ended};
    const unsigned waves = suppose->from_wave && suppose->from_wave < launch->wave_count
                               ? suppose->from_wave
                               : launch->wave_count;
    replay_t r = {.clock = clock,
                  .unit = &unit,
                  .own = plan->own,
                  .resident = suppose->resident ? suppose->resident : plan->resident,
                  .waves = waves,
                  .host_waits = launch->options->host_waits,
                  .product = product};
    // If workgroups are extrapolated, some are omitted from the extrapolation instead.
    const unsigned max = KILN_TIMING_SIMDS * KILN_TIMING_WAVES / waves;
    r.resident = max && r.resident > max ? max : r.resident;
    if (suppose->fewer && plan->own == plan->ranks)
        r.own -= suppose->fewer;
    clock->replay = (kiln_timing_replay_t){.own = r.own};
    kiln_timing_timeline_clear(&clock->timeline);
    memset(clock->stalls, 0, clock->op_count * sizeof *clock->stalls);
    memset(clock->waited, 0, clock->op_count * sizeof *clock->waited);
    if (!clock->supposes)
        memset(clock->set_waits, 0, clock->op_count * sizeof *clock->set_waits);
    unit.user = &r;
    for (unsigned i = 0; i < KILN_TIMING_POWERS; i++)
        unit.longer[i] = kiln_timing_matrix_longer(product, i, 1e3 * ghz);
    r.slots = calloc(r.resident, sizeof *r.slots);
    r.ends = calloc(plan->own, sizeof *r.ends);
    r.apart = calloc(plan->own, sizeof *r.apart);
    r.done = calloc(plan->own, sizeof *r.done);
    const double gb_s = kiln_sim_product_memory_gb_s(product);
    const bool good =
        r.slots && r.ends && r.apart && r.done &&
        kiln_timing_unit_open(&unit, KILN_GFX942_L2_BYTES, ghz, gb_s, (unsigned)product->xcds) &&
        run(&r);
    kiln_timing_unit_close(&unit);
    free(r.slots);
    free(r.ends);
    free(r.apart);
    free(r.done);
    return good;
}
