// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A growing array: a pointer from malloc, the number of items that it has room for, and the number
// of items, which its owner counts. A zeroed array is empty and ready for use.
//
//     if (!KILN_ARRAY_RESERVE(&ops->all, &ops->capacity, ops->count + 1))
//         return kiln_status_out_of_memory();
//     ops->all[ops->count++] = op;
//
// The function must be inlined: tests that make allocations fail distinguish the growth of one
// array from that of another by the caller of realloc.
#ifndef KILN_BASE_ARRAY_H
#define KILN_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KILN_ARRAY_FIRST_CAPACITY = 16 };

// Makes room for `needed` items in the array at `*array`, a `T *` that is NULL or from malloc, with
// room for `*capacity` items (a size_t). The capacity doubles, so that appending n items one by one
// moves fewer than 2 n. New items are not initialized. The array may move: pointers into it become
// invalid. Returns false if memory is exhausted or the size would overflow; array and capacity are
// then unchanged. The owner frees the array by free(), after a failure too. Not thread-safe.
#define KILN_ARRAY_RESERVE(array, capacity, needed)                                                \
    kiln_array_reserve((array), (capacity), (needed), sizeof **(array))

// `io_array` is the address of a pointer of any type, so the pointer is copied by its bytes.
__attribute__((always_inline)) static inline bool
kiln_array_reserve(void *io_array, size_t *io_capacity, size_t needed, size_t item_size)
{
    if (needed <= *io_capacity)
        return true;
    const size_t limit = PTRDIFF_MAX / item_size;
    size_t capacity = *io_capacity ? *io_capacity : KILN_ARRAY_FIRST_CAPACITY;
    while (capacity < needed && capacity <= limit)
        capacity *= 2;
    if (capacity > limit)
        return false;
    void *items;
    memcpy(&items, io_array, sizeof items);
    items = realloc(items, capacity * item_size);
    if (!items)
        return false;
    memcpy(io_array, &items, sizeof items);
    *io_capacity = capacity;
    return true;
}

#endif
