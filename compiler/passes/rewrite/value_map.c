// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hash map of value_map.h: open addressing with linear probing, at most half full.
#include "passes/rewrite/value_map.h"

#include <stdint.h>
#include <stdlib.h>

static size_t slot_of(const kiln_value_map_t *map, const void *value, const void *encoding)
{
    uintptr_t hash = ((uintptr_t)value >> 3) * 0x9E3779B97F4A7C15u ^
                     ((uintptr_t)encoding >> 3) * 0xC2B2AE3D27D4EB4Fu;
    size_t slot = (size_t)(hash >> 17) & (map->capacity - 1);
    while (map->entries[slot].value &&
           (map->entries[slot].value != value || map->entries[slot].encoding != encoding))
        slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

const void *kiln_value_map_get(const kiln_value_map_t *map, MlirValue value, MlirAttribute encoding)
{
    return map->capacity ? map->entries[slot_of(map, value.ptr, encoding.ptr)].result : NULL;
}

static bool grow(kiln_value_map_t *map)
{
    kiln_value_map_t larger = {.capacity = map->capacity ? map->capacity * 2 : 256,
                               .count = map->count};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries)
        return false;
    for (size_t i = 0; i < map->capacity; ++i)
        if (map->entries[i].value)
            larger.entries[slot_of(&larger, map->entries[i].value, map->entries[i].encoding)] =
                map->entries[i];
    free(map->entries);
    *map = larger;
    return true;
}

bool kiln_value_map_put(kiln_value_map_t *map, MlirValue value, MlirAttribute encoding,
                        const void *result)
{
    if (map->count * 2 >= map->capacity && !grow(map))
        return false;
    size_t slot = slot_of(map, value.ptr, encoding.ptr);
    map->count += map->entries[slot].value == NULL;
    map->entries[slot] = (struct kiln_value_map_entry){value.ptr, encoding.ptr, result};
    return true;
}

void kiln_value_map_free(kiln_value_map_t *map)
{
    free(map->entries);
    *map = (kiln_value_map_t){0};
}
