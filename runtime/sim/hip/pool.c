// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: memory pools. Freed memory goes back to the device at once, so a pool is a name that counts.
//
// What a reader gets wrong: a pool does not know its allocations; hipFree and hipFreeAsync free any of them, and what a
// pool has in use is counted for the default pool's device as a whole.
#include <stdlib.h>

#include "hip/entry.h"

struct kiln_sim_pool {
    uint64_t release_threshold;
    int reuse[4]; // by hipMemPoolReuse*, 1 to 3
};

static struct kiln_sim_pool default_pool = {.reuse = {0, 1, 1, 1}};
static hipMemPool_t current_pool = &default_pool;

static hipError_t give_pool(hipMemPool_t *pool, hipMemPool_t which, int device)
{
    if (!pool || device != 0)
        return kiln_sim_hip_fail(pool ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    *pool = which;
    return 0;
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device)
{
    return give_pool(pool, &default_pool, device);
}

hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device)
{
    return give_pool(pool, current_pool, device);
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool)
{
    if (!pool || device != 0)
        return kiln_sim_hip_fail(pool ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    current_pool = pool;
    return 0;
}

hipError_t hipMemPoolCreate(hipMemPool_t *pool, const void *properties)
{
    if (!pool || !properties)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *pool = malloc(sizeof **pool);
    if (!*pool)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    **pool = (struct kiln_sim_pool){.reuse = {0, 1, 1, 1}};
    return 0;
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool)
{
    if (!pool || pool == &default_pool)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (current_pool == pool)
        current_pool = &default_pool;
    free(pool);
    return 0;
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t keep)
{
    (void)keep;
    return pool ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, int attribute, void *value)
{
    if (!pool || !value || attribute < 1 || attribute > 8)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (attribute <= 3)
        pool->reuse[attribute] = *(const int *)value;
    else if (attribute == 4)
        pool->release_threshold = *(const uint64_t *)value;
    return 0; // the others can only be set to what they are when nothing is in use
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, int attribute, void *value)
{
    if (!pool || !value || attribute < 1 || attribute > 8)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (attribute <= 3) {
        *(int *)value = pool->reuse[attribute];
        return 0;
    }
    kiln_sim_device_t *device = kiln_sim_device_lock();
    *(uint64_t *)value = attribute == 4 ? pool->release_threshold : device->memory->used;
    kiln_sim_device_unlock(device);
    return 0;
}

hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const void *list, size_t count)
{
    return pool && (list || !count) ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipMemPoolGetAccess(int *flags, hipMemPool_t pool, const void *location)
{
    if (!flags || !pool || !location)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *flags = 3; // hipMemAccessFlagsProtReadWrite
    return 0;
}

hipError_t hipMallocFromPoolAsync(void **pointer, size_t size, hipMemPool_t pool, hipStream_t stream)
{
    return pool ? hipMallocAsync(pointer, size, stream) : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}
