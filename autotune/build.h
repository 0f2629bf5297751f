// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles candidates on several threads, ahead of the calling thread, which takes them in order.
//
// With one job nothing is compiled ahead: the calling thread compiles the candidate that it takes.
#ifndef KILN_AUTOTUNE_BUILD_H
#define KILN_AUTOTUNE_BUILD_H

#include "steps.h"

typedef struct kiln_tune_build {
    kiln_kernel_t **kernels; // one for each step; NULL if one does not compile
    size_t count;
    kiln_status_t failure; // then the reason
    char *diagnostics;     // diagnostics that kiln_diagnostic_serialize kept; NULL: none
    double compile_ms;
} kiln_tune_build_t;

void kiln_tune_build_free(kiln_tune_build_t *build);

typedef struct kiln_tune_builder kiln_tune_builder_t;

// Starts to compile candidates[i] for each i below `count` where skipped[i] is false. The arguments
// are borrowed until the release.
kiln_status_t kiln_tune_builder_create(const kiln_tune_problem_t *problem,
                                       const kiln_steps_t *steps,
                                       const kiln_tune_candidate_t *candidates, const bool *skipped,
                                       size_t count, kiln_tune_builder_t **out_builder);

// Whether a status is a failure of the host, which lacks memory or cannot write files. Such a
// failure is not a property of a candidate.
static inline bool kiln_tune_is_host_failure(kiln_status_t status)
{
    return kiln_status_is_out_of_memory(status) || kiln_status_code(status) == KILN_STATUS_IO;
}

// Waits for a candidate that is not skipped. Indices must ascend. Fails only by a host failure.
// The caller frees *out_build.
kiln_status_t kiln_tune_builder_take(kiln_tune_builder_t *builder, size_t index,
                                     kiln_tune_build_t *out_build);

// Waits for the compilations in progress and drops those that were not taken.
void kiln_tune_builder_release(kiln_tune_builder_t *builder);

#endif
