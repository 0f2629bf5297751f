// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a gfx942 code object: ELF, the AMDGPU metadata note, kernel descriptors. The file is not
// trusted: every offset is checked.
//
// Note that the metadata's vgpr_count counts architectural and accumulation registers together; the
// descriptor holds where the accumulation registers begin.
#ifndef KILN_INSPECT_CODE_OBJECT_H
#define KILN_INSPECT_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kiln/kiln.h"

typedef struct kiln_code_argument {
    char *name; // "" if the metadata has none
    char *kind; // ".value_kind": "by_value", "global_buffer", "hidden_…"
    size_t offset, size;
} kiln_code_argument_t;

typedef struct kiln_code_kernel {
    char *name;
    kiln_resources_t resources; // occupancy for the largest workgroup that the kernel allows
    unsigned max_workgroup;     // work-items
    size_t kernarg_bytes, kernarg_align;
    kiln_code_argument_t *arguments; // including hidden ones
    size_t argument_count;
    const unsigned char *code; // within the object; NULL if the descriptor's offset is invalid
    size_t code_size;          // from its symbol, 0 if unknown
    uint64_t code_address;     // of its first instruction, as in the line table
} kiln_code_kernel_t;

typedef struct kiln_code_object {
    kiln_code_kernel_t *kernels; // sorted by name
    size_t kernel_count;
} kiln_code_object_t;

// `bytes` must outlive *out_object. Returns INVALID_INPUT with the reason if the file is invalid.
// Free with kiln_code_object_free, also after a failure.
kiln_status_t kiln_code_object_read(const void *bytes, size_t size, kiln_code_object_t *out_object);
void kiln_code_object_free(kiln_code_object_t *object);

// Returns NULL if absent.
const kiln_code_kernel_t *kiln_code_object_find(const kiln_code_object_t *object, const char *name);

#endif
