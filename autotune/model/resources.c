// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a workgroup occupies: registers and LDS, and so how many run on a compute unit at a time.
//
// Registers hold the tiles of data that are live at once, loads in flight, and the operands of the
// matrix instructions of an iteration. LDS holds the operands of dots: in a pipelined loop one
// buffer less than there are stages; otherwise one operand at a time, and a large one in parts.
#include "model/model.h"

#include <math.h>

// Addresses, counters and others, as compiler/analysis/machine/loop_registers.c estimates.
enum { OTHER_REGISTERS = 24 };

enum { REGISTER_BYTES = 4, ACCESS_BYTES = 16 }; // of the widest load or read of LDS

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

// Whether a tile that is stored has as many elements as a dot's result, and so is taken for one.
static bool is_result_of_dot(const kiln_workload_t *workload, const kiln_work_step_t *store)
{
    for (size_t i = 0; i < workload->step_count; i++)
        if (workload->steps[i].kind == KILN_WORK_DOT &&
            workload->steps[i].elements == store->elements)
            return true;
    return false;
}

// LDS that a step needs besides the buffers of its loop, if the loop is pipelined or not.
static double scratch_of(const kiln_workload_t *workload, const kiln_model_config_t *config,
                         const kiln_work_step_t *step, bool is_pipelined)
{
    const double bytes = fmin(bytes_of(step), KILN_MODEL_SCRATCH_BYTES);
    switch (step->kind) {
    case KILN_WORK_EXCHANGE:
        return bytes;
    case KILN_WORK_STORE: // from the layout of matrix instructions to that of whole lines
        return is_result_of_dot(workload, step) ? bytes : 0;
    case KILN_WORK_OPERAND:
        return (step->is_prefetched && is_pipelined) || kiln_model_stays(workload, step, config)
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

static double region_scratch(const kiln_workload_t *workload, const kiln_model_config_t *config,
                             unsigned region, bool is_pipelined)
{
    double most = 0;
    for (size_t i = 0; i < workload->step_count; i++)
        if (workload->steps[i].region == region)
            most = fmax(most, scratch_of(workload, config, &workload->steps[i], is_pipelined));
    return most;
}

int kiln_model_stages(const kiln_workload_t *workload, const kiln_model_config_t *config,
                      unsigned region)
{
    const kiln_work_region_t *r = &workload->regions[region];
    const double bytes = buffer_bytes(workload, region),
                 room = KILN_GFX942_LDS_BYTES - region_scratch(workload, config, region, true);
    if (config->stages < 2 || !r->is_loop || !r->has_dot || bytes <= 0 || bytes > room)
        return 1;
    const int max = 1 + (int)(room / bytes);
    int stages = config->stages < max ? config->stages : max;
    return stages < r->trips ? stages : r->trips < 2 ? 1 : (int)r->trips; // short loops have fewer
}

// How much of a dot's operands is in registers at a time: that of an iteration, or, where registers
// are few, that of one instruction along K.
typedef enum depth { OF_ITERATION, OF_INSTRUCTION } depth_t;

// The registers of a lane for what the matrix instructions of a dot read of one operand.
static double fragment_of(const kiln_workload_t *workload, const kiln_model_config_t *config,
                          const kiln_work_step_t *operand, depth_t depth)
{
    const kiln_work_step_t *dot = &workload->steps[operand->dot];
    const kiln_work_matrix_t *matrix = &dot->matrix[config->wave_choice][config->side_choice];
    if (!matrix->m)
        return 0;
    const double side = operand->operand == 0 ? fmax((double)dot->m / matrix->warps_m, matrix->m)
                                              : fmax((double)dot->n / matrix->warps_n, matrix->n);
    const double k = depth == OF_INSTRUCTION ? fmin((double)dot->k, matrix->k) : (double)dot->k;
    return side * k * dot->operand_bits[operand->operand] / 32 / KILN_GFX942_LANES;
}

// The registers of a lane for the operands of a region's dots. Those that are loaded before a loop
// stay; the others are those of one dot at a time, or of all dots if these work on different
// iterations. Another dot's result is among the tiles that are live.
static double fragments_of(const kiln_workload_t *workload, const kiln_model_config_t *config,
                           unsigned region, bool is_chain, depth_t depth)
{
    double stay = 0, most = 0, sum = 0;
    for (size_t d = 0; d < workload->step_count; d++) {
        double own = 0;
        if (workload->steps[d].kind != KILN_WORK_DOT || workload->steps[d].region != region)
            continue;
        for (size_t i = 0; i < workload->step_count; i++) {
            const kiln_work_step_t *step = &workload->steps[i];
            if (step->kind == KILN_WORK_OPERAND && step->dot == d && !step->is_result)
                *(step->region == region ? &own : &stay) +=
                    fragment_of(workload, config, step, depth);
        }
        most = fmax(most, own);
        sum += own;
    }
    return stay + (is_chain ? sum : most);
}

// Registers of the values that wait between the stages of a chain of dots: the first dot's result,
// and what becomes an operand of the second one.
double kiln_model_waiting_registers(const kiln_workload_t *workload,
                                    const kiln_model_config_t *config, unsigned region)
{
    double registers = 0;
    for (size_t i = 0; i < workload->step_count; i++) {
        const kiln_work_step_t *step = &workload->steps[i];
        if (step->kind == KILN_WORK_OPERAND && step->region == region && step->is_result)
            registers += (double)step->elements * (1 + step->bits / 32.0) / lanes_of(config);
    }
    return registers;
}

// Pipelined loops read operands from their buffers, so that they can do with those of one
// instruction, unless a chain's dots work on different iterations.
static depth_t least_depth(const kiln_workload_t *workload, const kiln_model_config_t *config,
                           unsigned region)
{
    if (kiln_model_stages(workload, config, region) < 2)
        return OF_ITERATION;
    for (size_t i = 0; i < workload->step_count; i++)
        if (workload->steps[i].kind == KILN_WORK_OPERAND && workload->steps[i].region == region &&
            workload->steps[i].is_result)
            return OF_ITERATION;
    return OF_INSTRUCTION;
}

// Loads of operands are in flight, in registers, while those of this iteration or, in a pipelined
// loop, of an earlier one are read from LDS. A pipelined loop keeps an address for each access.
static double registers_of(const kiln_workload_t *workload, const kiln_model_config_t *config,
                           kiln_model_overlap_t overlap, depth_t depth)
{
    double max = 0;
    for (unsigned r = 0; r < workload->region_count; r++) {
        const bool is_pipelined = kiln_model_stages(workload, config, r) > 1;
        const depth_t own_depth =
            depth == OF_INSTRUCTION ? least_depth(workload, config, r) : OF_ITERATION;
        const double waiting = is_pipelined && overlap == KILN_MODEL_OVERLAPPED
                                   ? kiln_model_waiting_registers(workload, config, r)
                                   : 0,
                     live = workload->regions[r].live_bits / 32 / lanes_of(config),
                     flight = buffer_bytes(workload, r) / 4 / lanes_of(config),
                     moved = flight + fragments_of(workload, config, r, waiting > 0, own_depth),
                     addresses = is_pipelined ? moved * REGISTER_BYTES / ACCESS_BYTES : 0;
        max = fmax(max, live + moved + addresses + waiting);
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

// Buffers of a region's prefetched operands. Dots that work on different iterations read theirs a
// step early, so that a second buffer saves a barrier.
static double buffers_of(const kiln_workload_t *workload, const kiln_model_config_t *config,
                         unsigned region, kiln_model_overlap_t overlap, double room)
{
    const double buffers = kiln_model_stages(workload, config, region) - 1,
                 two = 2 * buffer_bytes(workload, region);
    const bool is_chain = overlap == KILN_MODEL_OVERLAPPED && buffers > 0 &&
                          kiln_model_waiting_registers(workload, config, region) > 0;
    return is_chain && two <= room ? fmax(buffers, 2) : buffers;
}

static double lds_of(const kiln_workload_t *workload, const kiln_model_config_t *config,
                     kiln_model_overlap_t overlap)
{
    double max = 0;
    for (unsigned r = 0; r < workload->region_count; r++) {
        const bool is_pipelined = kiln_model_stages(workload, config, r) > 1;
        const double scratch = region_scratch(workload, config, r, is_pipelined),
                     buffers =
                         buffers_of(workload, config, r, overlap, KILN_GFX942_LDS_BYTES - scratch);
        max = fmax(max, scratch + buffers * buffer_bytes(workload, r));
    }
    return max;
}

// Waves of a workgroup on one SIMD: they run at the same time.
static double own_waves(const kiln_model_config_t *config)
{
    return ceil((double)config->warps / KILN_GFX942_SIMDS);
}

// Registers that a lane can have.
static double register_limit(const kiln_model_config_t *config)
{
    return KILN_GFX942_SIMD_VGPRS / fmax(own_waves(config), config->waves_per_eu);
}

// The most waves on a SIMD. For LLVM waves_per_eu is also the most: the kernel asks for as many
// registers as leave room for no more. It ignores less than a workgroup needs.
static double wave_limit(const kiln_model_config_t *config)
{
    return config->waves_per_eu >= own_waves(config) ? config->waves_per_eu
                                                     : KILN_GFX942_WAVES_PER_SIMD;
}

// Workgroups of a compute unit at a time.
static double resident_of(const kiln_model_config_t *config, double registers, double lds)
{
    const double used = fmin(registers, register_limit(config)),
                 granules = ceil(used / KILN_GFX942_VGPR_GRANULE) * KILN_GFX942_VGPR_GRANULE,
                 waves = fmin(floor(KILN_GFX942_SIMD_VGPRS / granules), wave_limit(config)),
                 by_registers = floor(waves * KILN_GFX942_SIMDS / config->warps),
                 by_lds = lds > 0 ? floor(KILN_GFX942_LDS_BYTES / lds) : by_registers;
    return fmax(fmin(by_registers, by_lds), 1);
}

kiln_model_resources_t kiln_model_resources(const kiln_workload_t *workload,
                                            const kiln_model_config_t *config,
                                            kiln_model_overlap_t overlap)
{
    const double limit = register_limit(config),
                 least = registers_of(workload, config, overlap, OF_INSTRUCTION);
    kiln_model_resources_t r = {
        .registers =
            fmin(registers_of(workload, config, overlap, OF_ITERATION), fmax(limit, least)),
        .lds = lds_of(workload, config, overlap),
        .stages = 1};
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
