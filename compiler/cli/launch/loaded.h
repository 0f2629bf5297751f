// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of kernels that are compiled already: of a bundle, or a code object with its manifest.
//
// Verbs launch through a JIT. Here its compiler compiles nothing and selects the variant that fits
// the call, so verbs need not know where a kernel comes from.
#ifndef KILN_CLI_LAUNCH_LOADED_H
#define KILN_CLI_LAUNCH_LOADED_H

#include "call.h"

// Whether the file is a bundle, a code object or a manifest. False also if it cannot be read.
bool kiln_launch_is_loaded(const char *path);

// kiln_launch_call for such a file. The source of the calls has the stage KILN_STAGE_HSACO.
kiln_status_t kiln_launch_loaded(kiln_device_t *device, const kiln_launch_flags_t *flags,
                                 const char *path, char **words, size_t word_count,
                                 kiln_launch_fn make, void *user);

#endif
