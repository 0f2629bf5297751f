// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln bundle FILE.tile.c --sizes: variants of a kernel, each with the settings that were tuned for
// its sizes.
#ifndef KILN_CLI_TUNE_BUNDLE_SIZES_H
#define KILN_CLI_TUNE_BUNDLE_SIZES_H

#include "cli/launch/call.h"

typedef struct kiln_bundle_sizes {
    const char *path, *sizes; // source and file of sizes
    const char *by;    // argument whose values between those of the file are covered, or NULL
    const char *store; // NULL: tune.db in the cache directory
    kiln_launch_flags_t launch;
    char **words; // the other arguments, as for kiln tune
    size_t word_count;
} kiln_bundle_sizes_t;

// Makes the bundle, from malloc. Nothing is launched. NOT_FOUND if sizes were not tuned.
// *out_shown: whether the error was printed.
kiln_status_t kiln_bundle_sizes_make(kiln_device_t *device, const kiln_bundle_sizes_t *given,
                                     void **out_bundle, size_t *out_size, bool *out_shown);

#endif
