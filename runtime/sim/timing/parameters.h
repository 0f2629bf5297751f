// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of timing/parameters.def as constants, KILN_TIMING_L2_LATENCY and so on, and those
// of timing/measured.def as values, which a file of measurements may replace.
//
// Objects that use the latter have a pointer `measured`; NULL means the constants.
#ifndef KILN_TIMING_PARAMETERS_H
#define KILN_TIMING_PARAMETERS_H

#include <stdbool.h>

#include "base/gfx942.h"
#include "sim/port/error.h"

enum {
#define KILN_TIMING_PARAMETER(name, value, unit, mark, source) KILN_TIMING_##name = (value),
#include "timing/parameters.def"
#undef KILN_TIMING_PARAMETER
};

typedef struct kiln_timing_parameters {
#define KILN_TIMING_MEASURED(name, min, max) int name;
#include "timing/measured.def"
#undef KILN_TIMING_MEASURED
} kiln_timing_parameters_t;

extern const kiln_timing_parameters_t kiln_timing_constants; // the values of parameters.def

static inline const kiln_timing_parameters_t *
kiln_timing_measured(const kiln_timing_parameters_t *measured)
{
    return measured ? measured : &kiln_timing_constants;
}

// Reads a file of lines "NAME VALUE"; '#' begins a comment. Parameters that the file does not name
// keep their constants. Fails at unknown names, at parameters that cannot be measured, at values
// that are not numbers within their bounds, and at names that occur twice.
bool kiln_timing_parameters_read(const char *path, kiln_timing_parameters_t *out,
                                 kiln_sim_error_t *error);

#endif
