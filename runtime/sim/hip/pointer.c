// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: what a pointer is.
//
// What a reader gets wrong: ROCm 6 numbered hipMemoryType anew. A program that was linked with an older HIP loads
// libamdhip64.so.5, and is answered in the old numbers.
#include "hip/entry.h"

bool kiln_sim_memory_is_host(const kiln_sim_allocation_t *allocation)
{
    return allocation->kind == KILN_SIM_MEMORY_HOST || allocation->kind == KILN_SIM_MEMORY_REGISTERED ||
           allocation->kind == KILN_SIM_MEMORY_MANAGED;
}

int kiln_sim_memory_type(const kiln_sim_allocation_t *allocation)
{
    bool old = kiln_sim_hip_is_old();
    if (allocation->kind == KILN_SIM_MEMORY_MANAGED)
        return old ? 4 : 3;
    return (kiln_sim_memory_is_host(allocation) ? 0 : 1) + (old ? 0 : 1);
}

// hipPointer_attribute, those that mean something for linear memory.
hipError_t hipPointerGetAttribute(void *data, int attribute, hipDeviceptr_t pointer)
{
    if (!data)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    kiln_sim_device_t *device = kiln_sim_device_lock();
    const kiln_sim_allocation_t *found = kiln_sim_memory_find(device->memory, (uint64_t)(uintptr_t)pointer);
    hipError_t result = found ? 0 : KILN_SIM_INVALID_VALUE;
    switch (found ? attribute : 0) {
    case 0:
        break;
    case 2: // MEMORY_TYPE
        *(unsigned *)data = (unsigned)kiln_sim_memory_type(found);
        break;
    case 3: // DEVICE_POINTER
        *(void **)data = pointer;
        break;
    case 4: // HOST_POINTER
        *(void **)data = kiln_sim_memory_is_host(found) ? pointer : NULL;
        break;
    case 8: // IS_MANAGED
        *(unsigned *)data = found->kind == KILN_SIM_MEMORY_MANAGED;
        break;
    case 9: // DEVICE_ORDINAL
        *(int *)data = 0;
        break;
    case 11: // RANGE_START_ADDR
        *(uint64_t *)data = found->base;
        break;
    case 12: // RANGE_SIZE
        *(size_t *)data = (size_t)found->size;
        break;
    case 13: // MAPPED
        *(unsigned *)data = 1;
        break;
    default:
        result = KILN_SIM_NOT_SUPPORTED;
    }
    kiln_sim_device_unlock(device);
    return result ? kiln_sim_hip_fail(result, NULL) : 0;
}

hipError_t hipDrvPointerGetAttributes(unsigned count, int *attributes, void **data, hipDeviceptr_t pointer)
{
    hipError_t result = attributes && data ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (unsigned i = 0; !result && i < count; i++)
        result = hipPointerGetAttribute(data[i], attributes[i], pointer);
    return result;
}

hipError_t hipMemPtrGetInfo(void *pointer, size_t *size)
{
    return hipMemGetAddressRange(NULL, size, pointer);
}

hipError_t hipMemAllocHost(void **pointer, size_t size)
{
    return hipHostMalloc(pointer, size, 0);
}
