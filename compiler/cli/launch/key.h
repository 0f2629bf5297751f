// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tuner's key of a launch: scalars, the grids of --grid, and the sizes of buffers that grids
// use, also those grids that the sources declare.
#ifndef KILN_CLI_LAUNCH_KEY_H
#define KILN_CLI_LAUNCH_KEY_H

#include "call.h"
#include "kiln/tune.h"

// The key from malloc. The problem's source, options and sequence are those of the launch.
kiln_status_t kiln_launch_key(const kiln_launch_flags_t *flags, const kiln_tune_problem_t *problem,
                              const kiln_arguments_t *arguments, char **out_key);

#endif
