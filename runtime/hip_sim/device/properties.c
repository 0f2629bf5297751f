// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: properties of the devices.
#include <stdio.h>
#include <string.h>

#include "base/gfx942.h"
#include "hip_sim/entry.h"

#define NAME_SUFFIX " (Kiln simulator)"
#define ARCH_NAME "gfx942:sramecc+:xnack-"
#define BUS_LENGTH 13 // "0000:01:00.0"

static void name_device(hip_uuid_t *uuid, int ordinal)
{
    memcpy(uuid->bytes, "kiln-sim-gfx942", sizeof uuid->bytes);
    if (ordinal)
        snprintf(uuid->bytes, sizeof uuid->bytes, "kiln-sim-gfx-%02d", ordinal);
}

hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device)
{
    const kiln_sim_device_t *which = kiln_sim_device_at(device);
    if (!name || length <= 0 || !which)
        return kiln_sim_hip_fail(which ? KILN_SIM_INVALID_VALUE : HIP_INVALID_DEVICE, NULL);
    snprintf(name, (size_t)length, "%s" NAME_SUFFIX,
             kiln_sim_machine_product(which->machine)->name);
    return 0;
}

hipError_t hipDeviceGetUuid(hip_uuid_t *uuid, hipDevice_t device)
{
    if (!uuid || !kiln_sim_device_at(device))
        return kiln_sim_hip_fail(uuid ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    name_device(uuid, device);
    return 0;
}

hipError_t hipDeviceGetPCIBusId(char *text, int length, int device)
{
    if (!text || length <= 0 || !kiln_sim_device_at(device))
        return kiln_sim_hip_fail(
            kiln_sim_device_at(device) ? KILN_SIM_INVALID_VALUE : HIP_INVALID_DEVICE, NULL);
    snprintf(text, (size_t)length, "0000:%02x:00.0", device + 1); // truncated to fit
    return length < BUS_LENGTH ? kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL) : 0;
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device)
{
    if (!major || !minor || !kiln_sim_device_at(device))
        return kiln_sim_hip_fail(major && minor ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE,
                                 NULL);
    *major = 9;
    *minor = 4;
    return 0;
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device)
{
    const kiln_sim_device_t *which = kiln_sim_device_at(device);
    if (!bytes || !which)
        return kiln_sim_hip_fail(bytes ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    *bytes = (size_t)kiln_sim_memory_limit(which->memory);
    return 0;
}

enum {
    CU_WAVES = KILN_GFX942_WAVES_PER_SIMD * KILN_GFX942_SIMDS,
    CU_VGPRS = KILN_GFX942_SIMD_VGPRS * KILN_GFX942_LANES * KILN_GFX942_SIMDS
};

#define PROPERTY(field, value) p->field = (value);
#define ATTRIBUTE(number, value)
hipError_t hipGetDeviceProperties(void *properties, int ordinal)
{
    const kiln_sim_device_t *device = kiln_sim_device_at(ordinal);
    const kiln_sim_product_t *product = kiln_sim_machine_product(device ? device->machine : NULL);
    const uint32_t lds = kiln_sim_machine_lds(device ? device->machine : NULL);
    hip_properties_r0000_t *p = properties;
    if (!p || !device)
        return kiln_sim_hip_fail(p ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s" NAME_SUFFIX, product->name);
    snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s", ARCH_NAME);
    p->gcnArch = 942;
#include "hip_sim/device/properties.def"
    return 0;
}

hipError_t hipGetDevicePropertiesR0600(void *properties, int ordinal)
{
    const kiln_sim_device_t *device = kiln_sim_device_at(ordinal);
    const kiln_sim_product_t *product = kiln_sim_machine_product(device ? device->machine : NULL);
    const uint32_t lds = kiln_sim_machine_lds(device ? device->machine : NULL);
    hip_properties_r0600_t *p = properties;
    if (!p || !device)
        return kiln_sim_hip_fail(p ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s" NAME_SUFFIX, product->name);
    snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s", ARCH_NAME);
    name_device(&p->uuid, ordinal);
    p->asyncEngineCount = 8;
    p->unifiedAddressing = 1;
    p->streamPrioritiesSupported = 1;
    p->sharedMemPerMultiprocessor = KILN_GFX942_LDS_BYTES;
    p->sharedMemPerBlockOptin = lds;
    p->regsPerMultiprocessor = CU_VGPRS;
    p->maxBlocksPerMultiProcessor = CU_WAVES;
    p->hostRegisterSupported = 1;
    p->memoryPoolsSupported = 1;
    p->memoryPoolSupportedHandleTypes = 1; // file descriptors
    p->canUseHostPointerForRegisteredMem = 1;
#include "hip_sim/device/properties.def"
    return 0;
}
#undef PROPERTY
#undef ATTRIBUTE

hipError_t hipDeviceGetAttribute(int *value, int attribute, int ordinal)
{
    const kiln_sim_device_t *device = kiln_sim_device_at(ordinal);
    const kiln_sim_product_t *product = kiln_sim_machine_product(device ? device->machine : NULL);
    const uint32_t lds = kiln_sim_machine_lds(device ? device->machine : NULL);
    if (!value || !device)
        return kiln_sim_hip_fail(value ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    switch (attribute) {
#define PROPERTY(field, value_)
#define ATTRIBUTE(number, value_)                                                                  \
    case number:                                                                                   \
        *value = (value_);                                                                         \
        return 0;
#include "hip_sim/device/properties.def"
#undef PROPERTY
#undef ATTRIBUTE
    default:
        *value = 0; // features that this device lacks
        return attribute >= 0 && attribute < 20000
                   ? 0
                   : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    }
}

_Static_assert(sizeof(hip_properties_r0000_t) == 792, "layout of ROCm 5's hipDeviceProp_t");
_Static_assert(offsetof(hip_properties_r0600_t, memoryClockRate) == 608 &&
                   offsetof(hip_properties_r0600_t, gcnArchName) == 1160 &&
                   sizeof(hip_properties_r0600_t) == 1472,
               "layout of ROCm 6's hipDeviceProp_t");

// ---- choosing

hipError_t hipDeviceGetByPCIBusId(int *device, const char *text)
{
    unsigned domain, bus, slot, function = 0;
    if (!device || !text || sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (domain || slot || function || !bus || !kiln_sim_device_at((int)bus - 1))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "no device");
    *device = (int)bus - 1;
    return 0;
}

// All devices are alike.
static hipError_t choose(int *device, const void *properties)
{
    if (!device || !properties)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *device = 0;
    return 0;
}

hipError_t hipChooseDevice(int *device, const void *properties)
{
    return choose(device, properties);
}

hipError_t hipChooseDeviceR0000(int *device, const void *properties)
{
    return choose(device, properties);
}

hipError_t hipChooseDeviceR0600(int *device, const void *properties)
{
    return choose(device, properties);
}

hipError_t hipGetDevicePropertiesR0000(void *properties, int ordinal)
{
    return hipGetDeviceProperties(properties, ordinal);
}
