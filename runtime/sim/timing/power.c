// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clock that a device holds under matrix work. What its matrix units draw grows with how busy they are and with the cube of the
// clock, and is capped; the cap is known from GEMMs that ran against it.
//
// What a reader gets wrong: this is the clock of work that goes on for milliseconds, with data of random numbers. Zeros, and single
// short launches, run at the full clock.
#include <math.h>

#include "timing/clock.h"
#include "timing/parameters.h"

double kiln_timing_power_clock(double most_mhz, double busy)
{
    const double cap = KILN_TIMING_POWER_BUSY / 100.0 * pow(KILN_TIMING_POWER_CLOCK_16, 3);
    const double held = busy > 0 ? cbrt(cap / busy) : most_mhz;
    return held < most_mhz ? held : most_mhz;
}
