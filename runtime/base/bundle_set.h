// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels collected from files and memory: bundles, and code objects with their manifests.
// Items point into the set's own blobs and are valid as long as the set.
#ifndef KILN_BASE_BUNDLE_SET_H
#define KILN_BASE_BUNDLE_SET_H

#include "base/bundle.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed set is empty and ready for use. After a failure the set is still valid and must be
// freed.
typedef struct kiln_bundle_set {
    void **blobs;
    size_t blob_count, blob_capacity;
    kiln_bundle_item_t *items;
    char **origins;   // of each item, for messages: 'kernels.kbundle', kernel 3
    char **manifests; // the same for locations in it: kernel.json, or kernels.kbundle, kernel 3
    size_t count, capacity;
} kiln_bundle_set_t;

// Adds a bundle, or a code object and its .json; the path may name either of the two.
kiln_status_t kiln_bundle_set_add_file(kiln_bundle_set_t *set, const char *path);

// Copies a bundle (manifest NULL), or a code object and its manifest.
kiln_status_t kiln_bundle_set_add_memory(kiln_bundle_set_t *set, const char *name,
                                         const void *bytes, size_t size, const char *manifest);

void kiln_bundle_set_free(kiln_bundle_set_t *set);

#ifdef __cplusplus
}
#endif
#endif
