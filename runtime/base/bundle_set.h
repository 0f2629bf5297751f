// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels collected from files and memory: bundles, and code objects with their manifests.
//
// What is easily got wrong: items point into the set's own blobs, and go with it.
#ifndef KILN_BASE_BUNDLE_SET_H
#define KILN_BASE_BUNDLE_SET_H

#include "base/bundle.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed set is empty and ready. After a failure it still is a set, to be freed.
typedef struct kiln_bundle_set {
    void **blobs;
    size_t blob_count;
    kiln_bundle_item_t *items;
    char **origins; // of each item, for messages: "kernels.kbundle", kernel 3
    size_t count;
} kiln_bundle_set_t;

// A bundle, or one of a code object and the .json beside it.
kiln_status_t kiln_bundle_set_add_file(kiln_bundle_set_t *set, const char *path);

// Copies a bundle (manifest NULL), or a code object and its manifest.
kiln_status_t kiln_bundle_set_add_memory(kiln_bundle_set_t *set, const char *name, const void *bytes, size_t size,
                                         const char *manifest);

void kiln_bundle_set_free(kiln_bundle_set_t *set);

#ifdef __cplusplus
}
#endif
#endif
