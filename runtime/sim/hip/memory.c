// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: memory.
//
// What a reader gets wrong: a device pointer is a host pointer here, so a copy is a memmove; the direction only says
// which side to check against the table of allocations.
#include <string.h>

#include "hip/entry.h"
#include "hip/graph.h"

typedef struct hip_pointer_attributes_r5 {
    int memoryType, device;
    void *devicePointer, *hostPointer;
    int isManaged;
    unsigned allocationFlags;
} hip_pointer_attributes_r5_t;

static bool in_arena(const kiln_sim_device_t *device, const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer - device->memory->arena < device->memory->arena_size;
}

// A pointer into the arena must lie, with all its bytes, in one allocation. Others belong to the host program.
static bool check(const kiln_sim_device_t *device, const void *pointer, size_t bytes, const char *what,
                  kiln_sim_error_t *error)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    if (!pointer)
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "%s is null", what);
    if (!in_arena(device, pointer))
        return true;
    const kiln_sim_allocation_t *found = kiln_sim_memory_find(device->memory, address);
    char place[256];
    if (!found) {
        kiln_sim_memory_tell(device->memory, address, bytes, place, sizeof place);
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE, "%s %p is in no allocation%s", what, pointer, place);
    }
    uint64_t left = found->size - (address - found->base);
    if (left < bytes) {
        kiln_sim_memory_name(found, place, sizeof place);
        return kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                             "%s %p has %llu bytes to the end of its allocation (%s), asked for %zu", what, pointer,
                             (unsigned long long)left, place, bytes);
    }
    return true;
}

// The end of a call that uses the program's pointers: an error is a finding, too.
static hipError_t result(const char *call, const kiln_sim_device_t *device, bool good, const kiln_sim_error_t *error)
{
    if (good)
        return 0;
    kiln_sim_result_t *mine = kiln_sim_hip_result();
    kiln_sim_machine_blame(device->machine, &mine, call, error->text);
    kiln_sim_hip_set_result(mine);
    return kiln_sim_hip_error(error);
}

static hipError_t allocate(void **pointer, size_t size, kiln_sim_memory_kind_t kind, unsigned flags)
{
    if (!pointer)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *pointer = NULL;
    if (size == 0)
        return 0;
    kiln_sim_error_t error = {0};
    kiln_sim_device_t *device = kiln_sim_device_lock();
    *pointer = device->broken.code ? NULL : kiln_sim_memory_allocate(device->memory, size, kind, flags, &error);
    kiln_sim_device_unlock(device);
    return *pointer ? 0 : error.code ? kiln_sim_hip_error(&error) : kiln_sim_hip_error(&device->broken);
}

static hipError_t release(const char *call, void *pointer)
{
    if (!pointer)
        return 0;
    kiln_sim_error_t error = {0};
    kiln_sim_device_t *device = kiln_sim_device_lock();
    bool good = kiln_sim_memory_free(device->memory, pointer, &error);
    kiln_sim_device_unlock(device);
    return result(call, device, good, &error);
}

hipError_t hipMalloc(void **pointer, size_t size)
{
    return allocate(pointer, size, KILN_SIM_MEMORY_DEVICE, 0);
}

hipError_t hipExtMallocWithFlags(void **pointer, size_t size, unsigned flags)
{
    return allocate(pointer, size, KILN_SIM_MEMORY_DEVICE, flags);
}

hipError_t hipMallocAsync(void **pointer, size_t size, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_hip_fail(HIP_CAPTURE_UNSUPPORTED, "memory cannot be allocated or freed in a captured stream");
    return hipMalloc(pointer, size);
}

hipError_t hipMallocManaged(void **pointer, size_t size, unsigned flags)
{
    return allocate(pointer, size, KILN_SIM_MEMORY_MANAGED, flags);
}

hipError_t hipHostMalloc(void **pointer, size_t size, unsigned flags)
{
    return allocate(pointer, size, KILN_SIM_MEMORY_HOST, flags);
}

hipError_t hipHostAlloc(void **pointer, size_t size, unsigned flags)
{
    return hipHostMalloc(pointer, size, flags);
}

hipError_t hipMallocHost(void **pointer, size_t size)
{
    return hipHostMalloc(pointer, size, 0);
}

hipError_t hipFree(void *pointer)
{
    return release(__func__, pointer);
}

hipError_t hipFreeAsync(void *pointer, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_hip_fail(HIP_CAPTURE_UNSUPPORTED, "memory cannot be allocated or freed in a captured stream");
    return release(__func__, pointer);
}

hipError_t hipHostFree(void *pointer)
{
    return release(__func__, pointer);
}

hipError_t hipFreeHost(void *pointer)
{
    return release(__func__, pointer);
}

hipError_t hipHostRegister(void *pointer, size_t size, unsigned flags)
{
    kiln_sim_error_t error = {0};
    kiln_sim_device_t *device = kiln_sim_device_lock();
    bool good = pointer && kiln_sim_memory_register(device->memory, pointer, size, flags, &error);
    kiln_sim_device_unlock(device);
    return good ? 0 : error.code ? kiln_sim_hip_error(&error) : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipHostUnregister(void *pointer)
{
    return pointer ? release(__func__, pointer) : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipHostGetDevicePointer(void **device_pointer, void *host_pointer, unsigned flags)
{
    (void)flags;
    if (!device_pointer || !host_pointer)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *device_pointer = host_pointer;
    return 0;
}

hipError_t hipHostGetFlags(unsigned *flags, void *pointer)
{
    kiln_sim_device_t *device = kiln_sim_device_lock();
    const kiln_sim_allocation_t *found = kiln_sim_memory_find(device->memory, (uint64_t)(uintptr_t)pointer);
    if (found && flags)
        *flags = found->flags;
    kiln_sim_device_unlock(device);
    return found && flags ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipMemGetInfo(size_t *free_bytes, size_t *total)
{
    kiln_sim_device_t *device = kiln_sim_device_lock();
    if (free_bytes)
        *free_bytes = (size_t)(device->memory->limit - device->memory->used);
    if (total)
        *total = (size_t)device->memory->limit;
    kiln_sim_device_unlock(device);
    return 0;
}

hipError_t hipMemGetAddressRange(void **base, size_t *size, void *pointer)
{
    kiln_sim_device_t *device = kiln_sim_device_lock();
    const kiln_sim_allocation_t *found = kiln_sim_memory_find(device->memory, (uint64_t)(uintptr_t)pointer);
    if (found && base)
        *base = (void *)(uintptr_t)found->base;
    if (found && size)
        *size = (size_t)found->size;
    kiln_sim_device_unlock(device);
    return found ? 0 : kiln_sim_hip_fail(KILN_SIM_NOT_FOUND, NULL);
}

hipError_t hipPointerGetAttributes(void *attributes, const void *pointer)
{
    hip_pointer_attributes_r5_t *a = attributes;
    if (!a || !pointer)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    kiln_sim_device_t *device = kiln_sim_device_lock();
    const kiln_sim_allocation_t *found = kiln_sim_memory_find(device->memory, (uint64_t)(uintptr_t)pointer);
    if (found) {
        bool host = kiln_sim_memory_is_host(found), managed = found->kind == KILN_SIM_MEMORY_MANAGED;
        void *address = (void *)(uintptr_t)pointer;
        *a = (hip_pointer_attributes_r5_t){kiln_sim_memory_type(found), 0,       address,
                                           host ? address : NULL,       managed, found->flags};
    }
    kiln_sim_device_unlock(device);
    return found ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the pointer is in no allocation");
}

// ---- copies

static bool is_on_device(const kiln_sim_device_t *device, const void *pointer)
{
    const kiln_sim_allocation_t *found = kiln_sim_memory_find(device->memory, (uint64_t)(uintptr_t)pointer);
    return found && !kiln_sim_memory_is_host(found);
}

double kiln_sim_move_ms(const kiln_sim_device_t *device, const void *to, const void *from, uint64_t bytes)
{
    const bool read = from && is_on_device(device, from), written = is_on_device(device, to);
    const bool linked = (from && !read) || !written;
    if (!read && !written)
        return 0; // from host to host
    return kiln_sim_machine_move_ms(device->machine, read ? bytes : 0, written ? bytes : 0, linked ? bytes : 0);
}

static hipError_t copy(const char *call, void *to, const void *from, size_t bytes)
{
    if (bytes == 0)
        return 0;
    kiln_sim_error_t error = {0};
    kiln_sim_device_t *device = kiln_sim_device_lock();
    bool good = check(device, to, bytes, "the destination", &error) && check(device, from, bytes, "the source", &error);
    if (good)
        memmove(to, from, bytes);
    if (good)
        kiln_sim_memory_mark_copy(device->memory, (uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, bytes);
    if (good)
        device->clock_ms += kiln_sim_move_ms(device, to, from, bytes);
    kiln_sim_device_unlock(device);
    return result(call, device, good, &error);
}

static hipError_t copy_kind(const char *call, void *to, const void *from, size_t bytes, int kind)
{
    if (kind < 0 || kind > 4)
        return kiln_sim_hip_fail(21, NULL);
    return copy(call, to, from, bytes);
}

hipError_t hipMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    hipError_t late = kiln_sim_hip_take_late();
    return late ? late : copy_kind(__func__, to, from, bytes, kind);
}

hipError_t hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_capture_copy(stream, to, from, bytes);
    return copy_kind(__func__, to, from, bytes, kind);
}

hipError_t hipMemcpyWithStream(void *to, const void *from, size_t bytes, int kind, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_capture_copy(stream, to, from, bytes);
    return copy_kind(__func__, to, from, bytes, kind);
}

hipError_t hipMemcpyHtoD(hipDeviceptr_t to, const void *from, size_t bytes)
{
    return copy(__func__, to, from, bytes);
}

hipError_t hipMemcpyDtoH(void *to, const hipDeviceptr_t from, size_t bytes)
{
    return copy(__func__, to, from, bytes);
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t to, const hipDeviceptr_t from, size_t bytes)
{
    return copy(__func__, to, from, bytes);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, const void *from, size_t bytes, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_capture_copy(stream, to, from, bytes);
    return copy(__func__, to, from, bytes);
}

hipError_t hipMemcpyDtoHAsync(void *to, const hipDeviceptr_t from, size_t bytes, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_capture_copy(stream, to, from, bytes);
    return copy(__func__, to, from, bytes);
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, const hipDeviceptr_t from, size_t bytes, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_capture_copy(stream, to, from, bytes);
    return copy(__func__, to, from, bytes);
}

// ---- fills

static hipError_t fill(const char *call, void *to, const void *pattern, size_t width, size_t count)
{
    if (count == 0)
        return 0;
    if (count > SIZE_MAX / width)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    kiln_sim_error_t error = {0};
    kiln_sim_device_t *device = kiln_sim_device_lock();
    bool good = check(device, to, count * width, "the destination", &error);
    for (size_t i = 0; good && width > 1 && i < count; i++)
        memcpy((char *)to + i * width, pattern, width);
    if (good && width == 1)
        memset(to, *(const unsigned char *)pattern, count);
    if (good)
        kiln_sim_memory_mark(device->memory, (uint64_t)(uintptr_t)to, count * width);
    if (good)
        device->clock_ms += kiln_sim_move_ms(device, to, NULL, count * width);
    kiln_sim_device_unlock(device);
    return result(call, device, good, &error);
}

hipError_t hipMemset(void *to, int value, size_t bytes)
{
    unsigned char byte = (unsigned char)value;
    return fill(__func__, to, &byte, 1, bytes);
}

hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count)
{
    return fill(__func__, to, &value, sizeof value, count);
}

hipError_t hipMemsetD16(hipDeviceptr_t to, unsigned short value, size_t count)
{
    return fill(__func__, to, &value, sizeof value, count);
}

hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count)
{
    return fill(__func__, to, &value, sizeof value, count);
}

hipError_t hipMemsetAsync(void *to, int value, size_t bytes, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_capture_fill(stream, to, 1, (uint8_t)value, bytes);
    unsigned char byte = (unsigned char)value;
    return fill(__func__, to, &byte, 1, bytes);
}

hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_capture_fill(stream, to, 1, value, count);
    return fill(__func__, to, &value, sizeof value, count);
}

hipError_t hipMemsetD16Async(hipDeviceptr_t to, unsigned short value, size_t count, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_capture_fill(stream, to, 2, value, count);
    return fill(__func__, to, &value, sizeof value, count);
}

hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream)
{
    if (kiln_sim_stream_capture(stream))
        return kiln_sim_capture_fill(stream, to, 4, (uint32_t)value, count);
    return fill(__func__, to, &value, sizeof value, count);
}
