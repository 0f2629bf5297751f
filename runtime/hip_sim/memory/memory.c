// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: allocation and release of memory. Copies and fills are in hip_sim/memory/copy.c
// and hip_sim/memory/fill.c.
//
// A device pointer is a host pointer here, so a copy is a memmove. The direction only determines
// which side is checked against the tables of allocations.
#include <string.h>
#include <sys/mman.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"
#include "sim/port/registered.h"

#define HOST_FLAGS                                                                                 \
    0xe000001fu // hipHostMalloc*: portable, mapped, write-combined, uncached, NUMA, coherent,
                // non-coherent
#define PAGE 4096u
#define HOST_COHERENT 0x40000000u
#define HOST_NON_COHERENT 0x80000000u

// The device whose arena contains a pointer, or NULL.
static kiln_sim_device_t *arena_of(const void *pointer)
{
    for (int i = 0; i < kiln_sim_device_count(); i++) {
        kiln_sim_device_t *device = kiln_sim_device_at(i);
        uint64_t size;
        const uint64_t arena = kiln_sim_memory_arena(device->memory, &size);
        if ((uint64_t)(uintptr_t)pointer - arena < size)
            return device;
    }
    return NULL;
}

// Whether a range that begins outside of all arenas also ends there, and below 2^64.
static bool is_outside_arenas(uint64_t address, size_t bytes)
{
    for (int i = 0; i < kiln_sim_device_count(); i++) {
        uint64_t size;
        const uint64_t arena = kiln_sim_memory_arena(kiln_sim_device_at(i)->memory, &size);
        if (arena > address && arena - address < bytes)
            return false;
    }
    return bytes <= UINT64_MAX - address;
}

// Whether any device may write all mappings of the range. A device's table contains its read-only
// mappings as read-only.
static bool is_writable(uint64_t address, size_t bytes)
{
    for (uint64_t at = address; at - address < bytes;) {
        const kiln_sim_allocation_t *in = NULL;
        bool writable = false;
        for (int i = 0; !writable && i < kiln_sim_device_count(); i++) {
            const kiln_sim_allocation_t *allocation =
                kiln_sim_memory_find(kiln_sim_device_at(i)->memory, at);
            in = allocation ? allocation : in;
            writable = allocation && !kiln_sim_memory_is_read_only(allocation);
        }
        if (!in || !writable)
            return !in;
        at = in->base + in->size;
    }
    return true;
}

// Bytes from the address to the end of the mappings that adjoin it, which are one range to a
// program; at most about `bytes`.
static uint64_t mapped_from(uint64_t address, size_t bytes)
{
    const kiln_sim_allocation_t *in;
    uint64_t at = address;
    while (at - address < bytes && kiln_sim_device_of((const void *)(uintptr_t)at, &in) &&
           in->kind == KILN_SIM_MEMORY_MAPPED)
        at = in->base + in->size;
    return at - address;
}

bool kiln_sim_place_check(const void *pointer, size_t bytes, const char *what, kiln_sim_use_t use,
                          kiln_sim_error_t *error)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!pointer)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "%s is null", what);
    const kiln_sim_device_t *device = arena_of(pointer);
    const kiln_sim_allocation_t *found;
    if (device)
        found = kiln_sim_memory_find(device->memory, address);
    else
        kiln_sim_device_of(pointer, &found);
    const bool is_mapped = found && found->kind == KILN_SIM_MEMORY_MAPPED;
    if (!device && !is_mapped && kiln_sim_is_reserved(address, bytes))
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "%s %p is in a reserved range that no device may access; "
                             "call hipMemMap and hipMemSetAccess first",
                             what, pointer);
    if (!device && !is_mapped)
        return is_outside_arenas(address, bytes) ||
               kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "%s %p is memory of the host, but %zu bytes from there are not", what,
                             pointer, bytes);
    char place[256];
    if (!found) {
        kiln_sim_memory_describe(device->memory, address, bytes, place, sizeof place);
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "%s %p is in no allocation%s", what,
                             pointer, place);
    }
    uint64_t left = is_mapped ? mapped_from(address, bytes) : found->size - (address - found->base);
    if (left < bytes) {
        kiln_sim_memory_name(found, place, sizeof place);
        return kiln_sim_fail(
            error, KILN_SIM_INVALID_VALUE,
            "%s %p has %llu bytes to the end of its allocation (%s), but %zu are needed", what,
            pointer, (unsigned long long)left, place, bytes);
    }
    if (use == KILN_SIM_WRITTEN && is_mapped && !is_writable(address, bytes))
        return kiln_sim_fail(error, KILN_SIM_ILLEGAL_ADDRESS,
                             "%s %p is mapped memory that devices may only read", what, pointer);
    if (device)
        kiln_sim_memory_fill_now(device->memory, found);
    return true;
}

bool kiln_sim_box_place_check(const void *first, size_t pitch, size_t slice, hip_extent_t extent,
                              const char *what, kiln_sim_use_t use, kiln_sim_error_t *error)
{
    size_t rows, slices, end;
    if (!extent.width || !extent.height || !extent.depth)
        return true;
    if (__builtin_mul_overflow(extent.height - 1, pitch, &rows) ||
        __builtin_mul_overflow(extent.depth - 1, slice, &slices) ||
        __builtin_add_overflow(rows, slices, &end) ||
        __builtin_add_overflow(end, extent.width, &end))
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "%s exceeds 2^64 bytes", what);
    return kiln_sim_place_check(first, end, what, use, error);
}

void *kiln_sim_place_at(const void *base, size_t x, size_t y, size_t z, size_t pitch, size_t slice)
{
    size_t offset, rows, slices, at;
    kiln_sim_error_t error = {0};
    if (__builtin_mul_overflow(y, pitch, &rows) || __builtin_mul_overflow(z, slice, &slices) ||
        __builtin_add_overflow(rows, slices, &offset) ||
        __builtin_add_overflow(offset, x, &offset) ||
        __builtin_add_overflow(offset, (uintptr_t)base, &at) ||
        !kiln_sim_place_check(base, offset + 1, "the base", KILN_SIM_READ, &error))
        at = UINTPTR_MAX;
    return (void *)at;
}

bool kiln_sim_place_is_pinned(const void *pointer)
{
    const kiln_sim_allocation_t *found;
    return kiln_sim_device_of(pointer, &found);
}

static hipError_t allocate(void **pointer, size_t size, kiln_sim_memory_kind_t kind, unsigned flags)
{
    if (!pointer)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    hipError_t refused = kiln_sim_capture_unsafe();
    if (refused)
        return refused;
    *pointer = NULL;
    if (size == 0)
        return 0;
    kiln_sim_error_t error = {0};
    kiln_sim_device_t *device = kiln_sim_device();
    *pointer = device->broken.code
                   ? NULL
                   : kiln_sim_memory_allocate(device->memory, size, kind, flags, &error);
    return *pointer     ? 0
           : error.code ? kiln_sim_hip_error(&error)
                        : kiln_sim_hip_error(&device->broken);
}

// Waits for all work of the device that owns the memory.
static hipError_t release(const char *call, void *pointer)
{
    if (!pointer)
        return 0;
    hipError_t refused = kiln_sim_capture_unsafe();
    if (refused)
        return refused;
    const kiln_sim_allocation_t *found;
    kiln_sim_device_t *device = kiln_sim_device_of(pointer, &found);
    kiln_sim_error_t error = {0};
    if (device && (refused = kiln_sim_engine_drain(device)))
        return refused;
    device = kiln_sim_device_of(pointer, &found); // the work may have freed it
    if (kiln_sim_graph_memory_free(pointer, &refused)) {
        if (!refused)
            kiln_sim_graph_memory_clear_live(pointer);
        return refused;
    }
    if (found && found->kind == KILN_SIM_MEMORY_MAPPED)
        return kiln_sim_ipc_close(pointer) // it belonged to an imported pool
                   ? 0
                   : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                       "hipMemUnmap ends a mapping; it was not allocated");
    if (!device)
        device = arena_of(pointer);
    if (!device)
        device = kiln_sim_device();
    if (found &&
        (found->kind == KILN_SIM_MEMORY_REGISTERED) != (strcmp(call, "hipHostUnregister") == 0) &&
        found->base == (uint64_t)(uintptr_t)pointer)
        return kiln_sim_hip_fail(found->kind == KILN_SIM_MEMORY_REGISTERED
                                     ? KILN_SIM_INVALID_VALUE
                                     : HIP_HOST_NOT_REGISTERED,
                                 NULL);
    if (!kiln_sim_pool_forget(pointer))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the memory is already freed");
    if (kiln_sim_memory_free(device->memory, pointer, &error))
        return 0;
    kiln_sim_hip_report_misuse(device, call, error.text);
    return kiln_sim_hip_error(&error);
}

hipError_t hipMalloc(void **pointer, size_t size)
{
    return allocate(pointer, size, KILN_SIM_MEMORY_DEVICE, 0);
}

hipError_t hipExtMallocWithFlags(void **pointer, size_t size, unsigned flags)
{
    if (flags == 2) { // hipMallocSignalMemory: one signal of eight bytes
        if (size != 8)
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    } else if (flags > 3 || (flags & 2 && flags != 3)) {
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    }
    return allocate(pointer, size, KILN_SIM_MEMORY_DEVICE, flags);
}

hipError_t hipMallocManaged(void **pointer, size_t size, unsigned flags)
{
    if (!pointer || !size || (flags != 1 && flags != 2)) // hipMemAttachGlobal, hipMemAttachHost
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return allocate(pointer, size, KILN_SIM_MEMORY_MANAGED, flags);
}

hipError_t kiln_sim_allocate_persistent(void **pointer, size_t size)
{
    return allocate(pointer, size, KILN_SIM_MEMORY_MANAGED, 1 | KILN_SIM_MEMORY_PERSISTENT);
}

hipError_t hipHostMalloc(void **pointer, size_t size, unsigned flags)
{
    const unsigned both = HOST_COHERENT | HOST_NON_COHERENT;
    if (flags & ~HOST_FLAGS || (flags & both) == both)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return allocate(pointer, size, KILN_SIM_MEMORY_HOST, flags);
}

hipError_t hipHostAlloc(void **pointer, size_t size, unsigned flags)
{
    return hipHostMalloc(pointer, size, flags);
}

hipError_t hipExtHostAlloc(void **pointer, size_t size, unsigned flags)
{
    return hipHostMalloc(pointer, size, flags);
}

hipError_t hipMallocHost(void **pointer, size_t size)
{
    return hipHostMalloc(pointer, size, 0);
}

hipError_t hipFree(void *pointer)
{
    KILN_SIM_CALL();
    return release(__func__, pointer);
}

hipError_t hipHostFree(void *pointer)
{
    KILN_SIM_CALL();
    return release(__func__, pointer);
}

hipError_t hipFreeHost(void *pointer)
{
    KILN_SIM_CALL();
    return release(__func__, pointer);
}

hipError_t hipHostRegister(void *pointer, size_t size, unsigned flags)
{
    const kiln_sim_allocation_t *found;
    if (!pointer || !size || flags & ~(0xfu | KILN_SIM_REGISTER_AS_DEVICE))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    kiln_sim_device_t *owner = kiln_sim_device_of(pointer, &found);
    // A program that frees memory without unregistering it may register the memory that malloc
    // returns next, as with AMD's library.
    const bool again = owner && found->kind == KILN_SIM_MEMORY_REGISTERED &&
                       found->base == (uint64_t)(uintptr_t)pointer;
    if (owner && !again)
        return kiln_sim_hip_fail(HIP_HOST_ALREADY_REGISTERED, NULL);
    // Memory that is not mapped cannot be pinned.
    const uintptr_t first = (uintptr_t)pointer / PAGE * PAGE;
    if (size > UINTPTR_MAX - (uintptr_t)pointer - PAGE ||
        kiln_sim_is_reserved((uint64_t)(uintptr_t)pointer, size) ||
        msync((void *)first, ((uintptr_t)pointer + size - first + PAGE - 1) / PAGE * PAGE,
              MS_ASYNC) != 0)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                 "the range is not entirely the program's memory");
    kiln_sim_error_t error = {0};
    if (again) {
        hipError_t failed = kiln_sim_engine_drain(owner);
        if (failed)
            return failed;
    }
    // The size changes in one step, because other threads' kernels may use the part that stays
    // registered.
    const bool good = again ? kiln_sim_memory_reregister(owner->memory, pointer, size,
                                                         KILN_SIM_MEMORY_REGISTERED, flags, &error)
                            : kiln_sim_memory_register(kiln_sim_device()->memory, pointer, size,
                                                       KILN_SIM_MEMORY_REGISTERED, flags, &error);
    return good ? 0 : kiln_sim_hip_error(&error);
}

hipError_t hipHostUnregister(void *pointer)
{
    KILN_SIM_CALL();
    const kiln_sim_allocation_t *found;
    if (!pointer)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!kiln_sim_device_of(pointer, &found) || found->kind != KILN_SIM_MEMORY_REGISTERED)
        return kiln_sim_hip_fail(HIP_HOST_NOT_REGISTERED, NULL);
    return release(__func__, pointer);
}

hipError_t hipHostGetDevicePointer(void **device_pointer, void *host_pointer, unsigned flags)
{
    const kiln_sim_allocation_t *found;
    if (!device_pointer || !host_pointer || flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *device_pointer = NULL;
    if (!kiln_sim_device_of(host_pointer, &found) || !kiln_sim_memory_is_host(found))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *device_pointer = host_pointer;
    return 0;
}

hipError_t hipHostGetFlags(unsigned *flags, void *pointer)
{
    const kiln_sim_allocation_t *found = NULL;
    if (!flags || !pointer || !kiln_sim_device_of(pointer, &found) ||
        !kiln_sim_memory_is_host(found) || found->base != (uint64_t)(uintptr_t)pointer)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *flags = found->kind == KILN_SIM_MEMORY_MANAGED ? found->flags & ~KILN_SIM_MEMORY_PERSISTENT
                                                    : found->flags;
    return 0;
}

hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total)
{
    kiln_sim_device_t *device = kiln_sim_device();
    if (!free_bytes || !total)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *free_bytes = (size_t)kiln_sim_memory_left(device->memory);
    *total = (size_t)kiln_sim_memory_limit(device->memory);
    return 0;
}

hipError_t hipMemGetAddressRange(void **base, size_t *size, void *pointer)
{
    const kiln_sim_allocation_t *found = NULL;
    if (!base && !size)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!pointer || !kiln_sim_device_of(pointer, &found))
        return kiln_sim_hip_fail(KILN_SIM_NOT_FOUND, NULL);
    if (base)
        *base = (void *)(uintptr_t)found->base;
    if (size)
        *size = (size_t)found->size;
    return 0;
}

hipError_t hipMemPtrGetInfo(void *pointer, size_t *size)
{
    const kiln_sim_allocation_t *found = NULL;
    if (!size)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *size = pointer && kiln_sim_device_of(pointer, &found) ? (size_t)found->size : 0;
    return !pointer || found ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipMemAllocHost(void **pointer, size_t size)
{
    return hipHostMalloc(pointer, size, 0);
}

// ---- pitched allocations

#define PITCH 256u

hipError_t hipMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    if (!pointer || !pitch)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (width == 0 || height == 0) {
        *pointer = NULL;
        *pitch = 0;
        return 0;
    }
    if (width > SIZE_MAX - PITCH)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    *pitch = (width + PITCH - 1) / PITCH * PITCH;
    if (*pitch > SIZE_MAX / height)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    return hipMalloc(pointer, *pitch * height);
}

hipError_t hipMemAllocPitch(hipDeviceptr_t *pointer, size_t *pitch, size_t width, size_t height,
                            unsigned element)
{
    if (!width || !height || (element != 4 && element != 8 && element != 16))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return hipMallocPitch(pointer, pitch, width, height);
}

hipError_t hipMalloc3D(hip_pitched_pointer_t *pointer, hip_extent_t extent)
{
    if (!pointer)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!extent.width || !extent.height || !extent.depth) {
        *pointer = (hip_pitched_pointer_t){.x = extent.width, .y = extent.height};
        return 0;
    }
    if (extent.height > SIZE_MAX / extent.depth)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    pointer->x = extent.width;
    pointer->y = extent.height;
    return hipMallocPitch(&pointer->pointer, &pointer->pitch, extent.width,
                          extent.height * extent.depth);
}
