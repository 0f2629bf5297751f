// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: properties of pointers.
//
// Pitfall: ROCm 6 renumbered hipMemoryType. A program that was linked with an older HIP loads
// libamdhip64.so.5 and gets the old numbers.
#include "hip_sim/entry.h"

bool kiln_sim_memory_is_host(const kiln_sim_allocation_t *allocation)
{
    return allocation->kind == KILN_SIM_MEMORY_HOST ||
           allocation->kind == KILN_SIM_MEMORY_REGISTERED ||
           allocation->kind == KILN_SIM_MEMORY_MANAGED;
}

int kiln_sim_memory_type(const kiln_sim_allocation_t *allocation)
{
    bool old = kiln_sim_hip_is_old();
    if (allocation->kind == KILN_SIM_MEMORY_MANAGED)
        return old ? 4 : 3;
    return (kiln_sim_memory_is_host(allocation) ? 0 : 1) + (old ? 0 : 1);
}

// hipPointer_attribute: those that apply to linear memory, in the widths that AMD's library writes.
hipError_t hipPointerGetAttribute(void *data, int attribute, hipDeviceptr_t pointer)
{
    if (!data)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const kiln_sim_allocation_t *found;
    const kiln_sim_device_t *device = kiln_sim_device_of(pointer, &found);
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
        if (kiln_sim_memory_is_host(found))
            *(void **)data = pointer;
        else
            result = KILN_SIM_INVALID_VALUE;
        break;
    case 8: // IS_MANAGED
        *(bool *)data = found->kind == KILN_SIM_MEMORY_MANAGED;
        break;
    case 9: // DEVICE_ORDINAL
        *(int *)data = device->ordinal;
        break;
    case 6: // SYNC_MEMOPS
        *(bool *)data = false;
        break;
    case 7: // BUFFER_ID
        *(uint32_t *)data = (uint32_t)found->number;
        break;
    case 11: // RANGE_START_ADDR
        *(uint64_t *)data = found->base;
        break;
    case 12: // RANGE_SIZE
        *(uint32_t *)data = (uint32_t)found->size;
        break;
    case 13: // MAPPED
        *(bool *)data = true;
        break;
    case 16: // ACCESS_FLAGS
        *(uint32_t *)data = found->kind == KILN_SIM_MEMORY_MANAGED
                                ? found->flags & ~KILN_SIM_MEMORY_PERSISTENT
                                : found->flags;
        break;
    default:
        result = KILN_SIM_NOT_SUPPORTED;
    }
    return result ? kiln_sim_hip_fail(result, NULL) : 0;
}

// In a query of several attributes, a missing host pointer is NULL instead of an error.
hipError_t hipDrvPointerGetAttributes(unsigned count, int *attributes, void **data,
                                      hipDeviceptr_t pointer)
{
    enum { HOST_POINTER = 4 };
    const kiln_sim_allocation_t *found;
    hipError_t result =
        attributes && data && count ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (unsigned i = 0; !result && i < count; i++) {
        if (attributes[i] == HOST_POINTER && data[i] && kiln_sim_device_of(pointer, &found) &&
            !kiln_sim_memory_is_host(found))
            *(void **)data[i] = NULL;
        else
            result = hipPointerGetAttribute(data[i], attributes[i], pointer);
    }
    return result;
}

typedef struct pointer_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    int is_managed;
    unsigned flags;
} pointer_attributes_t;

// Unknown memory is the host's: an error for HIP 5 and earlier, and a type of its own since.
hipError_t hipPointerGetAttributes(void *attributes, const void *pointer)
{
    pointer_attributes_t *a = attributes;
    const kiln_sim_allocation_t *found;
    if (!a || !pointer)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const kiln_sim_device_t *device = kiln_sim_device_of(pointer, &found);
    void *address = (void *)(uintptr_t)pointer;
    if (!device) {
        if (kiln_sim_hip_is_old())
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the pointer is in no allocation");
        *a = (pointer_attributes_t){.device = -2}; // hipMemoryTypeUnregistered, hipInvalidDeviceId
        return 0;
    }
    const bool host = kiln_sim_memory_is_host(found),
               managed = found->kind == KILN_SIM_MEMORY_MANAGED;
    *a =
        (pointer_attributes_t){kiln_sim_memory_type(found),
                               device->ordinal,
                               address,
                               host ? address : NULL,
                               managed,
                               managed ? found->flags & ~KILN_SIM_MEMORY_PERSISTENT : found->flags};
    return 0;
}

// Only SYNC_MEMOPS can be set, whether copies wait. Copies wait anyway where it matters.
hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer)
{
    const kiln_sim_allocation_t *found;
    if (!value || !pointer || attribute != 6 || !kiln_sim_device_of(pointer, &found))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return 0;
}
