// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of timing/parameters.def as constants: KILN_TIMING_L2_LATENCY and so on.
#ifndef KILN_TIMING_PARAMETERS_H
#define KILN_TIMING_PARAMETERS_H

enum {
#define KILN_TIMING_PARAMETER(name, value, unit, mark, source) KILN_TIMING_##name = (value),
#include "timing/parameters.def"
#undef KILN_TIMING_PARAMETER
};

#endif
