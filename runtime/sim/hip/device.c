// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: the device, its properties, contexts.
//
// What a reader gets wrong: the KILN_SIM_* variables are read here, once, when the device is first used; nothing else
// in the library looks at the environment.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip/entry.h"

#define NAME_SUFFIX " (Kiln simulator)"
#define ARCH_NAME "gfx942:sramecc+:xnack-"
#define HIP_VERSION 60443482 // 6.4.43482: the newest ABI whose structs are filled here
#define DEFAULT_STACK 1024u  // AMD's hipLimitStackSize

static kiln_sim_device_t the_device = {.lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_once_t once = PTHREAD_ONCE_INIT;

// A wrong value breaks the device: a program that went on would run with other options than it seems to.
static bool set_from_environment(kiln_sim_device_t *device)
{
    const char *name, *variable;
    for (size_t i = 0; (name = kiln_sim_option_name(i, &variable)); i++) {
        const char *value = getenv(variable);
        if (value && *value && !kiln_sim_machine_set(device->machine, name, value, &device->broken))
            return false;
    }
    return true;
}

static void open_device(void)
{
    static kiln_sim_memory_t none;
    kiln_sim_device_t *device = &the_device;
    device->memory = &none;
    if (!kiln_sim_machine_create(NULL, 0, &device->machine, &device->broken))
        return;
    device->memory = kiln_sim_machine_memory(device->machine);
    set_from_environment(device);
}

// The library goes, or the process ends. Memory stays: a program's own destructors may use it.
__attribute__((destructor)) static void rest(void)
{
    if (the_device.machine)
        kiln_sim_machine_rest(the_device.machine);
}

kiln_sim_device_t *kiln_sim_device(void)
{
    pthread_once(&once, open_device);
    return &the_device;
}

kiln_sim_device_t *kiln_sim_device_lock(void)
{
    kiln_sim_device_t *device = kiln_sim_device();
    pthread_mutex_lock(&device->lock);
    return device;
}

void kiln_sim_device_unlock(kiln_sim_device_t *device)
{
    pthread_mutex_unlock(&device->lock);
}

int kilnSimSetOption(const char *name, const char *value)
{
    kiln_sim_error_t error = {0};
    kiln_sim_device_t *device = kiln_sim_device_lock();
    if (device->broken.code)
        error = device->broken;
    else
        kiln_sim_machine_set(device->machine, name ? name : "", value, &error);
    kiln_sim_device_unlock(device);
    return error.code ? kiln_sim_hip_error(&error) : 0;
}

// ---- library and devices

hipError_t hipInit(unsigned flags)
{
    if (flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const kiln_sim_error_t *broken = &kiln_sim_device()->broken;
    return broken->code ? kiln_sim_hip_error(broken) : 0;
}

hipError_t hipDriverGetVersion(int *version)
{
    if (!version)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *version = HIP_VERSION;
    return 0;
}

hipError_t hipRuntimeGetVersion(int *version)
{
    return hipDriverGetVersion(version);
}

hipError_t hipGetDeviceCount(int *count)
{
    if (!count)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *count = 1;
    return 0;
}

hipError_t hipGetDevice(int *ordinal)
{
    if (!ordinal)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *ordinal = 0;
    return 0;
}

hipError_t hipSetDevice(int ordinal)
{
    return ordinal == 0 ? 0 : kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal)
{
    if (!device || ordinal != 0)
        return kiln_sim_hip_fail(device ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    *device = 0;
    return 0;
}

hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device)
{
    if (!name || length <= 0 || device != 0)
        return kiln_sim_hip_fail(device ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    snprintf(name, (size_t)length, "%s" NAME_SUFFIX, kiln_sim_machine_product(kiln_sim_device()->machine)->name);
    return 0;
}

hipError_t hipDeviceGetUuid(hip_uuid_t *uuid, hipDevice_t device)
{
    if (!uuid || device != 0)
        return kiln_sim_hip_fail(device ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    memcpy(uuid->bytes, "kiln-sim-gfx942", sizeof uuid->bytes);
    return 0;
}

hipError_t hipDeviceGetPCIBusId(char *text, int length, int device)
{
    if (!text || length <= 0 || device != 0)
        return kiln_sim_hip_fail(device ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    snprintf(text, (size_t)length, "0000:01:00.0");
    return 0;
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device)
{
    if (!major || !minor || device != 0)
        return kiln_sim_hip_fail(device ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    *major = 9;
    *minor = 4;
    return 0;
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device)
{
    if (!bytes || device != 0)
        return kiln_sim_hip_fail(device ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    *bytes = (size_t)kiln_sim_device()->memory->limit;
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
    const kiln_sim_device_t *device = kiln_sim_device();
    const kiln_sim_product_t *product = kiln_sim_machine_product(device->machine);
    const uint32_t lds = kiln_sim_machine_lds(device->machine);
    hip_properties_r0000_t *p = properties;
    if (!p || ordinal != 0)
        return kiln_sim_hip_fail(p ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s" NAME_SUFFIX, product->name);
    snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s", ARCH_NAME);
    p->gcnArch = 942;
#include "hip/properties.def"
    return 0;
}

hipError_t hipGetDevicePropertiesR0600(void *properties, int ordinal)
{
    const kiln_sim_device_t *device = kiln_sim_device();
    const kiln_sim_product_t *product = kiln_sim_machine_product(device->machine);
    const uint32_t lds = kiln_sim_machine_lds(device->machine);
    hip_properties_r0600_t *p = properties;
    if (!p || ordinal != 0)
        return kiln_sim_hip_fail(p ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s" NAME_SUFFIX, product->name);
    snprintf(p->gcnArchName, sizeof p->gcnArchName, "%s", ARCH_NAME);
    memcpy(p->uuid.bytes, "kiln-sim-gfx942", sizeof p->uuid.bytes);
    p->asyncEngineCount = 8;
    p->unifiedAddressing = 1;
    p->streamPrioritiesSupported = 1;
    p->sharedMemPerMultiprocessor = KILN_GFX942_LDS_BYTES;
    p->sharedMemPerBlockOptin = lds;
    p->regsPerMultiprocessor = CU_VGPRS;
    p->maxBlocksPerMultiProcessor = CU_WAVES;
    p->hostRegisterSupported = 1;
    p->canUseHostPointerForRegisteredMem = 1;
#include "hip/properties.def"
    return 0;
}
#undef PROPERTY
#undef ATTRIBUTE

hipError_t hipDeviceGetAttribute(int *value, int attribute, int ordinal)
{
    const kiln_sim_device_t *device = kiln_sim_device();
    const kiln_sim_product_t *product = kiln_sim_machine_product(device->machine);
    const uint32_t lds = kiln_sim_machine_lds(device->machine);
    if (!value || ordinal != 0)
        return kiln_sim_hip_fail(value ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    switch (attribute) {
#define PROPERTY(field, value_)
#define ATTRIBUTE(number, value_)                                                                                      \
    case number:                                                                                                       \
        *value = (value_);                                                                                             \
        return 0;
#include "hip/properties.def"
#undef PROPERTY
#undef ATTRIBUTE
    default:
        *value = 0; // features that this device does not have
        return attribute >= 0 && attribute < 20000 ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    }
}

_Static_assert(sizeof(hip_properties_r0000_t) == 792, "layout of ROCm 5's hipDeviceProp_t");
_Static_assert(offsetof(hip_properties_r0600_t, memoryClockRate) == 608 &&
                   offsetof(hip_properties_r0600_t, gcnArchName) == 1160 && sizeof(hip_properties_r0600_t) == 1472,
               "layout of ROCm 6's hipDeviceProp_t");

hipError_t hipDeviceSynchronize(void)
{
    return kiln_sim_hip_take_late();
}

hipError_t hipDeviceReset(void)
{
    kiln_sim_hip_take_late();
    hipGetLastError();
    return 0;
}

hipError_t hipSetDeviceFlags(unsigned flags)
{
    (void)flags;
    return 0;
}

hipError_t hipGetDeviceFlags(unsigned *flags)
{
    if (!flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *flags = 0;
    return 0;
}

hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = 1;
    if (greatest)
        *greatest = -1;
    return 0;
}

hipError_t hipDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *can = 0;
    return device == 0 && peer == 0 ? 0 : kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
}

// ---- settings that change nothing

// A device is no peer of itself.
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer;
    (void)flags;
    return kiln_sim_hip_fail(HIP_INVALID_DEVICE, "there is one device");
}

hipError_t hipDeviceDisablePeerAccess(int peer)
{
    return hipDeviceEnablePeerAccess(peer, 0);
}

hipError_t hipDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    (void)attribute;
    return hipDeviceCanAccessPeer(value, device, peer);
}

// hipLimit_t: 0 stack, 1 the buffer of printf, 2 the heap of malloc on the device.
static size_t limits[3] = {DEFAULT_STACK, 1 << 20, 8 << 20};

hipError_t hipDeviceGetLimit(size_t *value, int limit)
{
    if (!value || limit < 0 || limit > 2)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *value = limits[limit];
    return 0;
}

hipError_t hipDeviceSetLimit(int limit, size_t value)
{
    if (limit < 0 || limit > 2)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%zu", value);
    if (limit == 0 && kilnSimSetOption("stack", bytes))
        return KILN_SIM_INVALID_VALUE;
    kiln_sim_device_t *device = kiln_sim_device_lock();
    limits[limit] = value;
    kiln_sim_device_unlock(device);
    return 0;
}

static hipError_t give_zero(int *value)
{
    if (!value)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *value = 0;
    return 0;
}

hipError_t hipDeviceGetCacheConfig(int *config)
{
    return give_zero(config);
}

hipError_t hipDeviceSetCacheConfig(int config)
{
    (void)config;
    return 0;
}

hipError_t hipDeviceGetSharedMemConfig(int *config)
{
    return give_zero(config);
}

hipError_t hipDeviceSetSharedMemConfig(int config)
{
    (void)config;
    return 0;
}

hipError_t hipFuncSetSharedMemConfig(const void *function, int config)
{
    (void)function;
    (void)config;
    return 0;
}

hipError_t hipDeviceGetByPCIBusId(int *device, const char *text)
{
    if (!device || !text)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *device = 0;
    return strcmp(text, "0000:01:00.0") == 0 ? 0 : kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
}

hipError_t hipChooseDevice(int *device, const void *properties)
{
    return properties ? hipGetDevice(device) : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipChooseDeviceR0600(int *device, const void *properties)
{
    return hipChooseDevice(device, properties);
}

hipError_t hipProfilerStart(void)
{
    return 0;
}

hipError_t hipProfilerStop(void)
{
    return 0;
}

// ---- contexts: there is one

static int the_context;

static hipCtx_t context(void)
{
    return (hipCtx_t)(void *)&the_context;
}

static hipError_t give_context(hipCtx_t *out)
{
    if (!out)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *out = context();
    return 0;
}

hipError_t hipCtxCreate(hipCtx_t *out, unsigned flags, hipDevice_t device)
{
    (void)flags;
    return device == 0 ? give_context(out) : kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
}

hipError_t hipCtxDestroy(hipCtx_t which)
{
    (void)which;
    return 0;
}

hipError_t hipCtxGetCurrent(hipCtx_t *out)
{
    return give_context(out);
}

hipError_t hipCtxSetCurrent(hipCtx_t which)
{
    (void)which;
    return 0;
}

hipError_t hipCtxPushCurrent(hipCtx_t which)
{
    (void)which;
    return 0;
}

hipError_t hipCtxPopCurrent(hipCtx_t *out)
{
    return out ? give_context(out) : 0;
}

hipError_t hipCtxGetDevice(hipDevice_t *device)
{
    return hipGetDevice(device);
}

hipError_t hipCtxSynchronize(void)
{
    return kiln_sim_hip_take_late();
}

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *out, hipDevice_t device)
{
    return device == 0 ? give_context(out) : kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device)
{
    return device == 0 ? 0 : kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
}

hipError_t hipDevicePrimaryCtxReset(hipDevice_t device)
{
    return hipDevicePrimaryCtxRelease(device);
}

hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned flags)
{
    (void)flags;
    return hipDevicePrimaryCtxRelease(device);
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned *flags, int *active)
{
    if (flags)
        *flags = 0;
    if (active)
        *active = 1;
    return hipDevicePrimaryCtxRelease(device);
}

// ---- entry points by name

bool kiln_sim_hip_is_old(void)
{
    Dl_info info;
    return dladdr((void *)&the_context, &info) && info.dli_fname && strstr(info.dli_fname, "libamdhip64.so.5");
}

hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags, int *status)
{
    (void)flags;
    if (!name || !function)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *function = NULL;
    // Since HIP 6 these names stand for others where the caller is that new: a macro of the headers elsewhere.
    if (version >= 600 && strcmp(name, "hipGetDeviceProperties") == 0)
        name = "hipGetDevicePropertiesR0600";
    if (version >= 600 && strcmp(name, "hipChooseDevice") == 0)
        name = "hipChooseDeviceR0600";
    // This library's own symbols, whatever else the process has loaded.
    Dl_info info;
    void *self = dladdr((void *)&the_context, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (self) {
        *function = dlsym(self, name);
        dlclose(self);
    }
    if (status)
        *status = *function ? 0 : 1; // HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
    return *function ? 0 : kiln_sim_hip_fail(KILN_SIM_NOT_FOUND, name);
}
