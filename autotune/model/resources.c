// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a workgroup occupies: registers and LDS, and so how many run on a compute unit at a time.
//
// Registers hold the tiles of data that are live at once, the loads that a pipelined loop has in
// flight, and the operands of the matrix instructions of an iteration. LDS holds the operands of
// dots: in a pipelined loop one buffer less than there are stages; otherwise one operand at a time,
// and a large one in parts.
#include "model/model.h"

#include <math.h>

// Addresses, counters and others, as compiler/analysis/machine/loop_registers.c estimates.
enum { OTHER_REGISTERS = 24 };

static double bytes_of(const kiln_work_step_t *step)
{
    return (double)step->elements * step->bits / 8;
}

static double lanes_of(const kiln_model_config_t *config)
{
    return (double)KILN_GFX942_LANES * config->warps;
}

// LDS of one buffer of a region's prefetched operands.
static double buffer_bytes(const kiln_workload_t *workload, unsigned region)
{
    double bytes = 0;
    for (size_t i = 0; i < workload->step_count; i++) {
        const kiln_work_step_t *step = &workload->steps[i];
        if (step->kind == KILN_WORK_OPERAND && step->region == region && step->is_prefetched)
            bytes += bytes_of(step);
    }
    return bytes;
}

int kiln_model_stages(const kiln_workload_t *workload, const kiln_model_config_t *config,
                      unsigned region)
{
    const kiln_work_region_t *r = &workload->regions[region];
    const double bytes = buffer_bytes(workload, region);
    if (config->stages < 2 || !r->is_loop || !r->has_dot || bytes <= 0 ||
        bytes > KILN_GFX942_LDS_BYTES)
        return 1;
    const int max = 1 + (int)(KILN_GFX942_LDS_BYTES / bytes);
    int stages = config->stages < max ? config->stages : max;
    return stages < r->trips ? stages : r->trips < 2 ? 1 : (int)r->trips; // short loops have fewer
}

// The bytes that a lane holds of a region's dots: operands of the matrix instructions of one
// iteration.
static double fragment_bytes(const kiln_workload_t *workload, const kiln_model_config_t *config,
                             unsigned region)
{
    double max = 0;
    for (size_t i = 0; i < workload->step_count; i++) {
        const kiln_work_step_t *step = &workload->steps[i];
        const kiln_work_matrix_t *matrix = &step->matrix[config->wave_choice][config->side_choice];
        if (step->kind != KILN_WORK_DOT || step->region != region || !matrix->m)
            continue;
        const double rows = fmax((double)step->m / matrix->warps_m, matrix->m),
                     columns = fmax((double)step->n / matrix->warps_n, matrix->n),
                     k = (double)step->k,
                     bytes = (rows * step->operand_bits[0] + columns * step->operand_bits[1]) * k /
                             8 / KILN_GFX942_LANES;
        max = fmax(max, bytes);
    }
    return max;
}

static double registers_of(const kiln_workload_t *workload, const kiln_model_config_t *config)
{
    double max = 0;
    for (unsigned r = 0; r < workload->region_count; r++) {
        const kiln_work_region_t *region = &workload->regions[r];
        const double flight = kiln_model_stages(workload, config, r) > 1
                                  ? buffer_bytes(workload, r) / lanes_of(config)
                                  : 0;
        const double live = region->live_bits / 8 / lanes_of(config),
                     fragments = fragment_bytes(workload, config, r);
        max = fmax(max, (live + flight + fragments) / 4);
    }
    return OTHER_REGISTERS + max;
}

// Registers of a lane for the tiles that are live in loops.
static double live_registers(const kiln_workload_t *workload, const kiln_model_config_t *config)
{
    double max = 0;
    for (unsigned r = 0; r < workload->region_count; r++)
        if (workload->regions[r].is_loop)
            max = fmax(max, workload->regions[r].live_bits / 32 / lanes_of(config));
    return max;
}

// LDS that a step needs besides the buffers of its loop.
static double scratch_of(const kiln_workload_t *workload, const kiln_model_config_t *config,
                         const kiln_work_step_t *step)
{
    const double bytes = fmin(bytes_of(step), KILN_MODEL_SCRATCH_BYTES);
    switch (step->kind) {
    case KILN_WORK_EXCHANGE:
        return bytes;
    case KILN_WORK_OPERAND:
        return (step->is_prefetched && kiln_model_stages(workload, config, step->region) > 1) ||
                       kiln_model_stays(workload, step, config)
                   ? 0
                   : bytes;
    case KILN_WORK_REDUCE: { // a partial result of each wave that shares a row
        const double sharing = kiln_model_waves_of_row(step, config);
        return sharing > 1 ? (double)step->results * sharing * step->bits / 8 : 0;
    }
    default:
        return 0;
    }
}

static double lds_of(const kiln_workload_t *workload, const kiln_model_config_t *config)
{
    double max = 0;
    for (unsigned r = 0; r < workload->region_count; r++) {
        double scratch = 0;
        for (size_t i = 0; i < workload->step_count; i++)
            if (workload->steps[i].region == r)
                scratch = fmax(scratch, scratch_of(workload, config, &workload->steps[i]));
        max = fmax(max, scratch + (kiln_model_stages(workload, config, r) - 1) *
                                      buffer_bytes(workload, r));
    }
    return max;
}

// Registers that a lane can have: the waves of a workgroup run at the same time.
static double register_limit(const kiln_model_config_t *config)
{
    const double min_waves =
        fmax(ceil((double)config->warps / KILN_GFX942_SIMDS), config->waves_per_eu);
    return KILN_GFX942_SIMD_VGPRS / fmax(min_waves, 1);
}

// Workgroups of a compute unit at a time.
static double resident_of(const kiln_model_config_t *config, double registers, double lds)
{
    const double used = fmin(registers, register_limit(config)),
                 granules = ceil(used / KILN_GFX942_VGPR_GRANULE) * KILN_GFX942_VGPR_GRANULE,
                 waves = fmin(floor(KILN_GFX942_SIMD_VGPRS / granules), KILN_GFX942_WAVES_PER_SIMD),
                 by_registers = floor(waves * KILN_GFX942_SIMDS / config->warps),
                 by_lds = lds > 0 ? floor(KILN_GFX942_LDS_BYTES / lds) : by_registers;
    return fmax(fmin(by_registers, by_lds), 1);
}

// Registers of the values that wait between the stages of a chain of dots: the first dot's result,
// and what becomes an operand of the second one.
static double waiting_registers(const kiln_workload_t *workload, const kiln_model_config_t *config,
                                unsigned region)
{
    double registers = 0;
    for (size_t i = 0; i < workload->step_count; i++) {
        const kiln_work_step_t *step = &workload->steps[i];
        if (step->kind == KILN_WORK_OPERAND && step->region == region && step->is_result)
            registers += (double)step->elements * (1 + step->bits / 32.0) / lanes_of(config);
    }
    return registers;
}

int kiln_model_chain_stages(const kiln_workload_t *workload, const kiln_model_config_t *config,
                            unsigned region)
{
    enum { STAGES = 3 }; // first dot, arithmetic, second dot: passes/pipelining/stage_chains.c
    const double waiting = waiting_registers(workload, config, region),
                 registers = registers_of(workload, config), lds = lds_of(workload, config);
    return waiting > 0 && kiln_model_stages(workload, config, region) > 1 &&
                   registers + waiting <= register_limit(config) &&
                   resident_of(config, registers + waiting, lds) >=
                       resident_of(config, registers, lds)
               ? STAGES
               : 0;
}

kiln_model_resources_t kiln_model_resources(const kiln_workload_t *workload,
                                            const kiln_model_config_t *config)
{
    kiln_model_resources_t r = {
        .registers = registers_of(workload, config), .lds = lds_of(workload, config), .stages = 1};
    const double limit = register_limit(config);
    r.spilled = fmax(0, r.registers - limit);
    // Tiles that fill a whole file leave no registers to move them.
    const double held = live_registers(workload, config);
    if (held >= fmin(limit, KILN_GFX942_ARCH_VGPRS))
        r.spilled = fmax(r.spilled, held);
    r.resident = resident_of(config, r.registers, r.lds);
    for (unsigned region = 0; region < workload->region_count; region++) {
        const int stages = kiln_model_stages(workload, config, region);
        r.stages = stages > r.stages ? stages : r.stages;
    }
    return r;
}
