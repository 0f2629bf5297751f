// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of one front-end run: everything is allocated from one arena and freed at once.
//
// Allocation does not return on failure. If memory is exhausted or the run exceeds
// KILN_ARENA_LIMIT, the arena jumps to `failure`, which the arena's creator has set with setjmp.
// Code between that setjmp and an allocation must not own memory outside the arena unless the frame
// of the setjmp releases it.
#ifndef KILN_FRONTEND_ARENA_H
#define KILN_FRONTEND_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#define KILN_ARENA_LIMIT ((size_t)512 << 20)

// Values that setjmp returns: the program is too large, or the host is out of memory.
enum { KILN_ARENA_FULL = 1, KILN_ARENA_NO_MEMORY = 2 };

typedef struct kiln_arena {
    struct kiln_arena_chunk *chunks; // newest first
    size_t used;                     // bytes of the newest chunk
    size_t total;                    // bytes of all chunks
    jmp_buf failure;
} kiln_arena_t;

void *kiln_arena_alloc(kiln_arena_t *arena, size_t size); // zeroed, aligned for any object
// The copy has a terminating NUL.
char *kiln_arena_copy(kiln_arena_t *arena, const char *text, size_t length);
char *kiln_arena_print(kiln_arena_t *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *kiln_arena_vprint(kiln_arena_t *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void kiln_arena_release(kiln_arena_t *arena);

#define KILN_ARENA_NEW(arena, type) ((type *)kiln_arena_alloc((arena), sizeof(type)))
#define KILN_ARENA_ARRAY(arena, type, count)                                                       \
    ((type *)kiln_arena_alloc((arena), sizeof(type) * (size_t)(count)))

// Grows an array in an arena so that one more element fits; the old array is garbage until the
// arena is released. Returns the array.
void *kiln_arena_grow(kiln_arena_t *arena, void *array, size_t count, size_t *capacity,
                      size_t element_size);
#define KILN_ARENA_PUSH(arena, list, count, capacity, value)                                       \
    ((list) = kiln_arena_grow((arena), (list), (count), &(capacity), sizeof *(list)),              \
     (list)[(count)++] = (value))

#endif
