// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the dots of a loop's chain work on different iterations, as in attention, where the
// scores of the next keys are computed beside the softmax of these. That takes registers and LDS,
// and so may cost workgroups on a compute unit. The compiler compares what the compute unit
// achieves either way (passes/pipelining/candidate.c, analysis/machine/step_cycles.c); so does
// this.
#include "model/model.h"

#include <math.h>

// Cycles of an iteration, of one wave; of LDS, those of one wave of each SIMD.
typedef struct step_cycles {
    double matrix, vector, lds;
} step_cycles_t;

static step_cycles_t cycles_of(const kiln_workload_t *workload, unsigned region,
                               const kiln_model_config_t *config)
{
    step_cycles_t cycles = {0};
    for (size_t i = 0; i < workload->step_count; i++) {
        const kiln_work_step_t *step = &workload->steps[i];
        if (step->region != region)
            continue;
        if (step->kind == KILN_WORK_DOT)
            cycles.matrix += kiln_model_matrix_cycles(step, config);
        cycles.vector += kiln_model_vector_cycles(workload, step, config);
        cycles.lds += (kiln_model_lds_write_cycles(workload, step, config) +
                       kiln_model_lds_read_cycles(workload, step, config)) *
                      KILN_GFX942_SIMDS / config->warps;
    }
    cycles.lds *= kiln_model_lds_bank_share(); // the compiler counts only the banks
    return cycles;
}

// Cycles in which registers beyond the architectural ones are moved to the others and back.
static double move_cycles(double registers)
{
    enum { THERE_AND_BACK = 2 };
    return THERE_AND_BACK * KILN_GFX942_VALU_CYCLES * fmax(0, registers - KILN_GFX942_ARCH_VGPRS);
}

// Cycles for an iteration of each wave of a compute unit, by the number of waves. Further waves of
// a SIMD add only what its busiest unit has to do for them.
static double pace_of(const kiln_workload_t *workload, unsigned region,
                      const kiln_model_config_t *config, kiln_model_overlap_t overlap)
{
    const kiln_model_resources_t needed = kiln_model_resources(workload, config, overlap);
    const step_cycles_t c = cycles_of(workload, region, config);
    const double vector = c.vector + move_cycles(needed.registers),
                 busy = fmax(c.matrix, fmax(vector, c.lds)),
                 alone = overlap == KILN_MODEL_OVERLAPPED ? busy : fmax(c.matrix, c.lds) + vector,
                 spilled = 2 * 4 * needed.spilled * KILN_GFX942_LANES * KILN_GFX942_SIMDS /
                           KILN_GFX942_L1_CYCLE_BYTES,
                 waves = needed.resident * config->warps;
    return (KILN_GFX942_SIMDS * (alone + spilled) +
            fmax(0, waves - KILN_GFX942_SIMDS) * (busy + spilled)) /
           waves;
}

// The pipelined loop with a chain that is executed most; −1: there is none.
static int find_chain(const kiln_workload_t *workload, const kiln_model_config_t *config)
{
    int chain = -1;
    double most = 0;
    for (unsigned r = 0; r < workload->region_count; r++) {
        const double executions = workload->regions[r].entries * workload->regions[r].trips;
        if (executions > most && kiln_model_stages(workload, config, r) > 1 &&
            kiln_model_waiting_registers(workload, config, r) > 0) {
            most = executions;
            chain = (int)r;
        }
    }
    return chain;
}

kiln_model_overlap_t kiln_model_overlap(const kiln_workload_t *workload,
                                        const kiln_model_config_t *config)
{
    const int chain = find_chain(workload, config);
    if (chain < 0)
        return KILN_MODEL_IN_TURN;
    return pace_of(workload, (unsigned)chain, config, KILN_MODEL_OVERLAPPED) <
                   pace_of(workload, (unsigned)chain, config, KILN_MODEL_IN_TURN)
               ? KILN_MODEL_OVERLAPPED
               : KILN_MODEL_IN_TURN;
}

bool kiln_model_is_staged(const kiln_workload_t *workload, const kiln_model_config_t *config,
                          unsigned region, kiln_model_overlap_t overlap)
{
    return overlap == KILN_MODEL_OVERLAPPED && kiln_model_stages(workload, config, region) > 1 &&
           kiln_model_waiting_registers(workload, config, region) > 0;
}
