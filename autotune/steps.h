// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels that a candidate launches: the problem's own and, in a sequence, those after it.
//
// In a sequence a setting NAME belongs to every kernel that has a constant of this name, or to all
// of them if it is a compile option; KERNEL.NAME belongs to one kernel, where it replaces NAME.
// The same holds for arguments.
#ifndef KILN_AUTOTUNE_STEPS_H
#define KILN_AUTOTUNE_STEPS_H

#include "kiln/tune.h"

typedef struct kiln_step {
    kiln_source_t source;
    kiln_compile_options_t options; // `args` are those of this kernel
    kiln_arg_hint_t *hints;         // what `args` points to in a sequence
    kiln_tuning_t *signature;       // NULL if there is only one kernel
} kiln_step_t;

typedef struct kiln_steps {
    kiln_step_t *items;
    size_t count;
} kiln_steps_t;

// Of a completed problem (problem.h), whose data is borrowed. In a sequence, reads the sources'
// declarations; errors go to the problem's handler. `function` is the API's, for errors. Must be
// freed also after a failure.
kiln_status_t kiln_steps_make(const char *function, const kiln_tune_problem_t *problem,
                              kiln_steps_t *out_steps);
void kiln_steps_free(kiln_steps_t *steps);

static inline bool kiln_steps_is_sequence(const kiln_steps_t *steps)
{
    return steps->count > 1;
}

// "split_k+split_k_sum" from malloc, the name of a sequence in the store.
kiln_status_t kiln_steps_name(const kiln_steps_t *steps, char **out_name);

// Whether the kernel has an argument, or a constant, of this name. Only in a sequence.
bool kiln_step_has_argument(const kiln_step_t *step, const char *name);
bool kiln_step_has_constant(const kiln_step_t *step, const char *name);

// Whether a kernel of a sequence takes the argument NAME or KERNEL.NAME.
bool kiln_steps_take_argument(const kiln_steps_t *steps, const char *name);

// Chooses the arguments of a kernel in a sequence, with their plain names: those for which `takes`
// is true of the plain name. `out_arguments` has room for all.
void kiln_step_choose_arguments(const char *kernel, bool (*takes)(const char *name, const void *),
                                const void *user, const kiln_jit_argument_t *arguments,
                                size_t count, kiln_jit_argument_t *out_arguments,
                                size_t *out_count);

// Those of the settings that belong to a step, by their plain names; *out_settings, from malloc,
// borrows the strings. USAGE if KERNEL of KERNEL.NAME is not a kernel of the sequence.
kiln_status_t kiln_steps_select(const kiln_steps_t *steps, size_t step,
                                const kiln_setting_t *settings, size_t count,
                                kiln_setting_t **out_settings, size_t *out_count);

// The compile options of a step of a candidate (NULL: no settings but the fixed ones). They point
// to `defines`, which the caller frees.
kiln_status_t kiln_steps_options(const kiln_steps_t *steps, size_t step,
                                 const kiln_tune_problem_t *problem,
                                 const kiln_tune_candidate_t *candidate,
                                 kiln_compile_options_t *out_options, kiln_setting_t **out_defines);

// The largest need of each resource, and the lowest occupancy, of the kernels of a candidate; and
// their largest number of pipeline stages.
kiln_resources_t kiln_steps_resources(kiln_kernel_t *const *kernels, size_t count,
                                      int *out_stages_made);

#endif
