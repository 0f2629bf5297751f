// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a wave waits for in an execution of a region while no unit works for it: latencies of memory
// and LDS, and barriers. Other waves fill these waits; see queue.c.
#include "model/model.h"

#include <math.h>

// Of a lane's exchange with another one: an instruction that reads another lane's register waits
// for two slots.
enum { ACROSS_LANES_CYCLES = 3 * KILN_TIMING_VALU_LATENCY };

double kiln_model_load_latency(const kiln_model_machine_t *machine,
                               const kiln_model_misses_t *misses, double l2_misses)
{
    const double beyond =
        machine->mall_latency + misses->mall * (machine->hbm_latency - machine->mall_latency);
    return KILN_TIMING_L2_LATENCY + l2_misses * (beyond - KILN_TIMING_L2_LATENCY);
}

// A store and a load in LDS with a barrier between them.
static double exchange_latency(const kiln_model_config_t *config)
{
    return 2 * KILN_GFX942_LDS_LATENCY + (config->warps > 1 ? 2 * KILN_TIMING_BARRIER_CYCLES : 0);
}

// From what is read last of a pipelined loop's buffers to what is read first in the next iteration.
// A single buffer is written between two barriers; the next of several is free, so that one barrier
// is enough, after which what was written is read.
static double refill_latency(const kiln_model_config_t *config, bool is_single)
{
    const int barriers = config->warps == 1 ? 0 : is_single ? 2 : 1;
    return fmax(2, barriers + 1) * KILN_GFX942_LDS_LATENCY + barriers * KILN_TIMING_BARRIER_CYCLES;
}

static double reduction_latency(const kiln_workload_t *workload, const kiln_work_step_t *step,
                                const kiln_model_config_t *config)
{
    const bool crosses_waves = kiln_model_waves_of_row(step, config) > 1;
    return log2(kiln_model_lanes_of_row(workload, step)) * ACROSS_LANES_CYCLES +
           (crosses_waves ? exchange_latency(config) : 0);
}

// How often a step writes LDS and waits to read it: a tile that has no buffer moves through a
// limited space.
static double exchange_parts(const kiln_workload_t *workload, const kiln_work_step_t *step,
                             const kiln_model_config_t *config, int stages)
{
    const bool is_operand = step->kind == KILN_WORK_OPERAND;
    if (step->kind != KILN_WORK_EXCHANGE && !is_operand)
        return 0;
    if (is_operand &&
        ((step->is_prefetched && stages > 1) || kiln_model_stays(workload, step, config)))
        return 0;
    return ceil((double)step->elements * step->bits / 8 / KILN_MODEL_SCRATCH_BYTES);
}

kiln_model_waits_t kiln_model_waits(const kiln_workload_t *workload, unsigned region,
                                    const kiln_model_config_t *config,
                                    const kiln_model_machine_t *machine,
                                    const kiln_model_misses_t *misses, kiln_model_overlap_t overlap)
{
    const kiln_work_region_t *r = &workload->regions[region];
    const int stages = kiln_model_stages(workload, config, region);
    kiln_model_waits_t waits = {.is_pipelined = stages > 1,
                                .is_staged =
                                    kiln_model_is_staged(workload, config, region, overlap),
                                .has_barriers = stages > 1};
    double l2_misses = 0, lds = 0, written = 0, read = 0;
    for (size_t i = 0; i < workload->step_count; i++) {
        const kiln_work_step_t *step = &workload->steps[i];
        if (step->region != region)
            continue;
        const double parts = exchange_parts(workload, step, config, stages);
        const double writes = kiln_model_lds_write_cycles(workload, step, config),
                     reads = kiln_model_lds_read_cycles(workload, step, config);
        lds += writes + reads;
        written += step->is_prefetched ? writes : 0;
        read += step->kind == KILN_WORK_OPERAND ? reads : 0;
        waits.compute += parts * exchange_latency(config);
        waits.has_barriers |= parts > 0;
        if (step->kind == KILN_WORK_REDUCE)
            waits.compute += reduction_latency(workload, step, config);
        if (step->kind == KILN_WORK_LOAD)
            l2_misses = fmax(l2_misses, step->is_repeat ? misses->repeats : misses->l2);
        if (step->kind == KILN_WORK_ATOMIC)
            waits.memory += kiln_model_load_latency(machine, misses, misses->l2);
    }
    waits.written = lds > 0 ? written / lds : 0;
    waits.read = lds > 0 ? read / lds : 0;
    if (waits.is_pipelined) // the stages of a chain have two buffers (resources.c)
        waits.compute += refill_latency(config, stages == 2 && !waits.is_staged);
    waits.ahead = fmax(1, stages - 1);
    waits.memory += r->load_depth * kiln_model_load_latency(machine, misses, l2_misses);
    return waits;
}
