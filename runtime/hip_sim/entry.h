// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HIP entry points that libkiln-sim.so exports, as hip_api.def lists them.
#ifndef KILN_SIM_HIP_ENTRY_H
#define KILN_SIM_HIP_ENTRY_H

#include "hip_sim/api.h"

#define HIP_DONE(version, result, name, parameters, group, test) HIP_API result name parameters;
#define HIP_UNSUPPORTED(version, result, name, parameters, group, what)                            \
    HIP_API result name parameters;
#include "hip_sim/hip_api.def"
#undef HIP_DONE
#undef HIP_UNSUPPORTED

#endif
