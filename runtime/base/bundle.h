// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles: many compiled kernels in one file.
//
//     header   64 bytes   "KILNBNDL", version, count, size of the file, XXH3-128 of all but itself
//     table    32 bytes   per kernel: offset and size of its code object and of its manifest
//     code objects and manifests, each aligned to 64 bytes, a NUL after each manifest
//
// Numbers are little-endian. Kernels with the same code object share it. Order matters: if two
// kernels fit a call equally well, loaders choose the earlier one.
#ifndef KILN_BASE_BUNDLE_H
#define KILN_BASE_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "kiln/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KILN_BUNDLE_VERSION = 1 };

typedef struct kiln_bundle_item {
    const void *code_object;
    size_t code_object_size;
    const char *manifest; // NUL-terminated
    size_t manifest_size; // without the NUL
} kiln_bundle_item_t;

// Serializes the items into a buffer from malloc. Does not validate them.
kiln_status_t kiln_bundle_write(const kiln_bundle_item_t *items, size_t count, void **out_bytes,
                                size_t *out_size);

// Whether the bytes begin with a bundle's magic.
bool kiln_bundle_is(const void *bytes, size_t size);

// Returns views of the items within `bytes`, in an array from malloc. INVALID_INPUT names the
// damaged part, UNSUPPORTED means another version. Items that share a code object have equal
// pointers.
kiln_status_t kiln_bundle_read(const void *bytes, size_t size, kiln_bundle_item_t **out_items,
                               size_t *out_count);

#ifdef __cplusplus
}
#endif
#endif
