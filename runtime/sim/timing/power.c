// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock that a device holds under load. What its multipliers draw, those of the matrix units and those of the vector units, grows
// with how busy they are and with the cube of the clock, and is capped; the caps are known from programs that ran against them.
// A device may also be limited in its matrix operations of a second (MI308X), at whatever power.
//
// What a reader gets wrong: this is the clock of work that goes on for milliseconds, with data of random numbers. Zeros, and single
// short launches, run at the full clock.
#include <math.h>

#include "timing/clock.h"
#include "timing/parameters.h"

// What ran against the cap: a share of the cycles in percent, and the clock then.
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

// The share of cycles in which the matrix units are busy with what a limiter of operations in a second counts. Two formats are
// preferred, by default i8 and bf16 (Linux's amdgpu); but bf16 was measured to be limited, i8 was not measured, and gets the full clock.
static double limited_share(const double share[KILN_TIMING_POWERS])
{
    return share[KILN_TIMING_POWER_MATRIX_32] + share[KILN_TIMING_POWER_MATRIX_16] + share[KILN_TIMING_POWER_MATRIX_8];
}

double kiln_timing_power_clock(const kiln_sim_product_t *product, const double share[KILN_TIMING_POWERS], double units)
{
    double drawn = 0; // of the cap, at a clock of 1 MHz
    for (unsigned i = KILN_TIMING_POWER_NONE + 1; i < KILN_TIMING_POWERS; i++)
        drawn += share[i] / (known[i].busy / 100 * pow(known[i].mhz, 3));
    drawn *= units / KILN_TIMING_POWER_UNITS;
    double held = product->clock_mhz;
    if (drawn > 0)
        held = fmin(held, cbrt(1 / drawn));
    const double limited = limited_share(share) * units / product->compute_units;
    if (product->matrix_mhz && limited > 0)
        held = fmin(held, product->matrix_mhz / limited);
    return held;
}
