// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash map from (value, encoding) to a pointer-sized result, for passes over layouts. A key with
// a null encoding is a plain value.
#ifndef KILN_VALUE_MAP_H
#define KILN_VALUE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include <mlir-c/IR.h>

typedef struct kiln_value_map {
    struct kiln_value_map_entry {
        const void *value, *encoding, *result;
    } *entries; // open addressing; a null value is a free slot
    size_t capacity, count;
} kiln_value_map_t;

// Returns the result stored for the key, or NULL.
const void *kiln_value_map_get(const kiln_value_map_t *map, MlirValue value,
                               MlirAttribute encoding);
// Stores a non-NULL result, replacing an earlier one. Returns false when out of memory.
bool kiln_value_map_put(kiln_value_map_t *map, MlirValue value, MlirAttribute encoding,
                        const void *result);
void kiln_value_map_free(kiln_value_map_t *map);

#endif
