// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: hints about managed memory. There is only one memory, so they have no effect;
// they are stored for each allocation and can be queried.
//
// Hints apply to whole pages, so an allocation is split into a part for each different set of
// hints.
#include <stdlib.h>
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

#define NON_COHERENT 0x80000000u // hipHostMallocNonCoherent

enum { HOST = -1, NOWHERE = -2 }; // hipCpuDeviceId, hipInvalidDeviceId
enum {
    READ_MOSTLY = 1,
    PREFERRED = 3,
    ACCESSED = 5,
    COARSE = 100,
    FINE = 101,
    PREFETCHED = 200 // internal: not a value of hipMemAdvise
}; // hipMemAdviseSet*; Unset* is one more, and 101 for 100
enum {
    ABOUT_READS = 1,
    ABOUT_PREFERRED,
    ABOUT_ACCESS,
    ABOUT_PREFETCH,
    ABOUT_COHERENCE = 100
}; // hipMemRangeAttribute*

#define PAGE 4096u

typedef struct settings {
    bool reads, coarse;
    int preferred, prefetched;
    uint64_t accessed; // set of devices
    bool accessed_by_host;
} settings_t;

// The hints for a part of an allocation that ends at `end`; parts are in ascending order.
typedef struct part {
    struct part *next;
    uint64_t end;
    settings_t settings;
} part_t;

typedef struct hints {
    struct hints *next;
    uint64_t base, number; // of the allocation
    part_t *parts;
} hints_t;

static const settings_t nothing = {.preferred = NOWHERE, .prefetched = NOWHERE};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hints_t *all;

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

// Requires the lock. NULL if memory is exhausted.
static hints_t *hints_of(const kiln_sim_allocation_t *allocation)
{
    for (hints_t *at = all; at; at = at->next) {
        if (at->base != allocation->base)
            continue;
        if (at->number == allocation->number)
            return at;
        for (part_t *more; (more = at->parts->next); free(more)) // of a freed allocation
            at->parts->next = more->next;
        at->number = allocation->number;
        *at->parts = (part_t){NULL, allocation->base + allocation->size + PAGE, nothing};
        return at;
    }
    hints_t *made = malloc(sizeof *made);
    part_t *whole = malloc(sizeof *whole);
    if (!made || !whole) {
        free(made);
        free(whole);
        return NULL;
    }
    *whole = (part_t){NULL, allocation->base + allocation->size + PAGE, nothing};
    *made = (hints_t){all, allocation->base, allocation->number, whole};
    return all = made;
}

// Splits the parts at an address and returns the part that begins there; NULL if memory is
// exhausted.
static part_t *cut(hints_t *hints, uint64_t address)
{
    uint64_t begin = hints->base;
    part_t *at = hints->parts;
    for (; at->end <= address; at = at->next)
        begin = at->end;
    if (begin == address)
        return at;
    part_t *rest = malloc(sizeof *rest);
    if (!rest)
        return NULL;
    *rest = *at;
    at->next = rest;
    at->end = address;
    return rest;
}

static uint64_t page_below(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer / PAGE * PAGE;
}

static uint64_t page_above(const void *pointer, size_t bytes)
{
    return ((uint64_t)(uintptr_t)pointer + bytes + PAGE - 1) / PAGE * PAGE;
}

static void set(settings_t *settings, int what, int device)
{
    const uint64_t bit = device >= 0 && device < 64 ? 1ull << device : 0;
    if (what == READ_MOSTLY || what == READ_MOSTLY + 1)
        settings->reads = what == READ_MOSTLY;
    else if (what == PREFERRED || what == PREFERRED + 1)
        settings->preferred = what == PREFERRED ? device : NOWHERE;
    else if ((what == ACCESSED || what == ACCESSED + 1) && device == HOST)
        settings->accessed_by_host = what == ACCESSED;
    else if (what == ACCESSED)
        settings->accessed |= bit;
    else if (what == ACCESSED + 1)
        settings->accessed &= ~bit;
    else if (what == PREFETCHED)
        settings->prefetched = device;
    else
        settings->coarse = what == COARSE;
}

static void set_range(const kiln_sim_allocation_t *allocation, const void *pointer, size_t bytes,
                      int what, int device)
{
    pthread_mutex_lock(&lock);
    hints_t *hints = hints_of(allocation);
    part_t *at = hints ? cut(hints, page_below(pointer)) : NULL;
    const uint64_t end = page_above(pointer, bytes);
    if (at && cut(hints, end)) {
        for (; at && at->end <= end; at = at->next)
            set(&at->settings, what, device);
    }
    pthread_mutex_unlock(&lock);
}

enum { NOT_COARSE = 0, ALL_COARSE = 1, PARTLY_COARSE = 2 }; // hipMemRangeCoherencyMode

// The settings that all parts of the range have in common. False if memory is exhausted.
static bool get_range(const kiln_sim_allocation_t *allocation, const void *pointer, size_t bytes,
                      settings_t *out, int *coherence)
{
    pthread_mutex_lock(&lock);
    hints_t *hints = hints_of(allocation);
    const part_t *at = hints ? hints->parts : NULL;
    while (at && at->end <= (uint64_t)(uintptr_t)pointer)
        at = at->next;
    if (at) {
        *out = at->settings;
        *coherence = at->settings.coarse ? ALL_COARSE : NOT_COARSE;
    }
    for (const part_t *more = at; more && more->end < (uint64_t)(uintptr_t)pointer + bytes;) {
        const settings_t *settings = &(more = more->next)->settings;
        out->reads = out->reads && settings->reads;
        out->preferred = out->preferred == settings->preferred ? settings->preferred : NOWHERE;
        out->prefetched = out->prefetched == settings->prefetched ? settings->prefetched : NOWHERE;
        out->accessed &= settings->accessed;
        out->accessed_by_host = out->accessed_by_host && settings->accessed_by_host;
        *coherence = out->coarse == settings->coarse ? *coherence : PARTLY_COARSE;
    }
    pthread_mutex_unlock(&lock);
    return at;
}

static hipError_t find(const void *pointer, size_t bytes, const kiln_sim_allocation_t **found)
{
    if (!pointer || !bytes || !kiln_sim_device_of(pointer, found) ||
        (*found)->kind != KILN_SIM_MEMORY_MANAGED)
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
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    set_range(found, pointer, bytes, PREFETCHED, device);
    return 0;
}

hipError_t hipMemPrefetchAsync_v2(const void *pointer, size_t bytes, hipMemLocation location,
                                  unsigned flags, hipStream_t stream)
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
    if (advice != READ_MOSTLY && advice != READ_MOSTLY + 1 && device != HOST &&
        !kiln_sim_device_at(device))
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    set_range(found, pointer, bytes, advice, device);
    return 0;
}

hipError_t hipMemAdvise_v2(const void *pointer, size_t bytes, hipMemoryAdvise advice,
                           hipMemLocation location)
{
    return hipMemAdvise(pointer, bytes, advice, location.type == 1 ? location.id : HOST);
}

hipError_t hipMemRangeGetAttribute(void *data, size_t size, hipMemRangeAttribute attribute,
                                   const void *pointer, size_t bytes)
{
    const kiln_sim_allocation_t *found;
    int *values = data;
    if (!data || !size || size % sizeof *values)
        return invalid();
    if (attribute == ABOUT_COHERENCE && size == sizeof *values && pointer &&
        kiln_sim_device_of(pointer, &found) && found->kind != KILN_SIM_MEMORY_MANAGED) {
        // Device memory is coarse unless the program requested otherwise (hipExtMallocWithFlags),
        // host memory only if requested.
        const bool coarse = found->kind == KILN_SIM_MEMORY_HOST ? (found->flags & NON_COHERENT) != 0
                                                                : !found->flags;
        *values = coarse ? ALL_COARSE : NOT_COARSE;
        return 0;
    }
    hipError_t error = find(pointer, bytes, &found);
    if (error)
        return error;
    if (attribute != ABOUT_ACCESS && size != sizeof *values)
        return invalid();
    settings_t settings = nothing;
    int coherence = NOT_COARSE;
    size_t count = 0;
    const size_t room = size / sizeof *values;
    if (!get_range(found, pointer, bytes, &settings, &coherence))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    if (attribute == ABOUT_READS) {
        *values = settings.reads;
    } else if (attribute == ABOUT_PREFERRED) {
        *values = settings.preferred;
    } else if (attribute == ABOUT_PREFETCH) {
        *values = settings.prefetched;
    } else if (attribute == ABOUT_COHERENCE) {
        *values = coherence;
    } else if (attribute == ABOUT_ACCESS) {
        for (int i = 0; i < 64 && count < room; i++) {
            if (settings.accessed >> i & 1)
                values[count++] = i;
        }
        if (settings.accessed_by_host && count < room)
            values[count++] = HOST;
        while (count < room)
            values[count++] = NOWHERE;
    } else {
        return invalid();
    }
    return 0;
}

hipError_t hipMemRangeGetAttributes(void **data, size_t *sizes, hipMemRangeAttribute *attributes,
                                    size_t count, const void *pointer, size_t bytes)
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
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    if (!pointer || (flags != 1 && flags != 2 && flags != 4) ||
        !kiln_sim_device_of(pointer, &found))
        return invalid();
    if (found->kind != KILN_SIM_MEMORY_MANAGED || (length && length != found->size))
        return invalid();
    return 0;
}
