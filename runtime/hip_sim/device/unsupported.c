// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points that are not implemented: each fails with hipErrorNotSupported and, if KILN_LOG
// is set, is reported on stderr. They are exported so that programs that never call them can be
// loaded.
#include "hip_sim/entry.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define HIP_DONE(version, result, name, parameters, group, test)
#define HIP_UNSUPPORTED(version, result, name, parameters, group, what)                            \
    result name parameters                                                                         \
    {                                                                                              \
        return kiln_sim_hip_unsupported(#name, what);                                              \
    }
#include "hip_sim/hip_api.def"
