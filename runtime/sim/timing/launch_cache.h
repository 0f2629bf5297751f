// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions of earlier launches, for launches that are equal to them (option `repeats`).
//
// Two launches are equal if a replay would give the same result for both: the same kernel of the
// same loaded code object under the same options, workgroups that executed the same instructions in
// the same order and accessed the same lines, and caches in the same state. The comparison is made
// after the launch was recorded, so nothing is assumed about what arguments or data mean.
//
// Lines are numbered relative to the nearest pointer argument before them, or else to the start of
// their allocation. Layers of a network that execute the same kernels with different weights are
// therefore equal despite their different addresses. The memory channel on which an allocation
// begins is not compared.
#ifndef KILN_TIMING_LAUNCH_CACHE_H
#define KILN_TIMING_LAUNCH_CACHE_H

#include "run/launch.h"
#include "timing/cache_state.h"
#include "timing/plan.h"

typedef struct kiln_timing_identity {
    uint64_t hash[2];
} kiln_timing_identity_t;

typedef struct kiln_timing_known {
    kiln_timing_identity_t identity;
    const kiln_sim_code_object_t *object;
    kiln_sim_prediction_t prediction;
} kiln_timing_known_t;

typedef struct kiln_timing_launch_cache {
    kiln_timing_known_t *all;
    size_t count, capacity;
    size_t *slots; // a hash table: 1 + index, or 0
    size_t slot_count;
} kiln_timing_launch_cache_t;

// The identity of a launch that was recorded, whose replayed workgroups are chosen, and whose cache
// state is known. False if memory is exhausted.
bool kiln_timing_identify(const kiln_sim_launch_t *launch, const kiln_timing_plan_t *plan,
                          const kiln_timing_cache_state_t *cache_state,
                          kiln_timing_identity_t *out);

// Returns the prediction of an equal launch; NULL if there was none.
const kiln_sim_prediction_t *
kiln_timing_launch_cache_find(const kiln_timing_launch_cache_t *launch_cache,
                              const kiln_timing_identity_t *identity);
// False if memory is exhausted.
bool kiln_timing_launch_cache_add(kiln_timing_launch_cache_t *launch_cache,
                                  const kiln_timing_identity_t *identity,
                                  const kiln_sim_launch_t *launch,
                                  const kiln_sim_prediction_t *prediction);
// The object's code is about to be unloaded.
void kiln_timing_launch_cache_remove(kiln_timing_launch_cache_t *launch_cache,
                                     const kiln_sim_code_object_t *object);
void kiln_timing_launch_cache_free(kiln_timing_launch_cache_t *launch_cache);

#endif
