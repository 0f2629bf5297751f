// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a configuration meets the conditions that the source declares, [[where(BLOCK <= n)]], in
// a request that differs from what was tuned: in its sizes, or in settings that override tuned
// ones.
#ifndef KILN_AUTOTUNE_NEAR_H
#define KILN_AUTOTUNE_NEAR_H

#include "kiln/tune_space.h"

// Zeroed: not read yet. A request without a source is not checked.
typedef struct kiln_near {
    kiln_tune_space_t *space; // the declared conditions
    kiln_arguments_t *arguments;
    const kiln_setting_t *settings; // the request's, which override tuned ones
    size_t setting_count;
    bool is_read;
    bool refuses; // the declarations cannot be read
} kiln_near_t;

// Reads the conditions of the request's source. The request is borrowed until the release.
kiln_status_t kiln_near_read(const kiln_jit_tune_request_t *request, kiln_near_t *out_near);
void kiln_near_free(kiln_near_t *near);

// A condition that has no value, for instance because it names an axis that the configuration does
// not set, is not met. Fails only if memory is exhausted.
kiln_status_t kiln_near_admits(const kiln_near_t *near, const char *config, bool *out_admits);

#endif
