// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and maps of one lowering; see memory_pool.c. Not thread-safe: each lowering has its own.
//
// Call kiln_lower_arena_on_exhausted before the first kiln_lower_arena_alloc.
#ifndef KILN_LOWER_ARENA_H
#define KILN_LOWER_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct kiln_lower_arena kiln_lower_arena_t;
kiln_lower_arena_t *kiln_lower_arena_create(void); // NULL if out of memory
void kiln_lower_arena_release(kiln_lower_arena_t *arena);
void kiln_lower_arena_on_exhausted(kiln_lower_arena_t *arena, jmp_buf *where);
void *kiln_lower_arena_alloc(kiln_lower_arena_t *arena,
                             size_t bytes); // zeroed; does not return if out of memory

// Maps pointers to pointers. Keys are not NULL.
typedef struct kiln_lower_map kiln_lower_map_t;
kiln_lower_map_t *kiln_lower_map_create(void); // NULL if out of memory
void kiln_lower_map_release(kiln_lower_map_t *map);
void kiln_lower_map_clear(kiln_lower_map_t *map);
void *kiln_lower_map_get(const kiln_lower_map_t *map, const void *key); // NULL if absent
bool kiln_lower_map_set(kiln_lower_map_t *map, const void *key,
                        void *value); // false if out of memory

#endif
