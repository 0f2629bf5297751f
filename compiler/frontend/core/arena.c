// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bump allocator of chunks that double in size. Requests larger than a chunk get a chunk of their
// own size.
#include "frontend/core/arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

struct kiln_arena_chunk {
    struct kiln_arena_chunk *next;
    size_t size;
    alignas(max_align_t) char bytes[];
};

static void add_chunk(kiln_arena_t *arena, size_t need)
{
    size_t size = arena->chunks ? arena->chunks->size * 2 : 16384;
    if (size > (1u << 22))
        size = 1u << 22;
    if (size < need)
        size = need;
    if (need > KILN_ARENA_LIMIT || arena->total + size > KILN_ARENA_LIMIT)
        longjmp(arena->failure, KILN_ARENA_FULL);
    struct kiln_arena_chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        longjmp(arena->failure, KILN_ARENA_NO_MEMORY);
    chunk->next = arena->chunks;
    chunk->size = size;
    arena->chunks = chunk;
    arena->used = 0;
    arena->total += size;
}

void *kiln_arena_alloc(kiln_arena_t *arena, size_t size)
{
    const size_t align = alignof(max_align_t);
    size = (size + align - 1) / align * align;
    if (!arena->chunks || arena->chunks->size - arena->used < size)
        add_chunk(arena, size);
    void *memory = arena->chunks->bytes + arena->used;
    arena->used += size;
    return memory;
}

char *kiln_arena_copy(kiln_arena_t *arena, const char *text, size_t length)
{
    char *copy = kiln_arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *kiln_arena_vprint(kiln_arena_t *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = kiln_vformat(NULL, 0, format, again);
    va_end(again);
    const size_t size = length < 0 ? 1 : (size_t)length + 1; // the front end's formats cannot fail
    char *text = kiln_arena_alloc(arena, size);
    kiln_vformat(text, size, format, arguments);
    return text;
}

char *kiln_arena_print(kiln_arena_t *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = kiln_arena_vprint(arena, format, arguments);
    va_end(arguments);
    return text;
}

void *kiln_arena_grow(kiln_arena_t *arena, void *array, size_t count, size_t *capacity,
                      size_t element_size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? *capacity * 2 : 8;
    void *grown = kiln_arena_alloc(arena, *capacity * element_size);
    if (count)
        memcpy(grown, array, count * element_size);
    return grown;
}

void kiln_arena_release(kiln_arena_t *arena)
{
    while (arena->chunks) {
        struct kiln_arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    arena->used = arena->total = 0;
}
