// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays the recorded workgroups of one compute unit, with the accesses of their companions on the other compute units of the XCD, and
// extrapolates to the whole grid.
//
// What a reader gets wrong: companions have no clock of their own. A companion's wave makes its n-th access when the wave that it
// accompanies makes its own; half of the companions just before, half just behind, so that nobody is always the first to ask
// for a line that all want. What hits the L1 of the one hits the L1 of the others.
#include <stdlib.h>

#include "timing/clock.h"
#include "timing/parameters.h"
#include "timing/unit.h"

typedef struct replay {
    kiln_timing_clock_t *clock;
    kiln_timing_unit_t *unit;
    kiln_timing_slot_t *slots;
    uint64_t *ends;  // of own workgroups, in the order of their ends
    uint64_t *apart; // scratch: distances between them
    unsigned started, ended, waves;
    uint64_t longest;    // cycles that an own workgroup took from its begin to its end
    uint64_t dispatched; // cycle from which the dispatcher can serve this compute unit again
} replay_t;

static uint64_t dispatch_cycles(uint64_t waves)
{
    return waves * 100 / KILN_TIMING_DISPATCH_WAVES;
}

// The dispatcher of an XCD serves its compute units in turn, a wave at a time.
static void start(replay_t *r, kiln_timing_slot_t *slot, uint64_t now)
{
    const kiln_timing_plan_t *plan = &r->clock->plan;
    const uint64_t turn = r->dispatched > now ? r->dispatched : now;
    r->dispatched = turn + dispatch_cycles(plan->units * r->waves);
    slot->own = r->started++;
    slot->group = kiln_timing_plan_own(plan, slot->own);
    kiln_timing_unit_start(r->unit, slot, turn + dispatch_cycles(r->waves) + KILN_TIMING_WAVE_START_CYCLES);
}

static void ended(void *user, kiln_timing_slot_t *slot, uint64_t now)
{
    replay_t *r = user;
    r->clock->replay.wave_cycles += (now - slot->begun) * slot->group->wave_count;
    r->longest = now - slot->begun > r->longest ? now - slot->begun : r->longest;
    r->ends[r->ended++] = now;
    if (r->started < r->clock->plan.own)
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
        if (follower->atomic)
            kiln_timing_l2_atomic(l2, now, line, map);
        else if (follower->writes)
            kiln_timing_l2_write(l2, now, line, map);
        else
            kiln_timing_l2_read(l2, now, line, map);
        if (follower->more)
            kiln_timing_l2_read_again(l2, line, follower->more);
    }
}

static void follow(void *user, const kiln_timing_wave_t *wave, uint64_t now, uint64_t missed, bool behind)
{
    replay_t *r = user;
    const kiln_timing_follower_t *end;
    const kiln_timing_follower_t *follower =
        kiln_timing_companions_part(&r->clock->companions, wave->slot->own, wave->number, wave->memory, behind, &end);
    for (; follower < end; follower++)
        move(r, follower, now, follower->alike ? missed : UINT64_MAX);
}

// ---- the whole

// A launch before has left its code in the instruction cache.
static void warm_code(replay_t *r)
{
    const kiln_timing_clock_t *clock = r->clock;
    const kiln_timing_map_t *map = &clock->warmth.map;
    for (size_t i = 0; i < clock->op_count; i++) {
        const uint64_t address = r->unit->image + clock->ops[i].address;
        if (clock->executed[i] && map->find(map, address / KILN_GFX942_L2_LINE).in_mall) {
            kiln_timing_scalar_warm(&r->unit->scalar, address);
            kiln_timing_scalar_warm(&r->unit->scalar, address + clock->ops[i].size - 1);
            kiln_timing_l2_warm(&r->unit->l2, address / KILN_GFX942_L2_LINE);
        }
    }
}

static void warm_access(replay_t *r, const kiln_timing_stream_t *stream, const kiln_timing_access_t *access)
{
    const kiln_timing_map_t *map = &r->clock->warmth.map;
    for (unsigned i = 0; i < access->line_count; i++) {
        const uint64_t line = kiln_timing_stream_line(stream, access, i);
        if (map->find(map, line).in_l2)
            kiln_timing_l2_warm(&r->unit->l2, line);
    }
}

// And what it touched in the L2, where all of it fits.
static void warm(replay_t *r)
{
    const kiln_timing_warmth_t *warmth = &r->clock->warmth;
    const kiln_timing_plan_t *plan = &r->clock->plan;
    if (warmth->bytes > KILN_GFX942_L2_BYTES)
        return;
    for (unsigned own = 0; own < plan->own; own++) {
        for (unsigned c = 0; c <= plan->companions; c++) {
            const kiln_timing_group_t *group =
                c ? kiln_timing_plan_companion(plan, own, c - 1) : kiln_timing_plan_own(plan, own);
            for (unsigned w = 0; group && w < group->wave_count; w++) {
                const kiln_timing_stream_t *stream = &group->waves[w];
                for (size_t a = 0; a < stream->access_count; a++)
                    warm_access(r, stream, &stream->accesses[a]);
            }
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool are_alike(const kiln_timing_plan_t *plan)
{
    size_t least = SIZE_MAX, most = 0;
    for (unsigned own = 0; own < plan->own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(plan, own);
        size_t steps = 0;
        for (unsigned w = 0; w < group->wave_count; w++)
            steps += group->waves[w].step_count;
        least = steps < least ? steps : least;
        most = steps > most ? steps : most;
    }
    return most - least <= most / 8;
}

// How long a workgroup takes when others have come before it and come behind: from an end to the end that is as many further as are
// resident at once. Of all such distances the middle one, because the first workgroups begin all at once, and the last ones have nobody
// behind them. Where workgroups differ, the mean behind the first generation.
static double steady(const replay_t *r)
{
    const kiln_timing_plan_t *plan = &r->clock->plan;
    const unsigned lag = plan->resident;
    if (plan->own < 2 * lag + 1 || !are_alike(plan))
        return plan->own > lag ? (double)(r->ends[r->ended - 1] - r->ends[lag - 1]) / (plan->own - lag) : 0;
    const unsigned count = plan->own - 2 * lag + 1;
    for (unsigned i = 0; i < count; i++)
        r->apart[i] = r->ends[i + 2 * lag - 1] - r->ends[i + lag - 1];
    qsort(r->apart, count, sizeof *r->apart, ascending);
    return (double)r->apart[count / 2] / lag;
}

// What follows the replayed workgroups takes what a steady one took. No launch is faster than its workgroups are dispatched, nor than
// the longest of them: where most leave at once, the average compute unit has less to do than one workgroup.
static double extrapolate(const replay_t *r)
{
    const kiln_timing_plan_t *plan = &r->clock->plan;
    const double rest = (double)(plan->ranks - plan->own);
    const double all = ((double)r->ends[r->ended - 1] + steady(r) * rest) * plan->scale;
    const uint64_t dispatched = dispatch_cycles(plan->ranks * plan->units * r->waves);
    const double least = (double)(r->longest > dispatched ? r->longest : dispatched);
    return all > least ? all : least;
}

// Floating-point operations, and the rate of the kind that made most of them.
static void count_flops(const replay_t *r)
{
    const kiln_timing_clock_t *clock = r->clock;
    kiln_timing_replay_t *to = &r->clock->replay;
    double most = 0;
    for (size_t i = 0; i < clock->op_count; i++) {
        const kiln_timing_op_t *op = &clock->ops[i];
        const double flops =
            (double)(clock->stalls[i][KILN_SIM_STALL_ISSUED] / KILN_TIMING_ISSUE_CYCLES) * (double)op->flops;
        to->flops += flops;
        if (flops <= most)
            continue;
        most = flops;
        to->flops_a_cycle = (double)op->flops / op->cycles;
    }
}

static void sum_up(const replay_t *r)
{
    const kiln_timing_unit_t *unit = r->unit;
    kiln_timing_replay_t *to = &r->clock->replay;
    to->cycles = r->ends[r->ended - 1];
    to->launch_cycles = extrapolate(r);
    for (unsigned s = 0; s < KILN_TIMING_SIMDS; s++) {
        to->valu += unit->simds[s].valu_busy;
        to->matrix += unit->simds[s].matrix_busy;
        for (unsigned power = 0; power < KILN_TIMING_POWERS; power++)
            to->power[power] += unit->simds[s].power_busy[power];
    }
    to->lds = unit->lds.busy;
    to->l1 = unit->l1.busy;
    to->l1_hits = unit->l1.hits;
    to->l1_misses = unit->l1.misses;
    to->l2_lines = unit->l2.reads + unit->l2.writes + unit->l2.atomics;
    to->l2_hits = unit->l2.hits;
    to->mall_lines = unit->l2.fabric.mall_lines;
    to->hbm_read_lines = unit->l2.fabric.hbm_read;
    to->hbm_write_lines = unit->l2.fabric.hbm_written;
    count_flops(r);
}

static bool run(replay_t *r)
{
    const kiln_timing_plan_t *plan = &r->clock->plan;
    warm_code(r);
    warm(r);
    for (unsigned s = 0; s < plan->resident && r->started < plan->own; s++)
        start(r, &r->slots[s], 0);
    if (!kiln_timing_unit_run(r->unit) || r->ended < plan->own)
        return false;
    sum_up(r);
    return true;
}

bool kiln_timing_replay(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch, double ghz)
{
    const kiln_timing_plan_t *plan = &clock->plan;
    const kiln_sim_product_t *product = launch->options->product;
    kiln_timing_unit_t unit = {.ops = clock->ops,
                               .stalls = clock->stalls,
                               .image = launch->image - launch->memory->arena,
                               .map = &clock->warmth.map,
                               .timeline = launch->options->timeline ? &clock->timeline : NULL,
                               .follow = follow,
                               .ended = ended};
    replay_t r = {.clock = clock, .unit = &unit, .waves = launch->wave_count};
    clock->replay = (kiln_timing_replay_t){0};
    kiln_timing_timeline_clear(&clock->timeline);
    memset(clock->stalls, 0, clock->op_count * sizeof *clock->stalls);
    unit.user = &r;
    r.slots = calloc(plan->resident, sizeof *r.slots);
    r.ends = calloc(plan->own, sizeof *r.ends);
    r.apart = calloc(plan->own, sizeof *r.apart);
    const double gb_s = product->memory_clock_mhz * 4.0 * product->memory_bus_bits / 8 / 1000;
    const bool good = r.slots && r.ends && r.apart &&
                      kiln_timing_unit_open(&unit, KILN_GFX942_L2_BYTES, ghz, gb_s, (unsigned)product->xcds) && run(&r);
    kiln_timing_unit_close(&unit);
    free(r.slots);
    free(r.ends);
    free(r.apart);
    return good;
}
