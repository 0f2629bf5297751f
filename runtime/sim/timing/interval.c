// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up the interval of a prediction in timing/errors.def.
#include "timing/interval.h"

static const struct {
    kiln_timing_bound_t bound;
    double below_us; // 0: no limit
    double least, most;
    unsigned points;
} rows[] = {
#define KILN_TIMING_ERROR(bound, below, least, most, points)                                       \
    {KILN_TIMING_BOUND_##bound, below, least, most, points},
#include "timing/errors.def"
#undef KILN_TIMING_ERROR
};

kiln_timing_bound_t kiln_timing_bound_of(const kiln_sim_prediction_t *p)
{
    const struct {
        kiln_timing_bound_t bound;
        double busy;
    } units[] = {
        {KILN_TIMING_BOUND_COMPUTE, p->mfma_busy}, {KILN_TIMING_BOUND_COMPUTE, p->valu_busy},
        {KILN_TIMING_BOUND_MEMORY, p->lds_busy},   {KILN_TIMING_BOUND_MEMORY, p->l1_busy},
        {KILN_TIMING_BOUND_MEMORY, p->l2_busy},    {KILN_TIMING_BOUND_MEMORY, p->hbm_busy}};
    kiln_timing_bound_t bound = KILN_TIMING_BOUND_LATENCY;
    double most = 0.5;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (units[i].busy < most)
            continue;
        most = units[i].busy;
        bound = units[i].bound;
    }
    return bound;
}

void kiln_timing_interval_fill(kiln_sim_prediction_t *p)
{
    const kiln_timing_bound_t bound = kiln_timing_bound_of(p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].bound != bound || (rows[i].below_us > 0 && p->microseconds >= rows[i].below_us))
            continue;
        p->least_microseconds = p->microseconds * rows[i].least / 100;
        p->most_microseconds = p->microseconds * rows[i].most / 100;
        p->similar_points = rows[i].points;
        return;
    }
}
