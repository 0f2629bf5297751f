// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock that a device sustains under load. Its board's power is capped. HBM and what always
// runs take their part of it; the units of the compute units share the rest. What these draw is
// proportional to the fraction of cycles in which they are busy, and to the cube of the clock: with
// more and more compute units under vector instructions, an MI300X's clock falls with the power of
// -1/3 from the limit on (SC25's vfma, vmul and vadd, exponents of 1/3.5 to 1/3.0).
//
// Another device has another limit, under which it sustains another clock for the same work. A
// device may also limit its matrix operations per second (MI308X), independent of power: its
// compute units start matrix instructions less often than their clock allows, whatever the others
// do.
//
// The limit applies to the average over milliseconds, so the load is that of the whole device over
// the whole launch: a last round of workgroups that fills few compute units draws little power.
//
// This is the clock for work that lasts for milliseconds, with random data. Zeros and single short
// launches run at the full clock.
#include <math.h>

#include "timing/parameters.h"
#include "timing/predict.h"

static const double milliwatts[KILN_TIMING_POWERS] = {
#define KILN_TIMING_POWER(name, milliwatts, mark, source) milliwatts,
#include "timing/power.def"
#undef KILN_TIMING_POWER
};

double kiln_timing_matrix_longer(const kiln_sim_product_t *product, unsigned power, double mhz)
{
    // i8 is among the others: AMD expects 406 TOP/s of it and 343 TFLOP/s of fp8 (gfx942.def).
    const bool is_narrow_float =
        power == KILN_TIMING_POWER_MATRIX_16 || power == KILN_TIMING_POWER_MATRIX_8;
    const int limit = is_narrow_float ? product->matrix_mhz : product->other_matrix_mhz;
    return limit && mhz > limit ? mhz / limit - 1 : 0;
}

double kiln_timing_power_clock(const kiln_sim_product_t *product, const kiln_timing_load_t *load)
{
    double drawn = 0; // W, at POWER_CLOCK
    for (unsigned i = 0; i < KILN_TIMING_POWERS; i++)
        drawn += 1e-3 * load->busy[i] * milliwatts[i];
    const double left = fmax(KILN_TIMING_POWER_LIMIT - KILN_TIMING_POWER_IDLE -
                                 1e-3 * load->hbm_gb_s * KILN_TIMING_POWER_HBM,
                             KILN_TIMING_POWER_LEAST);
    double held = product->clock_mhz;
    if (drawn > 0)
        held =
            fmin(held, KILN_TIMING_POWER_CLOCK * cbrt(left / drawn) * product->held_percent / 100);
    return held;
}
