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

double kiln_timing_power_clock(const kiln_sim_product_t *product, double matrix, double multiply, double units)
{
    const double matrix_cap = KILN_TIMING_POWER_BUSY / 100.0 * pow(KILN_TIMING_POWER_CLOCK_16, 3);
    const double vector_cap = pow(KILN_TIMING_POWER_CLOCK_VECTOR, 3);
    const double drawn = (matrix / matrix_cap + multiply / vector_cap) * units / KILN_TIMING_POWER_UNITS;
    const double most = product->clock_mhz, held = drawn > 0 ? cbrt(1 / drawn) : most;
    return held < most ? held : most;
}
