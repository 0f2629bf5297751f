// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tuning over named arguments (kiln/arguments.h): callbacks of a kiln_tune_problem_t that launch a
// candidate and verify its buffers.
//
//     kiln_tune_runner_create(arguments, "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)", NULL, 0, &runner);
//     kiln_tune_runner_expect(runner, "c=right.bin");                  or kiln_tune_runner_make_reference
//     problem.prepare = kiln_tune_runner_prepare;
//     problem.plan = kiln_tune_runner_plan;
//     problem.restore = kiln_tune_runner_restore;
//     problem.verify = kiln_tune_runner_verify;
//     problem.accept = kiln_tune_runner_accept;
//     problem.user = runner;
//
// Every launch must start from the same bytes, so all buffers are kept on the host. Before the
// first launch of a candidate all of them are rewritten, and before each later launch those that
// the first launch changed, so that accumulation, locks and counters are measured as they are used.
// A runner changes the defines of its arguments.
#ifndef KILN_TUNE_RUNNER_H
#define KILN_TUNE_RUNNER_H

#include "kiln/arguments.h"
#include "kiln/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_tune_runner kiln_tune_runner_t;

// Saves the buffers' current contents as the initial ones. `arguments` are borrowed until the
// release and must not grow in that time. `grid` (borrowed) is an expression over scalars, `fixed`
// and the candidate's settings. NULL: the grid that the source declares, or else one workgroup; the
// latter is a USAGE error of kiln_tune_runner_prepare if the kernel reads a program id. `fixed`
// (borrowed) are settings of all candidates.
KILN_API kiln_status_t kiln_tune_runner_create(kiln_arguments_t *arguments, const char *grid,
                                               const kiln_setting_t *fixed, size_t fixed_count,
                                               kiln_tune_runner_t **out_runner);
KILN_API void kiln_tune_runner_release(kiln_tune_runner_t *runner);

// Adds the next kernel of the problem's `then`, with its grid, which is borrowed and may be NULL as
// for kiln_tune_runner_create. In a sequence each kernel takes the arguments that have its
// parameters' names. Call it before the runner is used; the problem's prepare_step must be
// kiln_tune_runner_prepare_step.
KILN_API kiln_status_t kiln_tune_runner_add_step(kiln_tune_runner_t *runner, const char *grid);

// Adds an argument, such as "work=f32[SPLIT_K,M,N]", whose text uses names of axes or of other
// arguments added here. It is created anew for each candidate, and its contents are not verified.
KILN_API kiln_status_t kiln_tune_runner_add(kiln_tune_runner_t *runner, const char *text);

// "c=file": the buffer must match the file after a launch, within the tolerance of its type
// (kiln/compare.h). Buffers without an expectation must keep their initial contents.
KILN_API kiln_status_t kiln_tune_runner_expect(kiln_tune_runner_t *runner, const char *text);

// Computes the expected contents of all buffers by running the first candidate that compiles and
// can be launched, without optional passes. A candidate with other results is then run without
// optional passes, too: if this gives the reference's results, the candidate is wrong; otherwise
// the candidates disagree, and kiln_tune_runner_accept fails. Candidates that cannot be the
// reference are tried until the problem's `time_limit_ms`; NOT_FOUND if `is_cancelled` ends it. The
// data that `problem` points to is borrowed until the runner's release.
KILN_API kiln_status_t kiln_tune_runner_make_reference(kiln_tune_runner_t *runner,
                                                       const kiln_tune_problem_t *problem);

// Computes the expected contents from the combination that `config` names, "BLOCK=128 num_warps=4";
// axes that it omits have their first values. Candidates with other results are wrong.
KILN_API kiln_status_t kiln_tune_runner_name_reference(kiln_tune_runner_t *runner,
                                                       const kiln_tune_problem_t *problem,
                                                       const char *config);

// Whether a launch of the reference exceeded the problem's launch_limit_ms, like
// kiln_tune_result_lost_device.
KILN_API bool kiln_tune_runner_lost_device(const kiln_tune_runner_t *runner);

// The configuration that the reference was computed from; NULL: not computed.
KILN_API const char *kiln_tune_runner_reference(const kiln_tune_runner_t *runner);

// The callbacks; `user` is the runner.
KILN_API kiln_status_t kiln_tune_runner_prepare(const kiln_tune_candidate_t *candidate,
                                                const kiln_kernel_t *kernel,
                                                kiln_launch_t *out_launch, void *user);
KILN_API kiln_status_t kiln_tune_runner_prepare_step(const kiln_tune_candidate_t *candidate,
                                                     size_t step, const kiln_kernel_t *kernel,
                                                     kiln_launch_t *out_launch, void *user);
// Creates no buffers: pointers to those that depend on the candidate are addresses far apart. Must
// not be called between kiln_tune_runner_prepare and the last launch of a candidate.
KILN_API kiln_status_t kiln_tune_runner_plan(const kiln_tune_candidate_t *candidate,
                                             const kiln_kernel_t *kernel, kiln_launch_t *out_launch,
                                             void *user);
// Also usable without a search, for kiln_cost_of_restored_launch: the buffers have their initial
// contents before the first launch, and are restored before each later one.
KILN_API kiln_status_t kiln_tune_runner_restore(void *user);

// Lets launches on a GPU take turns on copies of the buffers, at least two, which have at least
// `bytes` together (0: twice the Infinity Cache, 512 MiB), so that none finds its data in the
// caches if launches use all of it. OUT_OF_RESOURCES of a launch if the copies do not fit. From the
// second call of kiln_tune_runner_restore after kiln_tune_runner_prepare on, each call changes the
// launch's pointers. Call it before the runner is used. USAGE without a device.
KILN_API kiln_status_t kiln_tune_runner_rotate(kiln_tune_runner_t *runner, uint64_t bytes);
// For launches that the runner has not prepared: where the next launch finds an address of the
// arguments' buffers. Other addresses, and all without rotation, are returned as they are.
KILN_API uint64_t kiln_tune_runner_address(const kiln_tune_runner_t *runner, uint64_t address);

// Invalidates the instruction caches of a GPU before each launch but a candidate's first, at the
// end of kiln_tune_runner_restore. Call it before the runner is used. USAGE without a device,
// and on the simulator, whose clock has no such launch.
KILN_API kiln_status_t kiln_tune_runner_cold_code(kiln_tune_runner_t *runner);

KILN_API kiln_status_t kiln_tune_runner_verify(const kiln_tune_candidate_t *candidate,
                                               double *out_error, void *user);
// Fails (MISMATCH) and lists the candidates if they compute different results and neither a
// reference nor expected contents decide which are right.
KILN_API kiln_status_t kiln_tune_runner_accept(void *user);

#ifdef __cplusplus
}
#endif
#endif
