// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How workgroups share the units: a closed queueing network. Each of a compute unit's workgroups
// visits one unit after the other, waits for the workgroups queued before it, occupies the unit for
// some cycles, and waits for latencies, during which it occupies none. Mean value analysis (Reiser
// and Lavenberg, Mean-Value Analysis of Closed Multichain Queuing Networks, 1980) gives the time of
// a round: one wave alone takes the sum of all cycles, many take those of the busiest unit, and in
// between the overlap is not perfect.
//
// In a pipelined loop the loads of a workgroup are in flight while it computes, so the longer of
// the two counts. Its buffers are written at the end of an iteration, when the loads have returned.
#include "model/model.h"

#include <math.h>

// The units that the waves of a SIMD use in turns between two barriers.
enum { TURN_UNITS = 3 };

// The time of `count` customers that each need these units for these cycles.
static double time_in_turns(const double cycles[TURN_UNITS], int count)
{
    double queue[TURN_UNITS] = {0}, time = 0;
    for (int n = 1; n <= count; n++) {
        double at[TURN_UNITS];
        time = 0;
        for (int u = 0; u < TURN_UNITS; u++)
            time += at[u] = cycles[u] * (1 + queue[u]);
        for (int u = 0; u < TURN_UNITS && time > 0; u++)
            queue[u] = n / time * at[u];
    }
    return time;
}

// Workgroups with fewer waves than SIMDs compete only for some SIMDs, and those of two waves for
// one of the two ports of LDS.
typedef struct part {
    double longer; // than the unit as a whole would take
    double meets;  // share of the workgroups at the unit that are in front of another one
} part_t;

static part_t part_of(int unit, int warps)
{
    enum { PORT_SIMDS = 2 };
    switch (unit) {
    case KILN_MODEL_MATRIX:
    case KILN_MODEL_VECTOR:
        return (part_t){1, fmin(1, (double)warps / KILN_GFX942_SIMDS)};
    case KILN_MODEL_LDS:
        return warps > PORT_SIMDS ? (part_t){1, 1} : (part_t){4 / 3., 0.75};
    default:
        return (part_t){1, 1};
    }
}

// The time of a wave's instructions, given that of each unit for them. Dots multiply while their
// operands are read.
static double time_of(const kiln_model_waits_t *waits, double matrix, double vector, double lds)
{
    const double dots = fmax(matrix, waits->read * lds), rest = (1 - waits->read) * lds;
    return (waits->is_staged ? fmax(dots, vector) : dots + vector) + rest;
}

double kiln_model_queue(const double busy[KILN_MODEL_UNITS], const kiln_model_waits_t *waits,
                        double workgroups, int warps)
{
    double queue[KILN_MODEL_UNITS] = {0}, time = 0; // workgroups at each unit
    // Without barriers waves progress independently.
    const double share = (double)warps / KILN_GFX942_SIMDS,
                 customers = waits->has_barriers ? workgroups : workgroups * fmax(1, share);
    const int count = (int)fmax(1, ceil(customers)),
              turns = waits->has_barriers && share > 1 ? (int)share : 1;
    // In turns, too, each unit works for all that the waves need of it (`least`): LDS for what dots
    // read besides the rest.
    const double matrix = busy[KILN_MODEL_MATRIX] / count, vector = busy[KILN_MODEL_VECTOR] / count,
                 lds = busy[KILN_MODEL_LDS] / count * part_of(KILN_MODEL_LDS, warps).longer,
                 dots = fmax(matrix, waits->read * lds), rest = (1 - waits->read) * lds,
                 first = waits->is_staged ? fmax(dots, vector) : dots,
                 second = waits->is_staged ? 0 : vector,
                 each[TURN_UNITS] = {first / turns, second / turns, rest / turns},
                 least = fmax(lds, fmax(matrix, vector)),
                 overlapped = first + second + rest - fmax(time_in_turns(each, turns), least);
    for (int n = 1; n <= count; n++) {
        double at[KILN_MODEL_UNITS];
        for (int u = 0; u < KILN_MODEL_UNITS; u++)
            at[u] = busy[u] / count * part_of(u, warps).longer *
                    (1 + part_of(u, warps).meets * queue[u]);
        const double compute = waits->compute - overlapped +
                               time_of(waits, at[KILN_MODEL_MATRIX], at[KILN_MODEL_VECTOR],
                                       at[KILN_MODEL_LDS]),
                     moved =
                         fmax(at[KILN_MODEL_L1], fmax(at[KILN_MODEL_L2], at[KILN_MODEL_MEMORY])),
                     memory = fmax(fmax(moved, at[KILN_MODEL_FLIGHT]),
                                   (waits->memory + moved) / waits->ahead);
        time = waits->is_pipelined
                   ? fmax(compute, memory + waits->compute + waits->written * at[KILN_MODEL_LDS])
                   : compute + memory;
        for (int u = 0; u < KILN_MODEL_UNITS && time > 0; u++)
            queue[u] = n / time * at[u];
    }
    return time;
}
