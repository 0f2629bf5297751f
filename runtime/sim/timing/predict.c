// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts the time of a launch: connects plan, recording, cache state, replay and power.
#include "timing/predict.h"

#include <stdlib.h>

#include "run/observe.h"
#include "timing/interval.h"
#include "timing/parameters.h"
#include "timing/unit.h"

bool kiln_timing_clock_begin(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch)
{
    const kiln_sim_product_t *product = launch->options->product;
    kiln_timing_plan_free(&clock->plan);
    kiln_timing_lines_free(&clock->lines);
    kiln_timing_companions_free(&clock->companions); // if the previous launch failed
    clock->predicted = clock->out_of_memory = clock->replayable = false;
    clock->number++;
    return kiln_timing_plan_make(
        &clock->plan, launch->group_count, (unsigned)product->compute_units,
        (unsigned)product->xcds,
        kiln_sim_groups_per_cu(launch->kernel, launch->wave_count, launch->lds_size),
        launch->wave_count);
}

bool kiln_timing_clock_restrict(kiln_sim_launch_t *launch)
{
    if (!launch->options->clock_only)
        return true;
    kiln_timing_clock_t *clock = launch->machine->clock;
    launch->only = clock->plan.ids;
    launch->todo = clock->plan.id_count;
    if (launch->observers != 1u << KILN_SIM_PLACE_CLOCK)
        return true; // other observers need all instructions
    kiln_sim_slice_free(&clock->slice);
    if (!kiln_sim_slice_make(&clock->slice, launch->program, launch->entry))
        return false;
    launch->slice = &clock->slice;
    if (clock->slice.repeatable)
        kiln_timing_plan_request_steps(&clock->plan, false);
    return true;
}

// Chooses the replayed workgroups, now that the accesses of all are known. Executing a few again is
// cheaper than recording the instructions of all candidates.
bool kiln_timing_clock_needs_rerun(kiln_sim_launch_t *launch)
{
    if (!launch->slice || !launch->slice->repeatable)
        return false;
    kiln_timing_plan_t *plan = &launch->machine->clock->plan;
    kiln_timing_plan_choose(plan);
    kiln_timing_plan_request_steps(plan, true);
    launch->only = plan->own_ids;
    launch->todo = plan->own;
    launch->next_group = 0;
    return true;
}

static bool make_ops(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch)
{
    free(clock->ops);
    free(clock->stalls);
    free(clock->waited);
    free(clock->set_waits);
    free(clock->executed);
    clock->op_count = kiln_sim_program_count(launch->program);
    clock->ops = calloc(clock->op_count, sizeof *clock->ops);
    clock->stalls = calloc(clock->op_count, sizeof *clock->stalls);
    clock->waited = calloc(clock->op_count, sizeof *clock->waited);
    clock->set_waits = calloc(clock->op_count, sizeof *clock->set_waits);
    clock->executed = calloc(clock->op_count, sizeof *clock->executed);
    if (!clock->ops || !clock->stalls || !clock->waited || !clock->set_waits || !clock->executed)
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

// Fills in the work of the whole launch and the device's peak rates.
static void fill_work(kiln_sim_prediction_t *p, const kiln_timing_clock_t *clock,
                      const kiln_sim_product_t *product, double hbm_gb_s)
{
    const kiln_timing_replay_t *r = &clock->replay;
    const kiln_timing_plan_t *plan = &clock->plan;
    const double xcds = plan->grid < plan->xcds ? (double)plan->grid : (double)plan->xcds;
    const double bytes =
        KILN_GFX942_L2_LINE * xcds * (double)plan->ranks / r->own; // of a line of the replay
    const double hz = product->clock_mhz * 1e6;
    p->flops = r->flops * plan->average * (double)plan->grid / r->own;
    p->l2_bytes = (double)r->memory.l2_lines * bytes;
    p->infinity_cache_bytes = (double)r->memory.mall_lines * bytes;
    p->hbm_bytes = (r->memory.hbm_read_lines + r->memory.hbm_write_lines) * bytes;
    p->peak_flops = r->flops_a_cycle * KILN_TIMING_SIMDS * product->compute_units * hz;
    p->peak_l2 = (double)KILN_TIMING_L2_READ_BYTES * product->xcds * hz;
    p->peak_infinity_cache = KILN_TIMING_MALL_BANDWIDTH * 1e9;
    p->peak_hbm = hbm_gb_s * 1e9;
}

static void fill_prediction(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch, double mhz)
{
    const kiln_timing_replay_t *r = &clock->replay;
    const kiln_sim_product_t *product = launch->options->product;
    // The replayed workgroups' share of the write-back belongs to them, as their lines in it do.
    const double cycles = (double)r->cycles +
                          r->memory.write_back * clock->plan.own / (double)clock->plan.ranks,
                 simd_cycles = cycles * KILN_TIMING_SIMDS;
    const double gb_s = kiln_sim_product_pins_gb_s(product);
    const double seconds = cycles / (mhz * 1e6);
    const kiln_timing_parameters_t *measured = kiln_timing_measured(launch->options->parameters);
    kiln_sim_prediction_t *p = &clock->prediction;
    *p = (kiln_sim_prediction_t){
        .struct_size = sizeof *p,
        .clock_mhz = mhz,
        .cycles = r->launch_cycles,
        .microseconds = r->launch_cycles / mhz + measured->END_NS * 1e-3,
        .launch_microseconds = measured->LAUNCH_NS * 1e-3,
        .workgroups = launch->group_count,
        .replayed = clock->plan.own,
        .recorded = clock->plan.id_count,
        .unexecuted = launch->options->clock_only,
        .mfma_busy = (double)r->matrix / simd_cycles,
        .valu_busy = (double)r->valu / simd_cycles,
        .lds_busy = (double)r->lds / cycles,
        .l1_busy = (double)r->memory.l1 / cycles,
        .l2_busy =
            (double)r->memory.l2_lines * KILN_GFX942_L2_LINE / KILN_TIMING_L2_READ_BYTES / cycles,
        .hbm_busy = (r->memory.hbm_read_lines + r->memory.hbm_write_lines) * KILN_GFX942_L2_LINE *
                    product->xcds / seconds / (gb_s * 1e9),
        .l1_hits =
            r->memory.l1_hits + r->memory.l1_misses
                ? (double)r->memory.l1_hits / (double)(r->memory.l1_hits + r->memory.l1_misses)
                : 0,
        .l2_hits = r->memory.l2_lines ? (double)r->memory.l2_hits / (double)r->memory.l2_lines : 0,
        .waves_per_simd = (double)r->wave_cycles / simd_cycles,
        .mean_work = clock->plan.mean_group,
        .mean_unit_work = clock->plan.mean_unit,
    };
    fill_work(p, clock, product, gb_s);
    kiln_timing_interval_fill(p);
    clock->predicted = true;
}

// Since 6.2, ROCm puts kernel arguments into device memory; before, into host memory, which for an
// integrated device is the same.
static kiln_timing_arguments_t arguments_of(const kiln_sim_launch_t *launch)
{
    const kiln_sim_options_t *options = launch->options;
    if (options->host_arguments && !options->product->integrated)
        return (kiln_timing_arguments_t){0};
    return (kiln_timing_arguments_t){(uint64_t)(uintptr_t)launch->kernarg, launch->kernarg_offset};
}

uint64_t kiln_timing_clock_grid(const kiln_timing_clock_t *clock)
{
    return clock->suppose.grid ? clock->suppose.grid : clock->plan.grid;
}

// The average load of the device while launches follow each other. What the replayed workgroups did
// counts for all; lines of the L2 and of memory are those of the first XCD, with companions.
static kiln_timing_load_t load_of(const kiln_timing_clock_t *clock,
                                  const kiln_sim_product_t *product, double mhz)
{
    const kiln_timing_plan_t *plan = &clock->plan;
    const kiln_timing_replay_t *r = &clock->replay;
    const double grid = (double)kiln_timing_clock_grid(clock),
                 launches = plan->average * grid / r->own / r->launch_cycles; // a cycle
    kiln_sim_prediction_t work = {0};
    fill_work(&work, clock, product, 0);
    kiln_timing_load_t load = {.hbm_gb_s = work.hbm_bytes / r->launch_cycles * mhz * 1e-3};
    for (unsigned i = 0; i < KILN_TIMING_POWERS; i++)
        load.busy[i] = (double)r->power[i] / KILN_TIMING_SIMDS * launches;
    load.busy[KILN_TIMING_POWER_LDS] = (double)r->lds * launches;
    load.busy[KILN_TIMING_POWER_L1] = (double)r->memory.l1 * launches;
    load.busy[KILN_TIMING_POWER_L2] = work.l2_bytes / KILN_TIMING_L2_READ_BYTES / product->xcds /
                                      r->launch_cycles * product->compute_units;
    return load;
}

// A guess at the load before any replay: a launch takes as long as the matrix and vector
// instructions of its workgroups, and a fifth more for what keeps them waiting, or as HBM takes for
// the memory that it touches. Without matrix instructions most launches run at the full clock, so
// the guess is no load.
static kiln_timing_load_t guess_load(const kiln_timing_clock_t *clock,
                                     const kiln_sim_product_t *product)
{
    const kiln_timing_plan_t *plan = &clock->plan;
    const kiln_timing_group_t *group = kiln_timing_plan_own(plan, 0);
    const double longer = 1.2, mhz = product->clock_mhz;
    double power[KILN_TIMING_POWERS] = {0}, matrix = 0, vector = 0, bytes = 0;
    for (unsigned w = 0; w < group->wave_count; w++) {
        const kiln_timing_stream_t *stream = &group->waves[w];
        for (size_t i = 0; i < stream->step_count; i++) {
            const kiln_timing_op_t *op = &clock->ops[stream->steps[i]];
            if (op->act == KILN_TIMING_MATRIX) {
                power[op->power] += op->cycles;
                matrix += op->cycles * (1 + kiln_timing_matrix_longer(product, op->power, mhz));
            } else if (op->port == KILN_TIMING_VALU) {
                power[op->power] += op->blocks;
                vector += op->blocks;
            }
        }
    }
    for (size_t r = 0; r < clock->cache_state.region_count; r++)
        bytes += clock->cache_state.regions[r].bytes;
    const double compute = (double)plan->ranks * (matrix + vector) / KILN_TIMING_SIMDS * longer,
                 memory = bytes / kiln_sim_product_pins_gb_s(product) * mhz * 1e-3,
                 cycles = compute > memory ? compute : memory;
    kiln_timing_load_t load = {.hbm_gb_s = 0};
    for (unsigned i = 0; i < KILN_TIMING_POWERS && matrix > 0; i++)
        load.busy[i] = power[i] / KILN_TIMING_SIMDS * (double)plan->grid / cycles;
    return load;
}

static bool is_held(double held, double mhz)
{
    return held > 0.95 * mhz && held < 1.05 * mhz;
}

// The clock frequency depends on the utilization of the multipliers, which in turn depends on the
// frequency because memory has its own clock. Two more rounds suffice for close agreement.
bool kiln_timing_clock_predict(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch,
                               double mhz)
{
    enum { ROUNDS = 2 };
    const bool given = launch->options->clock_mhz || clock->suppose.at_clock;
    if (launch->options->clock_mhz)
        mhz = (double)launch->options->clock_mhz;
    bool good = kiln_timing_replay(clock, launch, mhz * 1e-3);
    for (unsigned round = 0; good && !given && round < ROUNDS; round++) {
        const kiln_timing_load_t load = load_of(clock, launch->options->product, mhz);
        const double held = kiln_timing_power_clock(launch->options->product, &load);
        if (is_held(held, mhz))
            break;
        mhz = held;
        good = kiln_timing_replay(clock, launch, mhz * 1e-3);
    }
    if (good)
        fill_prediction(clock, launch, mhz);
    return good;
}

double kiln_timing_clock_held(const kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch,
                              double mhz)
{
    const kiln_timing_load_t load = load_of(clock, launch->options->product, mhz);
    return launch->options->clock_mhz ? (double)launch->options->clock_mhz
                                      : kiln_timing_power_clock(launch->options->product, &load);
}

// Takes the prediction of an equal launch. False if there was none.
static bool take_known(kiln_timing_clock_t *clock, const kiln_timing_identity_t *identity)
{
    const kiln_sim_prediction_t *known =
        kiln_timing_launch_cache_find(&clock->launch_cache, identity);
    if (!known)
        return false;
    clock->prediction = *known;
    clock->prediction.repeated = true;
    return clock->predicted = true;
}

void kiln_timing_clock_end(kiln_timing_clock_t *clock, const kiln_sim_launch_t *launch)
{
    clock->unwritten = false;
    kiln_timing_plan_choose(&clock->plan);
    const kiln_timing_arguments_t arguments = arguments_of(launch);
    if (launch->failed || clock->out_of_memory || !all_recorded(&clock->plan) ||
        !kiln_timing_cache_state_begin(&clock->cache_state, &clock->plan, launch->memory,
                                       &arguments))
        return;
    const kiln_sim_caches_t caches = launch->options->caches;
    if (caches != KILN_SIM_CACHES_KEPT &&
        !kiln_timing_cache_state_assume(&clock->cache_state, caches == KILN_SIM_CACHES_WARM))
        return;
    const bool once = launch->options->repeats_once && !launch->options->timeline;
    kiln_timing_identity_t identity;
    if (once && !kiln_timing_identify(launch, &clock->plan, &clock->cache_state, &identity))
        return;
    if (once && take_known(clock, &identity)) {
        kiln_timing_cache_state_end(&clock->cache_state);
        return;
    }
    if (!make_ops(clock, launch) || !kiln_timing_companions_make(&clock->companions, &clock->plan))
        return;
    const kiln_sim_product_t *product = launch->options->product;
    const kiln_timing_load_t guess = guess_load(clock, product);
    bool good = kiln_timing_clock_predict(clock, launch, kiln_timing_power_clock(product, &guess));
    if (good && once)
        kiln_timing_launch_cache_add(&clock->launch_cache, &identity, launch, &clock->prediction);
    if (good && (launch->options->stalls || launch->options->timeline))
        good = kiln_timing_lines_make(&clock->lines, clock, launch);
    clock->unwritten = good && launch->options->timeline &&
                       !kiln_timing_timeline_write(clock, launch, launch->options->timeline);
    kiln_timing_cache_state_end(&clock->cache_state);
    clock->replayable = good && launch->options->stalls;
    if (!clock->replayable) {
        kiln_timing_companions_free(&clock->companions);
        return;
    }
    clock->last = *launch;
    clock->last_result = clock->prediction;
    clock->last_replay = clock->replay;
    clock->last_options = *launch->options;
    clock->last_options.timeline = NULL;
    if (launch->options->parameters) {
        clock->last_parameters = *launch->options->parameters;
        clock->last_options.parameters = &clock->last_parameters;
    }
    clock->last.options = &clock->last_options;
}

void kiln_timing_clock_free(kiln_timing_clock_t *clock)
{
    kiln_timing_plan_free(&clock->plan);
    kiln_timing_cache_state_free(&clock->cache_state);
    kiln_timing_launch_cache_free(&clock->launch_cache);
    kiln_timing_companions_free(&clock->companions);
    free(clock->ops);
    free(clock->stalls);
    free(clock->waited);
    free(clock->set_waits);
    free(clock->executed);
    kiln_timing_first_free(&clock->first);
    kiln_timing_lines_free(&clock->lines);
    kiln_timing_timeline_clear(&clock->timeline);
    kiln_sim_slice_free(&clock->slice);
    free(clock);
}
