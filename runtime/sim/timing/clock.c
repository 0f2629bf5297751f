// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a launch to its predicted time.
#include "timing/clock.h"

#include <stdlib.h>

#include "core/observe.h"
#include "timing/parameters.h"
#include "timing/unit.h"

bool kiln_timing_clock_begin(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch)
{
    const kiln_sim_product_t *product = launch->options->product;
    kiln_timing_plan_free(&clock->plan);
    kiln_timing_lines_free(&clock->lines);
    kiln_timing_companions_free(&clock->companions); // where the launch before failed
    clock->predicted = clock->out_of_memory = false;
    return kiln_timing_plan_make(
        &clock->plan, launch->group_count, (unsigned)product->compute_units, (unsigned)product->xcds,
        kiln_sim_groups_per_cu(launch->kernel, launch->wave_count, launch->lds_size), launch->wave_count);
}

bool kiln_timing_clock_restrict(kiln_sim_launch_t *launch)
{
    if (!launch->options->clock_only)
        return true;
    kiln_timing_clock_t *clock = launch->machine->clock;
    launch->only = clock->plan.ids;
    launch->todo = clock->plan.id_count;
    if (launch->observers != 1u << KILN_SIM_PLACE_CLOCK)
        return true; // who else watches wants to see everything
    kiln_sim_slice_free(&clock->slice);
    if (!kiln_sim_slice_make(&clock->slice, launch->program, launch->entry))
        return false;
    launch->slice = &clock->slice;
    if (clock->slice.repeatable)
        kiln_timing_plan_want_steps(&clock->plan, false);
    return true;
}

// Which workgroups are replayed is known when the accesses of all are, and to execute a few again is cheaper than to record instructions of
// all that may be.
bool kiln_timing_clock_again(kiln_sim_launch_t *launch)
{
    if (!launch->slice || !launch->slice->repeatable)
        return false;
    kiln_timing_plan_t *plan = &launch->machine->clock->plan;
    kiln_timing_plan_choose(plan);
    kiln_timing_plan_want_steps(plan, true);
    launch->only = plan->own_ids;
    launch->todo = plan->own;
    launch->next_group = 0;
    return true;
}

static bool make_ops(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch)
{
    free(clock->ops);
    free(clock->stalls);
    free(clock->executed);
    clock->op_count = kiln_sim_program_count(launch->program);
    clock->ops = calloc(clock->op_count, sizeof *clock->ops);
    clock->stalls = calloc(clock->op_count, sizeof *clock->stalls);
    clock->executed = calloc(clock->op_count, sizeof *clock->executed);
    if (!clock->ops || !clock->stalls || !clock->executed)
        return false;
    for (unsigned own = 0; own < clock->plan.own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(&clock->plan, own);
        for (unsigned w = 0; w < group->wave_count; w++) {
            for (size_t i = 0; i < group->waves[w].step_count; i++)
                clock->executed[group->waves[w].steps[i]] = true;
        }
    }
    for (size_t i = 0; i < clock->op_count; i++) {
        if (clock->executed[i])
            kiln_timing_op_make(&clock->ops[i], kiln_sim_program_inst(launch->program, i));
    }
    return true;
}

static bool all_recorded(const kiln_timing_plan_t *plan)
{
    for (unsigned own = 0; own < plan->own; own++) {
        const kiln_timing_group_t *group = kiln_timing_plan_own(plan, own);
        for (unsigned w = 0; w < group->wave_count; w++) {
            if (!group->recorded || group->waves[w].step_count == 0)
                return false;
        }
    }
    return plan->own > 0;
}

// Of the whole launch, and what the device could do of it in a second.
static void tell_work(kiln_sim_prediction_t *p, const kiln_timing_clock_t *clock, const kiln_sim_product_t *product,
                      double hbm_gb_s)
{
    const kiln_timing_replay_t *r = &clock->replay;
    const kiln_timing_plan_t *plan = &clock->plan;
    const double xcds = plan->grid < plan->xcds ? (double)plan->grid : (double)plan->xcds;
    const double bytes = KILN_GFX942_L2_LINE * xcds * (double)plan->ranks / plan->own; // for a line of the replay
    const double hz = product->clock_mhz * 1e6;
    p->flops = r->flops * plan->average * (double)plan->grid / plan->own;
    p->l2_bytes = (double)r->l2_lines * bytes;
    p->infinity_cache_bytes = (double)r->mall_lines * bytes;
    p->hbm_bytes = (r->hbm_read_lines + r->hbm_write_lines) * bytes;
    p->peak_flops = r->flops_a_cycle * KILN_TIMING_SIMDS * product->compute_units * hz;
    p->peak_l2 = (double)KILN_TIMING_L2_READ_BYTES * product->xcds * hz;
    p->peak_infinity_cache = KILN_TIMING_MALL_BANDWIDTH * 1e9;
    p->peak_hbm = hbm_gb_s * 1e9;
}

static void tell(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch, double mhz)
{
    const kiln_timing_replay_t *r = &clock->replay;
    const kiln_sim_product_t *product = launch->options->product;
    const double cycles = (double)r->cycles, simd_cycles = cycles * KILN_TIMING_SIMDS;
    const double gb_s = product->memory_clock_mhz * 4.0 * product->memory_bus_bits / 8 / 1000;
    const double seconds = cycles / (mhz * 1e6);
    kiln_sim_prediction_t *p = &clock->prediction;
    *p = (kiln_sim_prediction_t){
        .struct_size = sizeof *p,
        .clock_mhz = mhz,
        .cycles = r->launch_cycles,
        .microseconds = r->launch_cycles / mhz + KILN_TIMING_END_NS * 1e-3,
        .launch_microseconds = KILN_TIMING_LAUNCH_NS * 1e-3,
        .workgroups = launch->group_count,
        .replayed = clock->plan.own,
        .recorded = clock->plan.id_count,
        .unexecuted = launch->options->clock_only,
        .mfma_busy = (double)r->matrix / simd_cycles,
        .valu_busy = (double)r->valu / simd_cycles,
        .lds_busy = (double)r->lds / cycles,
        .l1_busy = (double)r->l1 / cycles,
        .l2_busy = (double)r->l2_lines * KILN_GFX942_L2_LINE / KILN_TIMING_L2_READ_BYTES / cycles,
        .hbm_busy =
            (r->hbm_read_lines + r->hbm_write_lines) * KILN_GFX942_L2_LINE * product->xcds / seconds / (gb_s * 1e9),
        .l1_hits = r->l1_hits + r->l1_misses ? (double)r->l1_hits / (double)(r->l1_hits + r->l1_misses) : 0,
        .l2_hits = r->l2_lines ? (double)r->l2_hits / (double)r->l2_lines : 0,
        .waves_per_simd = (double)r->wave_cycles / simd_cycles,
    };
    tell_work(p, clock, product, gb_s);
    clock->predicted = true;
}

// The clock depends on how busy the matrix units are, and that on the clock, because memory has another; two rounds agree closely.
void kiln_timing_clock_end(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch)
{
    enum { ROUNDS = 2 };
    clock->unwritten = false;
    kiln_timing_plan_choose(&clock->plan);
    if (launch->failed || clock->out_of_memory || !all_recorded(&clock->plan) || !make_ops(clock, launch) ||
        !kiln_timing_companions_make(&clock->companions, &clock->plan) ||
        !kiln_timing_warmth_begin(&clock->warmth, &clock->plan, launch->memory))
        return;
    const kiln_sim_caches_t caches = launch->options->caches;
    if (caches != KILN_SIM_CACHES_KEPT && !kiln_timing_warmth_assume(&clock->warmth, caches == KILN_SIM_CACHES_WARM))
        return;
    const uint32_t given = launch->options->clock_mhz;
    double mhz = given ? (double)given : launch->options->product->clock_mhz;
    bool good = kiln_timing_replay(clock, launch, mhz * 1e-3);
    for (unsigned round = 0; good && !given && round < ROUNDS; round++) {
        const kiln_sim_product_t *product = launch->options->product;
        const double cycles = (double)clock->replay.cycles * KILN_TIMING_SIMDS;
        const double units = launch->group_count < (uint64_t)product->compute_units ? (double)launch->group_count
                                                                                    : (double)product->compute_units;
        double share[KILN_TIMING_POWERS];
        for (unsigned i = 0; i < KILN_TIMING_POWERS; i++)
            share[i] = (double)clock->replay.power[i] / cycles;
        const double held = kiln_timing_power_clock(product, share, units);
        if (held > 0.95 * mhz && held < 1.05 * mhz)
            break;
        mhz = held;
        good = kiln_timing_replay(clock, launch, mhz * 1e-3);
    }
    if (good)
        tell(clock, launch, mhz);
    if (good && (launch->options->stalls || launch->options->timeline))
        good = kiln_timing_lines_make(&clock->lines, clock, launch);
    clock->unwritten =
        good && launch->options->timeline && !kiln_timing_timeline_write(clock, launch, launch->options->timeline);
    kiln_timing_warmth_end(&clock->warmth);
    kiln_timing_companions_free(&clock->companions);
}

void kiln_timing_clock_free(kiln_timing_clock_t *clock)
{
    kiln_timing_plan_free(&clock->plan);
    kiln_timing_warmth_free(&clock->warmth);
    kiln_timing_companions_free(&clock->companions);
    free(clock->ops);
    free(clock->stalls);
    free(clock->executed);
    kiln_timing_lines_free(&clock->lines);
    kiln_timing_timeline_clear(&clock->timeline);
    kiln_sim_slice_free(&clock->slice);
    free(clock);
}
