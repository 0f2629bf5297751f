// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock that a device sustains under load. The power of its multipliers, in the matrix units
// and in the vector units, is proportional to their utilization and to the cube of the clock, and
// is capped. The caps are derived from programs that ran at the limit of an MI300X; a device with
// another limit sustains another clock under the same work. A device may also limit its matrix
// operations per second (MI308X), independent of power.
//
// The limit applies to the average over milliseconds, so the utilization is that of the whole
// device over the whole launch: a last round of workgroups that fills few compute units draws
// little power.
//
// This is the clock for work that lasts for milliseconds, with random data. Zeros and single short
// launches run at the full clock.
#include <math.h>

#include "timing/parameters.h"
#include "timing/predict.h"

// Programs that ran at the cap: busy cycles in percent, and the clock.
static const struct {
    double busy, mhz;
} known[KILN_TIMING_POWERS] = {
    [KILN_TIMING_POWER_VECTOR_32] = {200, KILN_TIMING_POWER_CLOCK_VECTOR_32},
    [KILN_TIMING_POWER_VECTOR_64] = {100, KILN_TIMING_POWER_CLOCK_VECTOR_64},
    [KILN_TIMING_POWER_MATRIX_32] = {KILN_TIMING_POWER_BUSY_32, KILN_TIMING_POWER_CLOCK_32},
    [KILN_TIMING_POWER_MATRIX_16] = {KILN_TIMING_POWER_BUSY_16, KILN_TIMING_POWER_CLOCK_16},
    [KILN_TIMING_POWER_MATRIX_8] = {KILN_TIMING_POWER_BUSY_8, KILN_TIMING_POWER_CLOCK_8},
    [KILN_TIMING_POWER_MATRIX_I8] = {KILN_TIMING_POWER_BUSY_8, KILN_TIMING_POWER_CLOCK_8},
};

// The fraction of cycles in which the matrix units execute operations that count towards the limit
// per second. Two formats are preferred, by default i8 and bf16 (Linux's amdgpu). However, bf16 was
// measured to be limited; i8 was not measured and gets the full clock.
static double limited_share(const double share[KILN_TIMING_POWERS])
{
    return share[KILN_TIMING_POWER_MATRIX_32] + share[KILN_TIMING_POWER_MATRIX_16] +
           share[KILN_TIMING_POWER_MATRIX_8];
}

double kiln_timing_power_clock(const kiln_sim_product_t *product,
                               const double share[KILN_TIMING_POWERS], double units)
{
    double drawn = 0; // fraction of the cap, at a clock of 1 MHz
    for (unsigned i = KILN_TIMING_POWER_NONE + 1; i < KILN_TIMING_POWERS; i++)
        drawn += share[i] / (known[i].busy / 100 * pow(known[i].mhz, 3));
    drawn *= units / KILN_TIMING_POWER_UNITS;
    double held = product->clock_mhz;
    if (drawn > 0)
        held = fmin(held, cbrt(1 / drawn) * product->held_percent / 100);
    const double limited = limited_share(share) * units / product->compute_units;
    if (product->matrix_mhz && limited > 0)
        held = fmin(held, product->matrix_mhz / limited);
    return held;
}
