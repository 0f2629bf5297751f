// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: contexts. A context is a device here: all contexts of a device are its primary
// one. Pushing and popping contexts change the thread's current device by a stack of devices.
#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

enum { DEPTH = 64 };

static __thread struct {
    int below[DEPTH];
    unsigned count;
} stack;

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

static hipCtx_t context_of(const kiln_sim_device_t *device)
{
    return (hipCtx_t)(void *)(uintptr_t)device;
}

// The device of a context; NULL if it is not a context.
static kiln_sim_device_t *device_of(hipCtx_t context)
{
    for (int i = 0; i < kiln_sim_device_count(); i++) {
        if (context == context_of(kiln_sim_device_at(i)))
            return kiln_sim_device_at(i);
    }
    return NULL;
}

static hipError_t open_context(hipCtx_t *out, hipDevice_t ordinal)
{
    const kiln_sim_device_t *device = kiln_sim_device_at(ordinal);
    if (!out || !device)
        return out ? kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL) : invalid();
    *out = context_of(device);
    return 0;
}

hipError_t hipCtxCreate(hipCtx_t *out, unsigned flags, hipDevice_t ordinal)
{
    hipError_t error = open_context(out, ordinal);
    if (error)
        return error;
    __atomic_store_n(&kiln_sim_device_at(ordinal)->flags, flags, __ATOMIC_RELAXED);
    return hipCtxPushCurrent(*out);
}

hipError_t hipCtxDestroy(hipCtx_t context)
{
    if (!device_of(context))
        return invalid();
    if (stack.count && device_of(context) == kiln_sim_device())
        kiln_sim_device_set(stack.below[--stack.count]);
    return 0;
}

hipError_t hipCtxGetCurrent(hipCtx_t *out)
{
    return open_context(out, kiln_sim_device()->ordinal);
}

hipError_t hipCtxSetCurrent(hipCtx_t context)
{
    const kiln_sim_device_t *device = device_of(context);
    if (device)
        kiln_sim_device_set(device->ordinal);
    return device || !context ? 0 : kiln_sim_hip_fail(HIP_INVALID_CONTEXT, NULL);
}

hipError_t hipCtxPushCurrent(hipCtx_t context)
{
    const kiln_sim_device_t *device = device_of(context);
    if (!device || stack.count == DEPTH)
        return kiln_sim_hip_fail(HIP_INVALID_CONTEXT, NULL);
    stack.below[stack.count++] = kiln_sim_device()->ordinal;
    kiln_sim_device_set(device->ordinal);
    return 0;
}

hipError_t hipCtxPopCurrent(hipCtx_t *out)
{
    if (!stack.count && !out)
        return kiln_sim_hip_fail(HIP_INVALID_CONTEXT, NULL);
    if (out)
        *out = context_of(kiln_sim_device());
    if (stack.count)
        kiln_sim_device_set(stack.below[--stack.count]);
    return 0;
}

hipError_t hipCtxGetDevice(hipDevice_t *device)
{
    return hipGetDevice(device);
}

hipError_t hipCtxSynchronize(void)
{
    KILN_SIM_CALL();
    return hipDeviceSynchronize();
}

hipError_t hipCtxGetApiVersion(hipCtx_t context, unsigned *version)
{
    (void)context;
    if (!version)
        return invalid();
    *version = 4;
    return 0;
}

hipError_t hipCtxGetFlags(unsigned *flags)
{
    return hipGetDeviceFlags(flags);
}

hipError_t hipCtxGetCacheConfig(hipFuncCache_t *config)
{
    return hipDeviceGetCacheConfig(config);
}

hipError_t hipCtxSetCacheConfig(hipFuncCache_t config)
{
    return hipDeviceSetCacheConfig(config);
}

hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *config)
{
    return hipDeviceGetSharedMemConfig(config);
}

hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config)
{
    return hipDeviceSetSharedMemConfig(config);
}

hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned flags)
{
    const kiln_sim_device_t *device = device_of(peer);
    return device ? hipDeviceEnablePeerAccess(device->ordinal, flags)
                  : kiln_sim_hip_fail(HIP_INVALID_CONTEXT, NULL);
}

hipError_t hipCtxDisablePeerAccess(hipCtx_t peer)
{
    const kiln_sim_device_t *device = device_of(peer);
    return device ? hipDeviceDisablePeerAccess(device->ordinal)
                  : kiln_sim_hip_fail(HIP_INVALID_CONTEXT, NULL);
}

// ---- primary contexts

static hipError_t check(hipDevice_t device)
{
    return kiln_sim_device_at(device) ? 0 : kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *out, hipDevice_t device)
{
    return open_context(out, device);
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device)
{
    return check(device);
}

hipError_t hipDevicePrimaryCtxReset(hipDevice_t device)
{
    return check(device);
}

hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned flags)
{
    (void)flags;
    return check(device) ? HIP_INVALID_DEVICE
                         : kiln_sim_hip_fail(HIP_CONTEXT_IN_USE, "the context is active");
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active)
{
    hipError_t error = check(device);
    if (error || !flags || !active)
        return error ? error : invalid();
    *flags = __atomic_load_n(&kiln_sim_device_at(device)->flags, __ATOMIC_RELAXED);
    *active = 1;
    return 0;
}
