// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: virtual memory management. Physical memory is a file in the host's memory
// (memfd), a reserved range is an empty mapping, and mapping is mmap. Memory that a device may
// access is in that device's table of allocations, so that checks find it.
//
// Mapped memory cannot be accessed before hipMemSetAccess.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hip_sim/device/handle.h"
#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

#define GRANULARITY 4096u
#define ALIGNMENT (2u << 20)                              // of reserved ranges
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) // the size is fixed

enum { PINNED = 1, DEVICE = 1, READ = 1, READ_WRITE = 3, FILE_DESCRIPTOR = 1 };

struct kiln_sim_physical {
    hipMemAllocationProp properties;
    bool is_old; // the program's headers have the layout of ROCm 5.2
    size_t size;
    int file;
    unsigned references; // of the program, which releases each once
    unsigned mappings;
    bool imported; // another process is charged for it
};

typedef struct mapping {
    struct mapping *next;
    uint64_t base, size;
    hipMemGenericAllocationHandle_t physical;
    int access[KILN_SIM_MAX_DEVICES];
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
    return kiln_sim_handle_is(handle, KILN_SIM_HANDLE_PHYSICAL);
}

// Properties in the layout of ROCm 5.2 have the allocation's type, pinned, where later ones have
// the low half of a pointer that is for Windows, and the location's type where those have the type
// of handles.
static bool read_properties(const void *from, hipMemAllocationProp *out)
{
    hip_old_physical_properties_t old;
    memcpy(out, from, sizeof *out);
    memcpy(&old, from, sizeof old);
    if (old.type != PINNED || old.location.type != DEVICE)
        return false;
    *out = (hipMemAllocationProp){.type = old.type,
                                  .handle_type = old.handle_type,
                                  .location = old.location,
                                  .metadata = old.metadata,
                                  .flags = {.compression = old.compression, .usage = old.usage}};
    return true;
}

static bool is_good(const hipMemAllocationProp *p)
{
    return p->type == PINNED && p->location.type == DEVICE && kiln_sim_device_at(p->location.id);
}

hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *p,
                                          hipMemAllocationGranularity_flags option)
{
    hipMemAllocationProp properties;
    if (!granularity || !p || option < 0 || option > 1)
        return invalid();
    read_properties(p, &properties);
    if (!is_good(&properties))
        return invalid();
    *granularity = GRANULARITY;
    return 0;
}

// ---- ranges of addresses

hipError_t hipMemAddressReserve(void **pointer, size_t size, size_t alignment, void *wanted,
                                unsigned long long flags)
{
    if (!pointer || flags)
        return invalid();
    if (!size || size % 4096 || (alignment & (alignment - 1)))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "invalid size or alignment of a range");
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
    if (made && base == MAP_FAILED &&
        (base = mmap(NULL, size + align, PROT_NONE, mode, -1, 0)) != MAP_FAILED) {
        const uintptr_t from = (uintptr_t)base, start = (from + align - 1) / align * align;
        if (start > from)
            munmap(base, start - from);
        munmap((void *)(start + size), from + align - start);
        base = (void *)start;
    }
    if (base == MAP_FAILED) {
        free(made);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "unknown address range");
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
        range_t *removed = *at;
        if (removed->base != base || removed->size != size)
            continue;
        munmap(pointer, size);
        *at = removed->next;
        free(removed);
        error = 0;
        break;
    }
    pthread_mutex_unlock(&lock);
    return error ? kiln_sim_hip_fail(error, used ? "memory is mapped in the range" : NULL) : 0;
}

bool kiln_sim_is_reserved(uint64_t address, uint64_t bytes)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const range_t *at = ranges; bytes && at && !found; at = at->next)
        found = address < at->base ? at->base - address < bytes : address - at->base < at->size;
    pthread_mutex_unlock(&lock);
    return found;
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

static hipError_t make(hipMemGenericAllocationHandle_t *handle, size_t size,
                       const hipMemAllocationProp *p, bool is_old, int file, bool imported)
{
    struct kiln_sim_physical *made = calloc(1, sizeof *made);
    if (!made || !kiln_sim_handle_add(made, KILN_SIM_HANDLE_PHYSICAL)) {
        free(made);
        close(file);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    *made = (struct kiln_sim_physical){*p, is_old, size, file, 1, 0, imported};
    *handle = made;
    return 0;
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size,
                        const hipMemAllocationProp *given, unsigned long long flags)
{
    hipMemAllocationProp p;
    if (!handle || !size || flags || !given || size % GRANULARITY || size > INT64_MAX)
        return invalid();
    const bool is_old = read_properties(given, &p);
    if (!is_good(&p) || (p.handle_type != 0 && p.handle_type != FILE_DESCRIPTOR))
        return invalid();
    kiln_sim_device_t *device = kiln_sim_device_at(p.location.id);
    if (!kiln_sim_memory_charge(device->memory, size))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    int file = memfd_create("kiln-sim", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0 || ftruncate(file, (off_t)size) != 0 || fcntl(file, F_ADD_SEALS, SEALS) != 0) {
        if (file >= 0)
            close(file);
        kiln_sim_memory_discharge(device->memory, size);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "out of host memory to map");
    }
    hipError_t error = make(handle, size, &p, is_old, file, false);
    if (error)
        kiln_sim_memory_discharge(device->memory, size);
    return error;
}

// Frees memory that neither the program nor a mapping refers to. Requires the lock.
static void free_unused(hipMemGenericAllocationHandle_t handle)
{
    if (handle->references || handle->mappings)
        return;
    kiln_sim_handle_drop(handle, KILN_SIM_HANDLE_PHYSICAL);
    close(handle->file);
    if (!handle->imported)
        kiln_sim_memory_discharge(kiln_sim_device_at(handle->properties.location.id)->memory,
                                  handle->size);
    free(handle);
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle)
{
    pthread_mutex_lock(&lock);
    const bool good = is_physical(handle) && handle->references;
    if (good) {
        handle->references--;
        free_unused(handle);
    }
    pthread_mutex_unlock(&lock);
    return good ? 0 : invalid();
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

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *p,
                                                   hipMemGenericAllocationHandle_t handle)
{
    if (!p || !is_physical(handle))
        return invalid();
    const hipMemAllocationProp *properties = &handle->properties;
    const hip_old_physical_properties_t old = {.compression = properties->flags.compression,
                                               .location = properties->location,
                                               .handle_type = properties->handle_type,
                                               .type = properties->type,
                                               .usage = properties->flags.usage,
                                               .metadata = properties->metadata};
    if (handle->is_old)
        memcpy(p, &old, sizeof old);
    else
        *p = *properties;
    return 0;
}

// The program closes the descriptor and passes it to other processes.
hipError_t hipMemExportToShareableHandle(void *out, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType type, unsigned long long flags)
{
    if (!out || !is_physical(handle) || flags || type != FILE_DESCRIPTOR)
        return invalid();
    const int file = dup(handle->file);
    if (file < 0)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "out of file descriptors");
    memcpy(out, &file, sizeof file);
    return 0;
}

hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *os_handle,
                                           hipMemAllocationHandleType type)
{
    if (!handle || !os_handle || type != FILE_DESCRIPTOR)
        return invalid();
    // HIP takes the descriptor itself or, in older versions, its address.
    int file = (int)(intptr_t)os_handle;
    if ((intptr_t)os_handle > INT32_MAX || (intptr_t)os_handle < INT32_MIN)
        memcpy(&file, os_handle, sizeof file);
    // If the file could shrink, mapped pages could disappear.
    const int seals = fcntl(file, F_GET_SEALS);
    struct stat info;
    const off_t size =
        seals >= 0 && (seals & SEALS) == SEALS && fstat(file, &info) == 0 ? info.st_size : 0;
    const int mine = size > 0 && size % GRANULARITY == 0 ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
    if (mine < 0)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "not shared memory");
    const hipMemAllocationProp p = {.type = PINNED,
                                    .handle_type = FILE_DESCRIPTOR,
                                    .location = {DEVICE, kiln_sim_device()->ordinal}};
    return make(handle, (size_t)size, &p, false, mine, true);
}

// ---- mapping

hipError_t hipMemMap(void *pointer, size_t size, size_t offset,
                     hipMemGenericAllocationHandle_t handle, unsigned long long flags)
{
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    if (!pointer || !size || offset || flags || !is_physical(handle) || size > handle->size ||
        size % 4096)
        return invalid();
    mapping_t *made = calloc(1, sizeof *made);
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    bool good = true;
    pthread_mutex_lock(&lock);
    for (const mapping_t *at = mappings; good && at; at = at->next)
        good = at->base >= base + size || base >= at->base + at->size;
    good = good && is_reserved(base, size) &&
           mmap(pointer, size, PROT_NONE, MAP_SHARED | MAP_FIXED, handle->file, 0) != MAP_FAILED;
    if (good) {
        *made = (mapping_t){.next = mappings, .base = base, .size = size, .physical = handle};
        mappings = made;
        handle->mappings++;
    }
    pthread_mutex_unlock(&lock);
    if (!good)
        free(made);
    return good ? 0
                : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                    "the range is not reserved or already mapped");
}

static bool reachable(const mapping_t *mapping)
{
    for (int i = 0; i < KILN_SIM_MAX_DEVICES; i++) {
        if (mapping->access[i])
            return true;
    }
    return false;
}

// Requires the lock. A device that can access the memory has an entry for it in its table.
static bool set_access(mapping_t *mapping, int ordinal, int flags)
{
    kiln_sim_memory_t *memory = kiln_sim_device_at(ordinal)->memory;
    void *base = (void *)(uintptr_t)mapping->base;
    kiln_sim_error_t error = {0};
    bool good = true;
    const unsigned kind = flags == READ ? KILN_SIM_MEMORY_READ_ONLY : 0;
    if (flags && !mapping->access[ordinal])
        good = kiln_sim_memory_register(memory, base, mapping->size, KILN_SIM_MEMORY_MAPPED, kind,
                                        &error);
    else if (flags && flags != mapping->access[ordinal])
        good = kiln_sim_memory_reregister(memory, base, mapping->size, KILN_SIM_MEMORY_MAPPED, kind,
                                          &error);
    if (!flags && mapping->access[ordinal])
        kiln_sim_memory_free(memory, base, NULL);
    if (!good)
        return false;
    mapping->access[ordinal] = flags;
    return mprotect(base, mapping->size, reachable(mapping) ? PROT_READ | PROT_WRITE : PROT_NONE) ==
           0;
}

// Whether mappings fill the range exactly. Requires the lock.
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

// Waits for work that may access mappings whose pages are about to be closed.
static hipError_t drain_all(void)
{
    hipError_t error = 0;
    for (int i = 0; !error && i < kiln_sim_device_count(); i++)
        error = kiln_sim_engine_drain(kiln_sim_device_at(i));
    return error;
}

hipError_t hipMemUnmap(void *pointer, size_t size)
{
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    const hipError_t error = pointer ? drain_all() : 0;
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    const bool good = pointer && size && is_mapped(base, size);
    for (mapping_t **at = &mappings; good && *at;) {
        mapping_t *removed = *at;
        if (removed->base - base >= size) {
            at = &removed->next;
            continue;
        }
        for (int i = 0; i < kiln_sim_device_count(); i++)
            set_access(removed, i, 0);
        mmap((void *)(uintptr_t)removed->base, removed->size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        *at = removed->next;
        removed->physical->mappings--;
        free_unused(removed->physical);
        free(removed);
    }
    pthread_mutex_unlock(&lock);
    return good ? 0 : invalid();
}

hipError_t hipMemSetAccess(void *pointer, size_t size, const hipMemAccessDesc *list, size_t count)
{
    const uint64_t base = (uint64_t)(uintptr_t)pointer;
    if (!pointer || !size || size > UINT64_MAX - base || !list || !count)
        return invalid();
    bool withdraws = false;
    for (size_t i = 0; i < count; i++) {
        const int flags = list[i].flags;
        if (list[i].location.type != DEVICE || !kiln_sim_device_at(list[i].location.id) ||
            (flags != 0 && flags != READ && flags != READ_WRITE))
            return invalid();
        withdraws |= flags == 0;
    }
    const hipError_t error = withdraws ? drain_all() : 0;
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    bool good = is_mapped(base, size);
    for (uint64_t at = base; good && at < base + size;) {
        mapping_t *mapping = mapping_at(at);
        for (size_t i = 0; good && i < count; i++)
            good = set_access(mapping, list[i].location.id, list[i].flags);
        at += good ? mapping->size : 0;
    }
    pthread_mutex_unlock(&lock);
    return good ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the range is not entirely mapped");
}

hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *pointer)
{
    if (!flags || !location || !pointer || location->type != DEVICE ||
        !kiln_sim_device_at(location->id))
        return invalid();
    pthread_mutex_lock(&lock);
    const mapping_t *mapping = mapping_at((uint64_t)(uintptr_t)pointer);
    if (mapping)
        *flags = (unsigned long long)mapping->access[location->id];
    pthread_mutex_unlock(&lock);
    return mapping ? 0 : invalid();
}
