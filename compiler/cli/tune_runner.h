// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How `kiln tune` launches and verifies a candidate: the callbacks of kiln_tune over the arguments of the command line.
//
// What is easily got wrong: every candidate must start from the same bytes, so all buffers are kept on the host and
// written again before each launch.
#ifndef KILN_CLI_TUNE_RUNNER_H
#define KILN_CLI_TUNE_RUNNER_H

#include "kiln/tune.h"
#include "run_arguments.h"

typedef struct kiln_tune_runner {
    kiln_run_arguments_t *arguments; // borrowed
    const char *grid;                // an expression, or NULL for one workgroup
    const kiln_jit_setting_t *fixed; // -D values that all candidates share
    size_t fixed_count;
    char **initial, **expected;   // per buffer: bytes before a launch, and after the right one
    kiln_jit_setting_t *settings; // of the candidate at hand, fixed ones included
    void **values;                // of the launch at hand
    int64_t *storage;
} kiln_tune_runner_t;

// Keeps the buffers' present contents as the initial ones.
kiln_status_t kiln_tune_runner_create(kiln_run_arguments_t *arguments, const char *grid,
                                      const kiln_jit_setting_t *fixed, size_t fixed_count,
                                      kiln_tune_runner_t *out_runner);
void kiln_tune_runner_free(kiln_tune_runner_t *runner);

// "c=file": the buffer must hold the file's bytes after a launch, within the tolerance of its type.
kiln_status_t kiln_tune_runner_expect(kiln_tune_runner_t *runner, const char *text);

// Where no contents are expected: takes them from running the first candidate that compiles with everything switched off that only makes code faster.
kiln_status_t kiln_tune_runner_make_reference(kiln_tune_runner_t *runner, const kiln_tune_problem_t *problem);

// The callbacks; `user` is the runner.
kiln_status_t kiln_tune_runner_prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                                       kiln_launch_t *out_launch, void *user);
kiln_status_t kiln_tune_runner_verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user);

#endif
