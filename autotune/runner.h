// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that the files of a runner share: runner.c launches candidates, restore.c restores the
// buffers that a launch changes, rotate.c lets launches take turns on copies of the buffers,
// grid_sizes.c knows the sizes of buffers that grids use, reference.c decides which results are
// right.
#ifndef KILN_AUTOTUNE_RUNNER_H
#define KILN_AUTOTUNE_RUNNER_H

#include "base/settings.h"
#include "kiln/tune_runner.h"
#include "steps.h"

// Candidates whose results agree, and those results.
typedef struct kiln_runner_group {
    char **expected; // per buffer; NULL: the buffer must keep its initial contents
    char *configs;   // the first few
    size_t config_count;
} kiln_runner_group_t;

enum { KILN_RUNNER_GROUPS = 8 };

// Facts about the launches since the buffers had their initial contents.
typedef struct kiln_runner_saved {
    enum { KILN_RUNNER_FRESH, KILN_RUNNER_LAUNCHED, KILN_RUNNER_COMPARED } state;
    bool *changes;      // by buffer, the candidate's own ones last: whether a launch changes it
    char **own_initial; // initial contents of the candidate's own buffers
    size_t own_count;
} kiln_runner_saved_t;

// Copies of the buffers, for launches that find none of their data in the caches.
typedef struct kiln_runner_rotation {
    uint64_t bytes;         // that the copies have together, at least; 0: launches use the buffers
    size_t count;           // of copies; 0: not made yet
    kiln_buffer_t **copies; // by buffer: all its copies
    size_t current, next;   // the copy that the launch uses, from 1 (0: the buffers themselves);
                            // the copy whose turn it is
} kiln_runner_rotation_t;

struct kiln_tune_runner {
    kiln_arguments_t *arguments; // borrowed
    kiln_jit_grid_fn grid_of;    // instead of `grid`; NULL: none
    void *grid_user;
    const kiln_jit_argument_t *bound; // borrowed; instead of the arguments' values; NULL: none
    size_t bound_count;
    kiln_setting_list_t constants; // values of names that neither a candidate nor its first kernel
                                   // has
    const void *owner;             // of a search that has a runner as its `user`; NULL: none
    const kiln_setting_t *fixed;   // borrowed
    size_t fixed_count, buffer_count;
    char **initial;              // per buffer: bytes before a launch; NULL: those of its argument
    kiln_setting_t *settings;    // of the current candidate, including the fixed ones
    struct kiln_runner_varying { // an argument that depends on the candidate
        char *text, *name;
        bool is_pointer; // to a buffer of its own, or into one
    } *varying;
    size_t varying_count, varying_capacity;
    kiln_jit_argument_t *planned;           // pointers of a launch that is only planned, or into
                                            // buffers that do not depend on the candidate
    size_t planned_count, planned_capacity; // room for one of each varying argument
    kiln_arguments_t *own;                  // of the current candidate; NULL: none
    char (*scalars)[24];                    // values of the arguments' integers as text
    struct kiln_runner_size {               // "elements(x)" of the grid
        char *name, value[24];
    } *sizes;
    size_t size_count, size_capacity;
    kiln_runner_saved_t saved;
    kiln_runner_rotation_t rotation;
    kiln_module_t *code_module;       // of the kernel that invalidates instruction caches; NULL:
    kiln_function_t *invalidate_code; // they stay as they are
    kiln_jit_argument_t *given;       // all arguments of the current launch
    size_t given_capacity;
    struct kiln_runner_step { // of the launches of a sequence
        const char *grid;     // borrowed; NULL: the kernel's own
        void **values;
        uint64_t *storage; // of the values
        bool *is_pointer;  // of each of the first `value_count`
        size_t value_count, pointer_capacity;
        size_t value_capacity, storage_capacity;
    } *launches;
    size_t launch_count, launch_capacity;
    kiln_runner_group_t groups[KILN_RUNNER_GROUPS]; // the first is the reference
    size_t group_count;
    char *reference;  // configuration that the reference was made from; NULL: none
    bool lost_device; // a launch of the reference did not end
    bool is_given;    // the user gave the reference or expected contents, and may give nothing else
    kiln_tune_problem_t problem; // of the reference; its data is borrowed
    kiln_compile_options_t options;
    kiln_steps_t steps; // of the problem
};

// Reads a buffer into *io_data, which is freed first.
kiln_status_t kiln_runner_read(const kiln_named_buffer_t *buffer, char **io_data);

// The same for the bytes before a launch, which are not read and NULL if the buffer still has the
// contents of its argument: simulated launches mostly do not need them.
kiln_status_t kiln_runner_keep(const kiln_named_buffer_t *buffer, char **io_initial);
// Gives a buffer the bytes that were kept. Does nothing if it has them for certain.
kiln_status_t kiln_runner_reset(const kiln_named_buffer_t *buffer, const char *initial);
// Makes the bytes that were kept, if *io_initial is NULL.
kiln_status_t kiln_runner_initial(const kiln_named_buffer_t *buffer, char **io_initial);

// Copies values of names, such as constants of a sequence's kernels, for arguments that depend on
// the candidate. Its own settings and its first kernel's constants come first.
kiln_status_t kiln_runner_define(kiln_tune_runner_t *runner, const kiln_setting_list_t *constants);

// Adds a name that expressions of the current candidate may use to the first *io_count ones; its
// texts are borrowed. USAGE if there are too many.
kiln_status_t kiln_runner_add_name(kiln_tune_runner_t *runner, const char *name, const char *value,
                                   size_t *io_count);

// Sets the function that computes the grid of each candidate, as for a kiln_jit_call_t.
void kiln_runner_set_grid(kiln_tune_runner_t *runner, kiln_jit_grid_fn grid_of, void *user);

// Sets what launches are bound to. The runner's arguments are then only the names of grids, without
// buffers, so that launches can be planned but not made.
void kiln_runner_bind_to(kiln_tune_runner_t *runner, const kiln_jit_argument_t *arguments,
                         size_t count);

// Adds the sizes of buffers that a grid uses to the first *io_count settings, and defines all.
kiln_status_t kiln_runner_sizes_define(kiln_tune_runner_t *runner, const char *grid,
                                       const kiln_kernel_t *kernel, size_t *io_count);
// Adds that of an argument that depends on the candidate, as soon as the names in its text have
// values.
kiln_status_t kiln_runner_size_add(kiln_tune_runner_t *runner,
                                   const struct kiln_runner_varying *varying);
// Adds that of a buffer or pointer by name.
kiln_status_t kiln_runner_size_of(kiln_tune_runner_t *runner, const char *buffer, size_t count);
void kiln_runner_sizes_clear(kiln_tune_runner_t *runner);

// Forgets earlier launches: the buffers have their initial contents.
void kiln_runner_begin(kiln_tune_runner_t *runner);

// Moves the launches to the copy whose turn it is. Before it the current copy, which the last
// launch has changed, is written by kiln_runner_clean: it has the longest time until its next turn.
kiln_status_t kiln_runner_turn(kiln_tune_runner_t *runner);
kiln_status_t kiln_runner_clean(kiln_tune_runner_t *runner);
// Frees the copies; kiln_runner_turn makes them anew.
void kiln_runner_rotation_free(kiln_tune_runner_t *runner);

// Makes instruction caches cold, if the runner was asked to (cold_code.c).
kiln_status_t kiln_runner_invalidate_code(kiln_tune_runner_t *runner);
void kiln_runner_cold_code_free(kiln_tune_runner_t *runner);

void kiln_runner_group_free(kiln_runner_group_t *group, size_t buffer_count);

#endif
