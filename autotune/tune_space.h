// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between the files of a space: tune_space.c stores axes and conditions, derive.c
// derives axes from the program.
#ifndef KILN_AUTOTUNE_TUNE_SPACE_H
#define KILN_AUTOTUNE_TUNE_SPACE_H

#include "base/axis.h"
#include "kiln/tune_space.h"

// Adds an axis; takes ownership of the values. USAGE if the space has an axis of this name.
kiln_status_t kiln_tune_space_push(kiln_tune_space_t *space, const char *name,
                                   kiln_axis_values_t *values, kiln_tune_origin_t origin);
bool kiln_tune_space_has(const kiln_tune_space_t *space, const char *name);

// Adds the conditions that the source's kernels declare, without their axes, for a space whose axes
// come from elsewhere: whoever chose the values, a combination that does not meet a condition may
// compute something else.
kiln_status_t kiln_tune_space_require_declared(kiln_tune_space_t *space,
                                               const kiln_tune_problem_t *problem,
                                               kiln_diagnostic_handler_t handler, void *user);

// The value of a constant in declared conditions where neither the candidate nor a fixed setting
// has one.
kiln_status_t kiln_tune_space_default(kiln_tune_space_t *space, const char *name,
                                      const char *value);

// Whether the space allows only some configurations.
bool kiln_tune_space_is_limited(const kiln_tune_space_t *space);

// The numbers of the combinations that equal an allowed configuration (space.h), ascending and each
// once, from malloc. The axes have at most SIZE_MAX combinations. USAGE if the configurations have
// more than a million.
kiln_status_t kiln_tune_space_number(const kiln_tune_space_t *space, size_t **out_numbers,
                                     size_t *out_count);

// The value of an expression for a candidate, as in a condition.
kiln_status_t kiln_tune_space_evaluate(const kiln_tune_space_t *space,
                                       const kiln_tune_candidate_t *candidate, const char *text,
                                       int64_t *out_value);

// Whether a name has an explicit value: in `fixed`, as a define, or as an option that is not at its
// default. `options` may be NULL.
bool kiln_tune_is_set(const char *name, const kiln_compile_options_t *options,
                      const kiln_setting_t *fixed, size_t fixed_count);

#endif
