// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock that a device holds under load. What its multipliers draw, those of the matrix units and those of the vector units, grows
// with how busy they are and with the cube of the clock, and is capped; the caps are known from programs that ran against them.
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
};

double kiln_timing_power_clock(const kiln_sim_product_t *product, const double share[KILN_TIMING_POWERS], double units)
{
    double drawn = 0; // of the cap, at a clock of 1 MHz
    for (unsigned i = KILN_TIMING_POWER_NONE + 1; i < KILN_TIMING_POWERS; i++)
        drawn += share[i] / (known[i].busy / 100 * pow(known[i].mhz, 3));
    drawn *= units / KILN_TIMING_POWER_UNITS;
    const double most = product->clock_mhz, held = drawn > 0 ? cbrt(1 / drawn) : most;
    return held < most ? held : most;
}
