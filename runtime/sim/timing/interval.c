// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks up the interval of a prediction in timing/errors.def.
#include "timing/interval.h"

static const struct {
    kiln_timing_bound_t bound;
    double below_us; // 0: no limit
    double min, max;
    unsigned points;
} rows[] = {
#define KILN_TIMING_ERROR(bound, below, min, max, points)                                          \
    {KILN_TIMING_BOUND_##bound, below, min, max, points},
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
    double max = 0.5;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (units[i].busy < max)
            continue;
        max = units[i].busy;
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
        p->min_microseconds = p->microseconds * rows[i].min / 100;
        p->max_microseconds = p->microseconds * rows[i].max / 100;
        p->similar_points = rows[i].points;
        return;
    }
}
