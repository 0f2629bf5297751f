// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest of a code object. It must be the same for two compilations of the same input, so it
// contains no times, paths or hosts.
#ifndef KILN_MANIFEST_H
#define KILN_MANIFEST_H

#include "artifact/kernel.h"

// JSON text with sorted keys, in memory that the caller frees; NULL if out of memory.
char *kiln_manifest_make(const kiln_kernel_t *kernel, const kiln_compile_options_t *options);

#endif
