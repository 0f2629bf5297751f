// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles: many compiled kernels in one file.
//
//     header   64 bytes   "KILNBNDL", version, count, size of the file, XXH3-128 of all but itself
//     table    32 bytes   a kernel: offset and size of its code object, offset and size of its manifest
//     code objects and manifests, each at a multiple of 64 bytes, a zero behind each manifest
//
// Numbers are little-endian. Kernels with the same code object share it.
//
// What is easily got wrong: order matters. Where two kernels fit a call alike, loaders take the earlier one.
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
    const char *manifest; // a zero follows it
    size_t manifest_size; // without it
} kiln_bundle_item_t;

// Lays the items into one file's bytes, which are from malloc. Nothing in them is looked at.
kiln_status_t kiln_bundle_write(const kiln_bundle_item_t *items, size_t count, void **out_bytes, size_t *out_size);

// Whether bytes begin as a bundle does.
bool kiln_bundle_is(const void *bytes, size_t size);

// Views of the items within `bytes`, in an array from malloc. INVALID_INPUT tells what is damaged, UNSUPPORTED of another
// version. Items that share a code object have equal pointers.
kiln_status_t kiln_bundle_read(const void *bytes, size_t size, kiln_bundle_item_t **out_items, size_t *out_count);

#ifdef __cplusplus
}
#endif
#endif
