// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The space of a search: axes and conditions as text, those that the source declares, and
// those that are derived from the program.
//
//     kiln_tune_space_create(&space);
//     kiln_tune_space_add(space, "BLOCK_M=32..256*2");        replaces a declared axis of that name
//     kiln_tune_space_require(space, "BLOCK_M <= M");
//     kiln_tune_space_declare(space, &source, &options, fixed, fixed_count, NULL, NULL);
//     kiln_tune_space_bind(space, arguments, fixed, fixed_count);
//     problem.axes = kiln_tune_space_axes(space, &problem.axis_count);
//     problem.admit = kiln_tune_space_admits;
//     problem.admit_user = space;
//
// Conventions are those of kiln/kiln.h.
#ifndef KILN_TUNE_SPACE_H
#define KILN_TUNE_SPACE_H

#include "kiln/arguments.h"
#include "kiln/tune.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_tune_space kiln_tune_space_t;

// The origin of an axis.
typedef enum kiln_tune_origin {
    KILN_TUNE_GIVEN,    // kiln_tune_space_add
    KILN_TUNE_DECLARED, // kiln_tune_space_declare
    KILN_TUNE_DERIVED   // kiln_tune_space_derive
} kiln_tune_origin_t;

KILN_API kiln_status_t kiln_tune_space_create(kiln_tune_space_t **out_space);
KILN_API void kiln_tune_space_release(kiln_tune_space_t *space);

// Adds an axis: "NAME=V1,V2,…", where a value may be a range of integers, FIRST..LAST,
// FIRST..LAST+STEP or FIRST..LAST*FACTOR.
KILN_API kiln_status_t kiln_tune_space_add(kiln_tune_space_t *space, const char *text);

// Adds a condition that each candidate must meet: a comparison (<=, >=, ==, !=, <, >) of two
// expressions over axes and the names that kiln_tune_space_bind provides.
KILN_API kiln_status_t kiln_tune_space_require(kiln_tune_space_t *space, const char *condition);

// Allows a configuration, "BLOCK_M=64 num_warps=4". If any is allowed, only combinations that equal
// one of them in all of its names are candidates.
KILN_API kiln_status_t kiln_tune_space_allow(kiln_tune_space_t *space, const char *config);

// Adds the axes and conditions that the source's kernel declares (kiln_tuning_read), except axes
// that the space already has, names in `fixed`, and options that `options` (NULL: none) sets to
// values other than their defaults. In the conditions an option without an axis has its value in
// `options`. *out_count (may be NULL) is the number of added axes. Errors go
// to the handler (NULL: none).
KILN_API kiln_status_t kiln_tune_space_declare(kiln_tune_space_t *space,
                                               const kiln_source_t *source,
                                               const kiln_compile_options_t *options,
                                               const kiln_setting_t *fixed, size_t fixed_count,
                                               kiln_diagnostic_handler_t handler, void *user,
                                               size_t *out_count);

// Like kiln_tune_space_declare, for all kernels of a problem's sequence (`then`), with its options
// and `fixed`. An axis of a constant belongs to all kernels that have the constant, with the values
// that the first of these declares; one of a compile option belongs to the kernel that declares it
// and is called KERNEL.NAME. In conditions NAME means KERNEL.NAME where there is such an axis.
// Diagnostics go to the problem's handler.
KILN_API kiln_status_t kiln_tune_space_declare_steps(kiln_tune_space_t *space,
                                                     const kiln_tune_problem_t *problem,
                                                     size_t *out_count);

// Adds axes derived from the program, for names that are not in the space and have no value yet:
//
//   constants    integer constants of the kernel whose default is a power of two of 16 or more and
//                that change the sizes of tiles, at a quarter to four times their default. The
//                largest tile has at most 65536 elements, a dot at least 16 rows, columns and depth.
//                They vary as far as the results stay the same: each value is launched, and
//                verified by the problem's `verify`. If nothing is executed (the simulator's option
//                `clock` is only), constants do not vary.
//   others       integer constants that change the program, but neither tiles nor the declared
//                grid, of a kernel that reads a program id, such as the number of rows of blocks
//                that programs visit together: 1, and one, two and four times the number of the
//                device's XCDs, besides the default. All of these must give the same results
//   num_warps    1, 2, 4 and 8, as far as the largest tile has an element for each lane
//   num_stages   1 and 2 if loads of a loop feed dots
//   matrix_instr_nonkdim   16 and 32 if there are dots of at least 32 rows and columns
//   kpack        1 and 2 if loads of a loop feed dots
//   waves_per_eu 0, no constraint, and 2 if there are dots
//
// If the source declares the grid, candidates have at least half as many workgroups as the device
// has compute units, or as the constants can give.
//
// `problem` is that of the search, without axes; its store, progress, admit, accept,
// strategy, plan, group and shards are not used. *out_summary, from malloc, is one line that
// describes the derived axes. *out_lost_device: a launch exceeded launch_limit_ms, as for
// kiln_tune_result_lost_device; the call then fails.
KILN_API kiln_status_t kiln_tune_space_derive(kiln_tune_space_t *space,
                                              const kiln_tune_problem_t *problem,
                                              char **out_summary, bool *out_lost_device);

// The axes, in the order in which they were added; valid until another one is added.
KILN_API const kiln_tune_axis_t *kiln_tune_space_axes(const kiln_tune_space_t *space,
                                                      size_t *out_count);
// Returns KILN_TUNE_GIVEN for an index past the last axis.
KILN_API kiln_tune_origin_t kiln_tune_space_origin(const kiln_tune_space_t *space, size_t index);

// The conditions as text, in the order in which they were added; valid until another one is added.
KILN_API const char *const *kiln_tune_space_conditions(const kiln_tune_space_t *space,
                                                       size_t *out_count);

// Sets the names that conditions may use besides axes: scalar integers of `arguments` (NULL: none),
// the settings in `fixed`, and, unless these have the names, facts of the arguments' device:
// compute_units, xcds, and lds_bytes, the maximum of a workgroup. Both are borrowed until the
// release or the next call.
KILN_API void kiln_tune_space_bind(kiln_tune_space_t *space, const kiln_arguments_t *arguments,
                                   const kiln_setting_t *fixed, size_t fixed_count);

// The `admit` callback of a kiln_tune_problem_t; `user` is a space. USAGE: a name in a condition
// has no value; INVALID_INPUT: a condition divides by zero or overflows. The location is that of a
// declared condition.
KILN_API kiln_status_t kiln_tune_space_admits(const kiln_tune_candidate_t *candidate,
                                              bool *out_admits, void *user);

#ifdef __cplusplus
}
#endif
#endif
