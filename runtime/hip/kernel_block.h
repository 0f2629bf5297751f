// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block that a kernel is made for, as its code object's metadata tells.
//
// What is easily got wrong: a kernel without a required block, which HIP's compilers make, may be launched with any up to
// its largest; Kiln's kernels compute wrong elements with any other than theirs.
#ifndef KILN_HIP_KERNEL_BLOCK_H
#define KILN_HIP_KERNEL_BLOCK_H

#include <jansson.h>
#include <stdbool.h>

typedef struct kiln_kernel_block {
    unsigned extents[3]; // all 0 where the metadata does not tell
    bool is_required;    // else they are the largest
} kiln_kernel_block_t;

// The metadata of a code object as JSON, to be released by json_decref; NULL where there is none that can be read: whether
// the object is good is the HIP library's to say.
json_t *kiln_code_metadata(const void *code_object, size_t size);

kiln_kernel_block_t kiln_kernel_block(const json_t *metadata, const char *kernel);

#endif
