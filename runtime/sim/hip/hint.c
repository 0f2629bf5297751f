// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: hints about managed memory. There is one memory, so they change nothing; they are kept for each allocation and told.
//
// What a reader gets wrong: hints for a part of an allocation are kept for all of it.
#include <stdlib.h>
#include <string.h>

#include "hip/engine.h"
#include "hip/entry.h"

enum { HOST = -1, NOWHERE = -2 }; // hipCpuDeviceId, hipInvalidDeviceId
enum {
    READ_MOSTLY = 1,
    PREFERRED = 3,
    ACCESSED = 5,
    COARSE = 100,
    FINE = 101
}; // hipMemAdviseSet*; Unset* is one more, and 101 for 100
enum { ABOUT_READS = 1, ABOUT_PREFERRED, ABOUT_ACCESS, ABOUT_PREFETCH, ABOUT_COHERENCE = 100 }; // hipMemRangeAttribute*

typedef struct hints {
    struct hints *next;
    uint64_t base, number; // of the allocation
    bool reads, coarse;
    int preferred, prefetched;
    uint64_t accessed; // devices
    bool accessed_by_host;
} hints_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hints_t *all;

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

// The lock is held. NULL without memory.
static hints_t *hints_of(const kiln_sim_allocation_t *allocation)
{
    for (hints_t *at = all; at; at = at->next) {
        if (at->base != allocation->base)
            continue;
        if (at->number != allocation->number) // of another one, that is gone
            *at = (hints_t){.next = at->next,
                            .base = allocation->base,
                            .number = allocation->number,
                            .preferred = NOWHERE,
                            .prefetched = NOWHERE};
        return at;
    }
    hints_t *made = malloc(sizeof *made);
    if (made) {
        *made = (hints_t){.next = all,
                          .base = allocation->base,
                          .number = allocation->number,
                          .preferred = NOWHERE,
                          .prefetched = NOWHERE};
        all = made;
    }
    return made;
}

static hipError_t find(const void *pointer, size_t bytes, const kiln_sim_allocation_t **found)
{
    if (!pointer || !bytes || !kiln_sim_device_of(pointer, found) || (*found)->kind != KILN_SIM_MEMORY_MANAGED)
        return invalid();
    const uint64_t at = (uint64_t)(uintptr_t)pointer - (*found)->base;
    return bytes > (*found)->size - at ? invalid() : 0;
}

hipError_t hipMemPrefetchAsync(const void *pointer, size_t bytes, int device, hipStream_t stream)
{
    const kiln_sim_allocation_t *found;
    hipError_t error = find(pointer, bytes, &found);
    if (error)
        return error;
    if (device != HOST && !kiln_sim_device_at(device))
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    if (!kiln_sim_stream_find(stream))
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "there is no such stream");
    pthread_mutex_lock(&lock);
    hints_t *hints = hints_of(found);
    if (hints)
        hints->prefetched = device;
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipMemPrefetchAsync_v2(const void *pointer, size_t bytes, hipMemLocation location, unsigned flags,
                                  hipStream_t stream)
{
    (void)flags;
    return hipMemPrefetchAsync(pointer, bytes, location.type == 1 ? location.id : HOST, stream);
}

hipError_t hipMemAdvise(const void *pointer, size_t bytes, hipMemoryAdvise advice, int device)
{
    const kiln_sim_allocation_t *found;
    hipError_t error = find(pointer, bytes, &found);
    if (error)
        return error;
    if (!((advice >= 1 && advice <= 6) || advice == COARSE || advice == FINE))
        return invalid();
    if (advice != READ_MOSTLY && advice != READ_MOSTLY + 1 && device != HOST && !kiln_sim_device_at(device))
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    pthread_mutex_lock(&lock);
    hints_t *hints = hints_of(found);
    const uint64_t bit = device >= 0 && device < 64 ? 1ull << device : 0;
    if (hints && (advice == READ_MOSTLY || advice == READ_MOSTLY + 1))
        hints->reads = advice == READ_MOSTLY;
    else if (hints && (advice == PREFERRED || advice == PREFERRED + 1))
        hints->preferred = advice == PREFERRED ? device : NOWHERE;
    else if (hints && advice == ACCESSED && device == HOST)
        hints->accessed_by_host = true;
    else if (hints && advice == ACCESSED + 1 && device == HOST)
        hints->accessed_by_host = false;
    else if (hints && advice == ACCESSED)
        hints->accessed |= bit;
    else if (hints && advice == ACCESSED + 1)
        hints->accessed &= ~bit;
    else if (hints)
        hints->coarse = advice == COARSE;
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipMemAdvise_v2(const void *pointer, size_t bytes, hipMemoryAdvise advice, hipMemLocation location)
{
    return hipMemAdvise(pointer, bytes, advice, location.type == 1 ? location.id : HOST);
}

hipError_t hipMemRangeGetAttribute(void *data, size_t size, hipMemRangeAttribute attribute, const void *pointer,
                                   size_t bytes)
{
    const kiln_sim_allocation_t *found;
    int *values = data;
    if (!data || !size || size % sizeof *values)
        return invalid();
    hipError_t error = find(pointer, bytes, &found);
    if (error)
        return error;
    if (attribute != ABOUT_ACCESS && size != sizeof *values)
        return invalid();
    pthread_mutex_lock(&lock);
    const hints_t *hints = hints_of(found);
    size_t count = 0;
    const size_t room = size / sizeof *values;
    if (!hints)
        error = KILN_SIM_OUT_OF_MEMORY;
    else if (attribute == ABOUT_READS)
        *values = hints->reads;
    else if (attribute == ABOUT_PREFERRED)
        *values = hints->preferred;
    else if (attribute == ABOUT_PREFETCH)
        *values = hints->prefetched;
    else if (attribute == ABOUT_COHERENCE)
        *values = hints->coarse; // hipMemRangeCoherencyModeFineGrain 0, CoarseGrain 1
    else if (attribute == ABOUT_ACCESS) {
        for (int i = 0; i < 64 && count < room; i++) {
            if (hints->accessed >> i & 1)
                values[count++] = i;
        }
        if (hints->accessed_by_host && count < room)
            values[count++] = HOST;
        while (count < room)
            values[count++] = NOWHERE;
    } else {
        error = KILN_SIM_INVALID_VALUE;
    }
    pthread_mutex_unlock(&lock);
    return error ? kiln_sim_hip_fail(error, NULL) : 0;
}

hipError_t hipMemRangeGetAttributes(void **data, size_t *sizes, hipMemRangeAttribute *attributes, size_t count,
                                    const void *pointer, size_t bytes)
{
    if (!data || !sizes || !attributes || !count)
        return invalid();
    hipError_t error = 0;
    for (size_t i = 0; !error && i < count; i++)
        error = hipMemRangeGetAttribute(data[i], sizes[i], attributes[i], pointer, bytes);
    return error;
}

// hipMemAttachGlobal 1, Host 2, Single 4.
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *pointer, size_t length, unsigned flags)
{
    const kiln_sim_allocation_t *found;
    if (!kiln_sim_stream_find(stream))
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "there is no such stream");
    if (!pointer || (flags != 1 && flags != 2 && flags != 4) || !kiln_sim_device_of(pointer, &found))
        return invalid();
    if (found->kind != KILN_SIM_MEMORY_MANAGED || (length && length != found->size))
        return invalid();
    return 0;
}
