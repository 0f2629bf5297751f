// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contents of device memory that are made when something first needs them. A launch of which only
// the time is wanted mostly needs addresses, and filling its operands may take longer than
// predicting its time.
//
// Whatever moves data comes through a check of its address, and those checks fill: of the copies
// and fills of the HIP layer, and of the accesses of kernels (kiln_sim_check_address), except for
// accesses of which only the addresses are needed.
//
// Pitfall: an allocation of which a single byte is needed is filled as a whole.
#include <stdlib.h>

#include "memory/memory.h"

struct kiln_sim_later {
    kiln_sim_contents_t contents;
};

// The caller holds memory->filling.
static void drop(kiln_sim_allocation_t *allocation)
{
    struct kiln_sim_later *later = allocation->later;
    __atomic_store_n(&allocation->later, NULL, __ATOMIC_RELEASE);
    if (later && later->contents.release)
        later->contents.release(later->contents.user);
    free(later);
}

void kiln_sim_memory_drop_later(kiln_sim_memory_t *memory, kiln_sim_allocation_t *allocation)
{
    if (!kiln_sim_memory_is_unfilled(allocation))
        return;
    pthread_mutex_lock(&memory->filling);
    drop(allocation);
    pthread_mutex_unlock(&memory->filling);
}

bool kiln_sim_memory_fill_later(kiln_sim_memory_t *memory, const void *base,
                                const kiln_sim_contents_t *contents, kiln_sim_error_t *error)
{
    const uint64_t address = (uint64_t)(uintptr_t)base;
    struct kiln_sim_later *later = malloc(sizeof *later);
    if (!later)
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory");
    later->contents = *contents;
    kiln_sim_allocation_t *allocation =
        (kiln_sim_allocation_t *)(uintptr_t)kiln_sim_memory_find(memory, address);
    if (!allocation || allocation->base != address || allocation->kind != KILN_SIM_MEMORY_DEVICE ||
        allocation->flags & KILN_SIM_MEMORY_PERSISTENT) {
        free(later);
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "%p is not the start of memory from hipMalloc", base);
    }
    pthread_mutex_lock(&memory->filling);
    drop(allocation);
    __atomic_store_n(&allocation->later, later, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&memory->filling);
    kiln_sim_memory_mark(memory, address, allocation->size);
    return true;
}

void kiln_sim_memory_fill_now(kiln_sim_memory_t *memory, const kiln_sim_allocation_t *found)
{
    kiln_sim_allocation_t *allocation = (kiln_sim_allocation_t *)(uintptr_t)found;
    if (!kiln_sim_memory_is_unfilled(allocation))
        return;
    pthread_mutex_lock(&memory->filling);
    const struct kiln_sim_later *later = allocation->later;
    if (later)
        later->contents.fill(later->contents.user, (void *)(uintptr_t)allocation->base,
                             allocation->size);
    drop(allocation);
    pthread_mutex_unlock(&memory->filling);
}
