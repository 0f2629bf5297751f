// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points that are not there: each fails with hipErrorNotSupported and, where KILN_LOG is set, is named on stderr.
//
// What a reader gets wrong: programs find them, so that one that never comes to such a call runs.
#include "hip/entry.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define HIP_DONE(version, result, name, parameters, group, test)
#define HIP_LACKS(version, result, name, parameters, group, what)                                                      \
    result name parameters                                                                                             \
    {                                                                                                                  \
        return kiln_sim_hip_lacks(#name, what);                                                                        \
    }
#include "hip/hip_api.def"
