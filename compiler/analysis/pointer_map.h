// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash map from MLIR objects (their pointers) to small integers, for analyses that keep their
// facts in an array indexed by them.
//
// Keys are addresses, so iteration order would differ from run to run. Therefore there is no
// iteration; callers that need an order keep a list.
#ifndef KILN_POINTER_MAP_H
#define KILN_POINTER_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct kiln_pointer_map {
    const void **keys;
    int *values;
    uint32_t capacity; // a power of two, or 0
    uint32_t count;
} kiln_pointer_map_t;

static inline uint32_t kiln_pointer_map_slot(const kiln_pointer_map_t *map, const void *key)
{
    uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15ull;
    uint32_t slot = (uint32_t)(hash >> 32) & (map->capacity - 1);
    while (map->keys[slot] && map->keys[slot] != key)
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

// Returns −1 if the key is unknown.
static inline int kiln_pointer_map_get(const kiln_pointer_map_t *map, const void *key)
{
    if (map->capacity == 0)
        return -1;
    uint32_t slot = kiln_pointer_map_slot(map, key);
    return map->keys[slot] ? map->values[slot] : -1;
}

// Returns false when out of memory.
static inline bool kiln_pointer_map_put(kiln_pointer_map_t *map, const void *key, int value)
{
    if (2 * (map->count + 1) > map->capacity) {
        kiln_pointer_map_t larger = {.capacity = map->capacity ? 2 * map->capacity : 64};
        larger.keys = (const void **)calloc(larger.capacity, sizeof *larger.keys);
        larger.values = (int *)calloc(larger.capacity, sizeof *larger.values);
        if (!larger.keys || !larger.values) {
            free((void *)larger.keys);
            free(larger.values);
            return false;
        }
        for (uint32_t i = 0; i < map->capacity; i++) {
            if (!map->keys[i])
                continue;
            uint32_t slot = kiln_pointer_map_slot(&larger, map->keys[i]);
            larger.keys[slot] = map->keys[i];
            larger.values[slot] = map->values[i];
        }
        larger.count = map->count;
        free((void *)map->keys);
        free(map->values);
        *map = larger;
    }
    uint32_t slot = kiln_pointer_map_slot(map, key);
    map->count += map->keys[slot] ? 0 : 1;
    map->keys[slot] = key;
    map->values[slot] = value;
    return true;
}

static inline void kiln_pointer_map_free(kiln_pointer_map_t *map)
{
    free((void *)map->keys);
    free(map->values);
    *map = (kiln_pointer_map_t){0};
}

#endif
