// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuning over named arguments (kiln/arguments.h): the callbacks of a kiln_tune_problem_t that launch a candidate and
// verify what it left in the buffers.
//
//     kiln_tune_runner_create(arguments, "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)", NULL, 0, &runner);
//     kiln_tune_runner_expect(runner, "c=right.bin");                  or kiln_tune_runner_make_reference
//     problem.prepare = kiln_tune_runner_prepare;
//     problem.verify = kiln_tune_runner_verify;
//     problem.user = runner;
//
// What is easily got wrong: every candidate must start from the same bytes, so all buffers are kept on the host and
// written again before each launch. A runner changes the defines of its arguments.
#ifndef KILN_TUNE_RUNNER_H
#define KILN_TUNE_RUNNER_H

#include "kiln/arguments.h"
#include "kiln/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_tune_runner kiln_tune_runner_t;

// Keeps the buffers' present contents as the initial ones. `arguments` are borrowed until the release and may not grow
// meanwhile. `grid` (borrowed) is an expression over scalars, `fixed` and the candidate's settings, NULL for one
// workgroup; `fixed` (borrowed) are values that all candidates share.
KILN_API kiln_status_t kiln_tune_runner_create(kiln_arguments_t *arguments, const char *grid,
                                               const kiln_setting_t *fixed, size_t fixed_count,
                                               kiln_tune_runner_t **out_runner);
KILN_API void kiln_tune_runner_release(kiln_tune_runner_t *runner);

// "c=file": the buffer must hold the file's bytes after a launch, within the tolerance of its type (kiln/compare.h).
// Buffers of which nothing is said must keep their initial contents.
KILN_API kiln_status_t kiln_tune_runner_expect(kiln_tune_runner_t *runner, const char *text);

// Takes the expected contents of all buffers from running the first candidate that compiles without the passes that only
// make code faster.
KILN_API kiln_status_t kiln_tune_runner_make_reference(kiln_tune_runner_t *runner, const kiln_tune_problem_t *problem);

// The callbacks; `user` is the runner.
KILN_API kiln_status_t kiln_tune_runner_prepare(const kiln_tune_candidate_t *candidate, const kiln_kernel_t *kernel,
                                                kiln_launch_t *out_launch, void *user);
KILN_API kiln_status_t kiln_tune_runner_verify(const kiln_tune_candidate_t *candidate, double *out_error, void *user);

#ifdef __cplusplus
}
#endif
#endif
