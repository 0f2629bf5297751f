// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of one front-end run: everything is allocated from one arena and freed at once.
//
// There is no failing return: when memory is short, or the run exceeds KILN_ARENA_LIMIT, the arena jumps to `failure`,
// which whoever made the arena has set with setjmp. So nothing between that setjmp and an allocation may own memory
// outside the arena, except through what the setjmp's frame releases.
#ifndef KILN_FRONTEND_ARENA_H
#define KILN_FRONTEND_ARENA_H

#include <setjmp.h>
#include <stddef.h>

#define KILN_ARENA_LIMIT ((size_t)512 << 20)

typedef struct kiln_arena {
    struct kiln_arena_chunk *chunks; // newest first
    size_t used;                     // bytes of the newest chunk
    size_t total;                    // bytes of all chunks
    jmp_buf failure;
} kiln_arena_t;

void *kiln_arena_alloc(kiln_arena_t *arena, size_t size);                    // zeroed, aligned for any object
char *kiln_arena_copy(kiln_arena_t *arena, const char *text, size_t length); // with a terminating NUL
void kiln_arena_release(kiln_arena_t *arena);

#define KILN_ARENA_NEW(arena, type) ((type *)kiln_arena_alloc((arena), sizeof(type)))
#define KILN_ARENA_ARRAY(arena, type, count) ((type *)kiln_arena_alloc((arena), sizeof(type) * (size_t)(count)))

// Grows an array in an arena so that one more element fits: the old array stays as garbage until the release. Returns
// the array.
void *kiln_arena_grow(kiln_arena_t *arena, void *array, size_t count, size_t *capacity, size_t element_size);
#define KILN_ARENA_PUSH(arena, list, count, capacity, value)                                                           \
    ((list) = kiln_arena_grow((arena), (list), (count), &(capacity), sizeof *(list)), (list)[(count)++] = (value))

#endif
