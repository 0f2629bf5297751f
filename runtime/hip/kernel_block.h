// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block that a kernel is compiled for, according to its code object's metadata.
//
// A kernel without a required block, as HIP's compilers produce, may be launched with any block up
// to its maximum. Kiln's kernels require their block: with any other they compute wrong elements.
#ifndef KILN_HIP_KERNEL_BLOCK_H
#define KILN_HIP_KERNEL_BLOCK_H

#include <jansson.h>
#include <stdbool.h>

typedef struct kiln_kernel_block {
    unsigned extents[3]; // all 0 if the metadata lacks them
    bool is_required;    // otherwise they are the maximum
} kiln_kernel_block_t;

// The metadata of a code object as JSON, which the caller releases with json_decref. NULL if there
// is none or it is unreadable: the HIP library decides whether the code object is valid.
json_t *kiln_code_metadata(const void *code_object, size_t size);

kiln_kernel_block_t kiln_kernel_block(const json_t *metadata, const char *kernel);

#endif
