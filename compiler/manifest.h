// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manifest that stands beside a code object. The thing one gets wrong: it must not differ between two compilations
// of the same input, so it tells no time, no path and no host.
#ifndef KILN_MANIFEST_H
#define KILN_MANIFEST_H

#include "kernel.h"

// JSON text with sorted keys in memory that the caller frees; NULL when memory is short.
char *kiln_manifest_make(const kiln_kernel_t *kernel, const kiln_compile_options_t *options);

#endif
