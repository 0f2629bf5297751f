// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates slabs and large allocations for kernels (memory/heap.h). The device library finds an
// address's slab by its upper bits, so a slab must start at a multiple of its size. Its allocation
// is therefore larger than the slab.
#include "memory/heap.h"

#define RECORD_BYTES (256u << 10) // more than any version of the library needs
#define SLAB (2u << 20)

uint64_t kiln_sim_heap_records(kiln_sim_heap_t *heap, kiln_sim_memory_t *memory,
                               kiln_sim_error_t *error)
{
    pthread_mutex_lock(&heap->lock);
    if (!heap->records) {
        heap->records =
            kiln_sim_memory_allocate(memory, RECORD_BYTES, KILN_SIM_MEMORY_SYSTEM, 0, error);
        if (heap->records)
            kiln_sim_memory_mark(memory, (uint64_t)(uintptr_t)heap->records, RECORD_BYTES);
    }
    const uint64_t address = (uint64_t)(uintptr_t)heap->records;
    pthread_mutex_unlock(&heap->lock);
    return address;
}

uint64_t kiln_sim_heap_allocate(kiln_sim_heap_t *heap, kiln_sim_memory_t *memory, uint64_t limit,
                                uint64_t size)
{
    const bool is_slab = size == SLAB;
    uint64_t made = 0;
    pthread_mutex_lock(&heap->lock);
    if (size && (!limit || (size <= limit && heap->used <= limit - size))) {
        const uint64_t units = (size + 4095) >> 12;
        made = (uint64_t)(uintptr_t)kiln_sim_memory_allocate(
            memory, is_slab ? 2 * SLAB : size, KILN_SIM_MEMORY_DEVICE,
            (unsigned)units | KILN_SIM_MEMORY_PERSISTENT, NULL);
        if (made)
            heap->used += units << 12;
        if (made && is_slab) {
            made = (made + SLAB - 1) / SLAB * SLAB;
            kiln_sim_memory_mark(memory, made, SLAB); // the library relies on zeros
        }
    }
    pthread_mutex_unlock(&heap->lock);
    return made;
}

bool kiln_sim_heap_free(kiln_sim_heap_t *heap, kiln_sim_memory_t *memory, uint64_t address)
{
    pthread_mutex_lock(&heap->lock);
    const kiln_sim_allocation_t *found = kiln_sim_memory_find(memory, address);
    const bool is_own = found && kiln_sim_memory_is_heap(found);
    const uint64_t bytes =
        is_own ? (uint64_t)(found->flags & ~KILN_SIM_MEMORY_PERSISTENT) << 12 : 0;
    const bool is_slab = is_own && found->size == 2 * SLAB && bytes == SLAB;
    // Only an address that was returned by allocate can be freed, not an address inside an
    // allocation.
    bool good = is_own &&
                address == (is_slab ? (found->base + SLAB - 1) / SLAB * SLAB : found->base) &&
                kiln_sim_memory_free(memory, (const void *)(uintptr_t)found->base, NULL);
    if (good)
        heap->used -= bytes;
    pthread_mutex_unlock(&heap->lock);
    return good;
}
