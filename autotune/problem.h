// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller's problem converted to this version of the struct. Its options are a struct with a
// version of their own.
#ifndef KILN_AUTOTUNE_PROBLEM_H
#define KILN_AUTOTUNE_PROBLEM_H

#include "base/settings.h"
#include "kiln/tune.h"

// Fills in the defaults of a problem and its options. Afterwards out_problem->options is
// `out_options`.
kiln_status_t kiln_tune_take(const char *function, const kiln_tune_problem_t *given,
                             kiln_tune_problem_t *out_problem, kiln_compile_options_t *out_options);

// The options of one candidate of a problem with one kernel: the problem's, its fixed settings, and
// the candidate's. They point to `defines`, which the caller frees. For sequences see steps.h.
kiln_status_t kiln_tune_candidate_options(const kiln_tune_problem_t *problem,
                                          const kiln_tune_candidate_t *candidate,
                                          kiln_compile_options_t *out_options,
                                          kiln_setting_t **out_defines);

// Compiles one candidate of a problem with one kernel to the first stage that has its parameters
// and constants, without warnings, which are reported with the candidates.
kiln_status_t kiln_tune_parse(const kiln_tune_problem_t *problem,
                              const kiln_tune_candidate_t *candidate, kiln_kernel_t **out_kernel);

// The constants of a candidate's kernels with their values: what the candidate sets, and defaults.
// In a sequence, NAME has the value of the first kernel that has it, and KERNEL.NAME each kernel's.
kiln_status_t kiln_tune_constants(const kiln_tune_problem_t *problem,
                                  const kiln_tune_candidate_t *candidate,
                                  kiln_setting_list_t *out_constants);

// The problem of an exhaustive search within another search: without a store, limits, callbacks
// and other processes. It keeps `prepare`, `verify`, `restore` and `confirm`, which the caller
// replaces together with `user` if they are its own.
kiln_tune_problem_t kiln_tune_inner_problem(const kiln_tune_problem_t *problem,
                                            const kiln_tune_axis_t *axes, size_t axis_count);

#endif
