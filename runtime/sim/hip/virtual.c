// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: virtual memory management. Physical memory is a file in the host's memory (memfd), a reserved range is an empty mapping, and mapping
// is mapping. Memory that a device may reach is in that device's table of allocations, so that checks know of it.
//
// What a reader gets wrong: mapped memory cannot be used before hipMemSetAccess.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hip/engine.h"
#include "hip/entry.h"

#define GRANULARITY 4096u
#define ALIGNMENT (2u << 20) // of reserved ranges
#define PHYSICAL_MAGIC 0x6b706879u

enum { PINNED = 1, DEVICE = 1, READ = 1, READ_WRITE = 3, FILE_DESCRIPTOR = 1 };

struct kiln_sim_physical {
    uint32_t magic;
    hipMemAllocationProp properties;
    size_t size;
    int file;
    unsigned references; // the program's, and one for each mapping
    bool imported;       // another process is charged for it
};

typedef struct mapping {
    struct mapping *next;
    uint64_t base, size;
    hipMemGenericAllocationHandle_t physical;
    int access[KILN_SIM_DEVICES_MOST];
} mapping_t;

typedef struct range {
    struct range *next;
    uint64_t base, size;
} range_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mapping_t *mappings;
static range_t *ranges;

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

static bool is_physical(hipMemGenericAllocationHandle_t handle)
{
    return handle && handle->magic == PHYSICAL_MAGIC;
}

static bool is_good(const hipMemAllocationProp *p)
{
    return p && p->type == PINNED && p->location.type == DEVICE && kiln_sim_device_at(p->location.id);
}

hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *p,
                                          hipMemAllocationGranularity_flags option)
{
    if (!granularity || !is_good(p) || option < 0 || option > 1)
        return invalid();
    *granularity = GRANULARITY;
    return 0;
}

// ---- ranges of addresses

hipError_t hipMemAddressReserve(void **pointer, size_t size, size_t alignment, void *wanted, unsigned long long flags)
{
    if (!pointer || flags)
        return invalid();
    if (!size || size % 4096 || (alignment & (alignment - 1)))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "no range has such a size or alignment");
    const size_t align = alignment > ALIGNMENT ? alignment : ALIGNMENT;
    if (size > SIZE_MAX - align)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    range_t *made = malloc(sizeof *made);
    const int mode = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *base = MAP_FAILED;
    if (made && wanted && (uintptr_t)wanted % 4096 == 0) {
        base = mmap(wanted, size, PROT_NONE, mode, -1, 0);
        if (base != MAP_FAILED && base != wanted) {
            munmap(base, size);
            base = MAP_FAILED;
        }
    }
    if (made && base == MAP_FAILED && (base = mmap(NULL, size + align, PROT_NONE, mode, -1, 0)) != MAP_FAILED) {
        const uintptr_t from = (uintptr_t)base, start = (from + align - 1) / align * align;
        if (start > from)
            munmap(base, start - from);
        munmap((void *)(start + size), from + align - start);
        base = (void *)start;
    }
    if (base == MAP_FAILED) {
        free(made);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "there is no such range of addresses");
    }
    pthread_mutex_lock(&lock);
    *made = (range_t){ranges, (uint64_t)(uintptr_t)base, size};
    ranges = made;
    pthread_mutex_unlock(&lock);
    *pointer = base;
    return 0;
}

static mapping_t *mapping_at(uint64_t address)
{
    mapping_t *at = mappings;
    while (at && address - at->base >= at->size)
        at = at->next;
    return at;
}

hipError_t hipMemAddressFree(void *pointer, size_t size)
{
    hipError_t error = KILN_SIM_INVALID_VALUE;
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    bool used = false;
    pthread_mutex_lock(&lock);
    for (mapping_t *at = mappings; at; at = at->next)
        used = used || (at->base < base + size && base < at->base + at->size);
    for (range_t **at = &ranges; pointer && !used && *at; at = &(*at)->next) {
        range_t *gone = *at;
        if (gone->base != base || gone->size != size)
            continue;
        munmap(pointer, size);
        *at = gone->next;
        free(gone);
        error = 0;
        break;
    }
    pthread_mutex_unlock(&lock);
    return error ? kiln_sim_hip_fail(error, used ? "there is memory mapped in the range" : NULL) : 0;
}

static bool is_reserved(uint64_t base, uint64_t size)
{
    for (const range_t *at = ranges; at; at = at->next) {
        if (base >= at->base && base - at->base <= at->size && at->size - (base - at->base) >= size)
            return true;
    }
    return false;
}

// ---- physical memory

static hipError_t make(hipMemGenericAllocationHandle_t *handle, size_t size, const hipMemAllocationProp *p, int file,
                       bool imported)
{
    struct kiln_sim_physical *made = calloc(1, sizeof *made);
    if (!made) {
        close(file);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    *made = (struct kiln_sim_physical){PHYSICAL_MAGIC, *p, size, file, 1, imported};
    *handle = made;
    return 0;
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size, const hipMemAllocationProp *p,
                        unsigned long long flags)
{
    if (!handle || !size || flags || !is_good(p) || (p->handle_type != 0 && p->handle_type != FILE_DESCRIPTOR) ||
        size % GRANULARITY)
        return invalid();
    kiln_sim_device_t *device = kiln_sim_device_at(p->location.id);
    if (!kiln_sim_memory_charge(device->memory, size))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    int file = memfd_create("kiln-sim", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)size) != 0) {
        if (file >= 0)
            close(file);
        kiln_sim_memory_discharge(device->memory, size);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "the host has no memory to map");
    }
    hipError_t error = make(handle, size, p, file, false);
    if (error)
        kiln_sim_memory_discharge(device->memory, size);
    return error;
}

// The lock is held.
static void let_go(hipMemGenericAllocationHandle_t handle)
{
    if (--handle->references)
        return;
    close(handle->file);
    if (!handle->imported)
        kiln_sim_memory_discharge(kiln_sim_device_at(handle->properties.location.id)->memory, handle->size);
    handle->magic = 0;
    free(handle);
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle)
{
    if (!is_physical(handle))
        return invalid();
    pthread_mutex_lock(&lock);
    let_go(handle);
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *pointer)
{
    if (!handle || !pointer)
        return invalid();
    pthread_mutex_lock(&lock);
    const mapping_t *mapping = mapping_at((uint64_t)(uintptr_t)pointer);
    *handle = mapping ? mapping->physical : NULL;
    if (mapping)
        mapping->physical->references++;
    pthread_mutex_unlock(&lock);
    return *handle ? 0 : invalid();
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *p, hipMemGenericAllocationHandle_t handle)
{
    if (!p || !is_physical(handle))
        return invalid();
    *p = handle->properties;
    return 0;
}

// The descriptor is the program's to close and to hand to other processes.
hipError_t hipMemExportToShareableHandle(void *out, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType type, unsigned long long flags)
{
    if (!out || !is_physical(handle) || flags || type != FILE_DESCRIPTOR)
        return invalid();
    const int file = dup(handle->file);
    if (file < 0)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "the process has no file descriptors left");
    memcpy(out, &file, sizeof file);
    return 0;
}

hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *os_handle,
                                           hipMemAllocationHandleType type)
{
    if (!handle || !os_handle || type != FILE_DESCRIPTOR)
        return invalid();
    // HIP takes the descriptor itself, or in older versions its address.
    int file = (int)(intptr_t)os_handle;
    if ((uintptr_t)os_handle > INT32_MAX)
        memcpy(&file, os_handle, sizeof file);
    const off_t size = lseek(file, 0, SEEK_END);
    const int mine = size > 0 ? dup(file) : -1;
    if (mine < 0)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "that is no shared memory");
    const hipMemAllocationProp p = {
        .type = PINNED, .handle_type = FILE_DESCRIPTOR, .location = {DEVICE, kiln_sim_device()->ordinal}};
    return make(handle, (size_t)size, &p, mine, true);
}

// ---- mapping

hipError_t hipMemMap(void *pointer, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags)
{
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    if (!pointer || !size || offset || flags || !is_physical(handle) || size > handle->size || size % 4096)
        return invalid();
    mapping_t *made = calloc(1, sizeof *made);
    bool good = made != NULL;
    pthread_mutex_lock(&lock);
    for (const mapping_t *at = mappings; good && at; at = at->next)
        good = at->base >= base + size || base >= at->base + at->size;
    good = good && is_reserved(base, size) &&
           mmap(pointer, size, PROT_NONE, MAP_SHARED | MAP_FIXED, handle->file, 0) != MAP_FAILED;
    if (good) {
        *made = (mapping_t){.next = mappings, .base = base, .size = size, .physical = handle};
        mappings = made;
        handle->references++;
    }
    pthread_mutex_unlock(&lock);
    if (!good)
        free(made);
    return good ? 0
                : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the range is not reserved, or something is mapped there");
}

static bool reachable(const mapping_t *mapping)
{
    for (int i = 0; i < KILN_SIM_DEVICES_MOST; i++) {
        if (mapping->access[i])
            return true;
    }
    return false;
}

// The lock is held. A device that reaches the memory has it in its table.
static bool set_access(mapping_t *mapping, int ordinal, int flags)
{
    kiln_sim_memory_t *memory = kiln_sim_device_at(ordinal)->memory;
    void *base = (void *)(uintptr_t)mapping->base;
    kiln_sim_error_t error = {0};
    bool good = true;
    if (flags && !mapping->access[ordinal])
        good = kiln_sim_memory_register(memory, base, mapping->size, KILN_SIM_MEMORY_MAPPED, 0, &error);
    if (!flags && mapping->access[ordinal])
        kiln_sim_memory_free(memory, base, NULL);
    if (!good)
        return false;
    mapping->access[ordinal] = flags;
    return mprotect(base, mapping->size, reachable(mapping) ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}

// Whether mappings fill the range and end with it. The lock is held.
static bool is_mapped(uint64_t base, uint64_t size)
{
    uint64_t at = base;
    while (at < base + size) {
        const mapping_t *mapping = mapping_at(at);
        if (!mapping || mapping->base != at)
            return false;
        at += mapping->size;
    }
    return at == base + size;
}

hipError_t hipMemUnmap(void *pointer, size_t size)
{
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    for (int i = 0; pointer && i < kiln_sim_device_count(); i++)
        kiln_sim_engine_drain(kiln_sim_device_at(i));
    pthread_mutex_lock(&lock);
    const bool good = pointer && size && is_mapped(base, size);
    for (mapping_t **at = &mappings; good && *at;) {
        mapping_t *gone = *at;
        if (gone->base - base >= size) {
            at = &gone->next;
            continue;
        }
        for (int i = 0; i < kiln_sim_device_count(); i++)
            set_access(gone, i, 0);
        mmap((void *)(uintptr_t)gone->base, gone->size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        *at = gone->next;
        let_go(gone->physical);
        free(gone);
    }
    pthread_mutex_unlock(&lock);
    return good ? 0 : invalid();
}

hipError_t hipMemSetAccess(void *pointer, size_t size, const hipMemAccessDesc *list, size_t count)
{
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    if (!pointer || !size || size > UINT64_MAX - base || !list || !count)
        return invalid();
    for (size_t i = 0; i < count; i++) {
        const int flags = list[i].flags;
        if (list[i].location.type != DEVICE || !kiln_sim_device_at(list[i].location.id) ||
            (flags != 0 && flags != READ && flags != READ_WRITE))
            return invalid();
    }
    bool good = true;
    pthread_mutex_lock(&lock);
    for (uint64_t at = base; good && at < base + size;) {
        mapping_t *mapping = mapping_at(at);
        good = mapping && mapping->base == at;
        for (size_t i = 0; good && i < count; i++)
            good = set_access(mapping, list[i].location.id, list[i].flags);
        at += good ? mapping->size : 0;
    }
    pthread_mutex_unlock(&lock);
    return good ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the range is not mapped whole");
}

hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *pointer)
{
    if (!flags || !location || !pointer || location->type != DEVICE || !kiln_sim_device_at(location->id))
        return invalid();
    pthread_mutex_lock(&lock);
    const mapping_t *mapping = mapping_at((uint64_t)(uintptr_t)pointer);
    if (mapping)
        *flags = (unsigned long long)mapping->access[location->id];
    pthread_mutex_unlock(&lock);
    return mapping ? 0 : invalid();
}
