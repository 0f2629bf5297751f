// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and maps of one lowering.
//
// The arena frees everything at once, so tiles and sums need no owners. Note that
// kiln_lower_arena_alloc does not return if out of memory. It jumps to the setjmp that
// kiln_lower_arena_on_exhausted set, so only C frames may lie between that and a call.
#include "memory_pool.h"

#include <stdlib.h>
#include <string.h>

enum { ARENA_CHUNK = 64 * 1024 };

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
    max_align_t data[];
} chunk_t;

struct kiln_lower_arena {
    chunk_t *chunks;
    jmp_buf *on_exhausted;
};

kiln_lower_arena_t *kiln_lower_arena_create(void)
{
    return calloc(1, sizeof(kiln_lower_arena_t));
}

void kiln_lower_arena_release(kiln_lower_arena_t *arena)
{
    if (!arena)
        return;
    for (chunk_t *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

void kiln_lower_arena_on_exhausted(kiln_lower_arena_t *arena, jmp_buf *where)
{
    arena->on_exhausted = where;
}

void *kiln_lower_arena_alloc(kiln_lower_arena_t *arena, size_t bytes)
{
    bytes = (bytes + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
    chunk_t *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t size = bytes > ARENA_CHUNK ? bytes : ARENA_CHUNK;
        chunk = calloc(1, sizeof(chunk_t) + size);
        if (!chunk)
            longjmp(*arena->on_exhausted, 1);
        chunk->size = size;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    void *result = (char *)chunk->data + chunk->used;
    chunk->used += bytes;
    return result;
}

// Open addressing with linear probing; never more than half full.
typedef struct entry {
    const void *key;
    void *value;
} entry_t;

struct kiln_lower_map {
    entry_t *entries;
    size_t capacity, count;
};

static size_t hash_pointer(const void *key)
{
    uint64_t bits = (uint64_t)(uintptr_t)key;
    return (size_t)((bits >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20);
}

static entry_t *find_entry(entry_t *entries, size_t capacity, const void *key)
{
    for (size_t i = hash_pointer(key);; i++) {
        entry_t *entry = &entries[i & (capacity - 1)];
        if (!entry->key || entry->key == key)
            return entry;
    }
}

kiln_lower_map_t *kiln_lower_map_create(void)
{
    kiln_lower_map_t *map = calloc(1, sizeof *map);
    if (!map)
        return NULL;
    map->capacity = 256;
    map->entries = calloc(map->capacity, sizeof(entry_t));
    if (!map->entries) {
        free(map);
        return NULL;
    }
    return map;
}

void kiln_lower_map_release(kiln_lower_map_t *map)
{
    if (!map)
        return;
    free(map->entries);
    free(map);
}

void kiln_lower_map_clear(kiln_lower_map_t *map)
{
    memset(map->entries, 0, map->capacity * sizeof(entry_t));
    map->count = 0;
}

void *kiln_lower_map_get(const kiln_lower_map_t *map, const void *key)
{
    return find_entry(map->entries, map->capacity, key)->value;
}

bool kiln_lower_map_set(kiln_lower_map_t *map, const void *key, void *value)
{
    if (2 * (map->count + 1) > map->capacity) {
        size_t capacity = 2 * map->capacity;
        entry_t *entries = calloc(capacity, sizeof(entry_t));
        if (!entries)
            return false;
        for (size_t i = 0; i < map->capacity; i++)
            if (map->entries[i].key)
                *find_entry(entries, capacity, map->entries[i].key) = map->entries[i];
        free(map->entries);
        map->entries = entries;
        map->capacity = capacity;
    }
    entry_t *entry = find_entry(map->entries, map->capacity, key);
    if (!entry->key)
        map->count++;
    *entry = (entry_t){key, value};
    return true;
}
