// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options for some calls only (kilnSimOverrides* of kiln/sim.h), which the engine passes from the
// thread that enqueues work to the one that executes it.
#ifndef KILN_SIM_HIP_OVERRIDES_H
#define KILN_SIM_HIP_OVERRIDES_H

#include <stdbool.h>

typedef struct kiln_sim_hip_overrides kiln_sim_hip_overrides_t;

// Returns the calling thread's overrides with a new reference, for work that it enqueues; NULL if
// it has none.
kiln_sim_hip_overrides_t *kiln_sim_hip_overrides_hold(void);
void kiln_sim_hip_overrides_release(kiln_sim_hip_overrides_t *overrides);
// Sets the thread's overrides and returns the previous ones.
kiln_sim_hip_overrides_t *kiln_sim_hip_overrides_use(kiln_sim_hip_overrides_t *overrides);
// Whether calls return before their work is done; `otherwise` if the overrides do not specify it.
bool kiln_sim_hip_overrides_async(bool otherwise);

#endif
