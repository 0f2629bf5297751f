// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: the library, its devices, and the current device of a thread.
//
// The KILN_SIM_* variables are read only here, once, when a device is first used. The rest of the
// library reads only KILN_LOG from the environment.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hip_sim/entry.h"
#include "hip_sim/graph/graph.h"
#include "hip_sim/stream/engine.h"

#define HIP_VERSION 60443482 // 6.4.43482: the newest ABI whose structs are filled in here

static kiln_sim_device_t devices[KILN_SIM_MAX_DEVICES];
static int count = 1;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread int current;
static bool async_is_set; // by kilnSimSetOption; atomic

// ---- opening

// An invalid value makes the device unusable, because otherwise the program would run with other
// options than intended.
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

// Finds memory of other devices that this one can access: pinned or managed host memory, and memory
// with peer access.
static bool find_elsewhere(const kiln_sim_memory_t *memory, uint64_t address,
                           kiln_sim_allocation_t *found)
{
    const kiln_sim_device_t *me = NULL;
    for (int i = 0; i < count; i++)
        me = devices[i].memory == memory ? &devices[i] : me;
    const kiln_sim_allocation_t *in;
    const kiln_sim_device_t *owner = kiln_sim_device_of((const void *)(uintptr_t)address, &in);
    if (!owner || !me)
        return false;
    kiln_sim_memory_fill_now(owner->memory, in);
    *found = *in;
    return owner == me || kiln_sim_memory_is_host(in) ||
           (__atomic_load_n(&me->peers, __ATOMIC_RELAXED) >> owner->ordinal & 1);
}

static void open_device(kiln_sim_device_t *device, int ordinal)
{
    device->ordinal = ordinal;
    device->memory = kiln_sim_machine_memory(NULL); // none yet
    device->limits[0] = 1024;                       // hipLimitStackSize
    device->limits[1] = 1 << 20;                    // hipLimitPrintfFifoSize
    device->limits[2] = 8 << 20;                    // hipLimitMallocHeapSize
    if (!kiln_sim_machine_create(NULL, 0, &device->machine, &device->broken))
        return;
    device->memory = kiln_sim_machine_memory(device->machine);
    set_from_environment(device);
    device->null_stream = kiln_sim_stream_make(device, 0, 0);
    if (!device->null_stream && !device->broken.code)
        kiln_sim_fail(&device->broken, KILN_SIM_OUT_OF_MEMORY, "out of host memory for a stream");
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

// HIP programs load libamdhip64.so under one of its names and expect calls to return before their
// work is done; the two variables are HIP's own. For programs that load or link libkiln-sim.so,
// each launch waits and returns its result.
static bool is_async(void)
{
    Dl_info info;
    return dladdr((void *)&devices, &info) && info.dli_fname &&
           strstr(info.dli_fname, "libamdhip64.so") && !is_set("HIP_LAUNCH_BLOCKING") &&
           !is_set("AMD_SERIALIZE_KERNEL");
}

static void open_devices(void)
{
    if (!__atomic_load_n(&async_is_set, __ATOMIC_ACQUIRE))
        kiln_sim_engine_set_async(is_async());
    open_device(&devices[0], 0);
    if (!devices[0].broken.code)
        count = (int)kiln_sim_machine_devices(devices[0].machine);
    for (int i = 1; i < count; i++)
        open_device(&devices[i], i);
    for (int i = 0; i < count && count > 1; i++) {
        if (devices[i].machine)
            kiln_sim_memory_set_elsewhere(devices[i].memory, find_elsewhere);
    }
}

// Runs when the library is unloaded or the process ends. Memory is not freed: a program's own
// destructors may use it.
__attribute__((destructor)) static void rest(void)
{
    kiln_sim_engine_stop();
    for (int i = 0; i < count; i++) {
        if (devices[i].machine)
            kiln_sim_machine_quiesce(devices[i].machine);
    }
}

kiln_sim_device_t *kiln_sim_device(void)
{
    pthread_once(&once, open_devices);
    return &devices[current];
}

int kiln_sim_device_count(void)
{
    pthread_once(&once, open_devices);
    return count;
}

kiln_sim_device_t *kiln_sim_device_at(int ordinal)
{
    return ordinal >= 0 && ordinal < kiln_sim_device_count() ? &devices[ordinal] : NULL;
}

void kiln_sim_device_set(int ordinal)
{
    current = ordinal;
}

kiln_sim_device_t *kiln_sim_device_of(const void *pointer, const kiln_sim_allocation_t **allocation)
{
    *allocation = NULL;
    for (int i = 0; pointer && i < kiln_sim_device_count(); i++) {
        *allocation = kiln_sim_memory_find(devices[i].memory, (uint64_t)(uintptr_t)pointer);
        if (*allocation)
            return &devices[i];
    }
    return NULL;
}

void kiln_sim_devices_begin_use(void)
{
    for (int i = 0; i < kiln_sim_device_count(); i++)
        kiln_sim_memory_begin_use(devices[i].memory);
}

void kiln_sim_devices_end_use(void)
{
    for (int i = 0; i < kiln_sim_device_count(); i++)
        kiln_sim_memory_end_use(devices[i].memory);
}

// `async` is an option of the library: whether launches and other calls with a stream return before
// their work is done.
int kilnSimSetOption(const char *name, const char *value)
{
    kiln_sim_error_t error = {0};
    if (name && strcmp(name, "async") == 0) {
        __atomic_store_n(&async_is_set, true, __ATOMIC_RELEASE);
        kiln_sim_engine_set_async(value ? strcmp(value, "0") != 0 : is_async());
        return 0;
    }
    const int all = kiln_sim_device_count();
    for (int i = 0; i < all && !error.code; i++) {
        if (devices[i].broken.code)
            error = devices[i].broken;
        else
            kiln_sim_machine_set(devices[i].machine, name ? name : "", value, &error);
    }
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

hipError_t hipGetDeviceCount(int *given)
{
    if (!given)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *given = kiln_sim_device_count();
    return 0;
}

hipError_t hipGetDevice(int *ordinal)
{
    if (!ordinal)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *ordinal = kiln_sim_device()->ordinal;
    return 0;
}

hipError_t hipSetDevice(int ordinal)
{
    if (!kiln_sim_device_at(ordinal))
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    kiln_sim_device_set(ordinal);
    return 0;
}

// The list is only an order of preference: selects the first device that exists.
hipError_t hipSetValidDevices(int *list, int length)
{
    if ((length && !list) || length < 0 || length > kiln_sim_device_count())
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (int i = 0; i < length; i++) {
        if (!kiln_sim_device_at(list[i]))
            return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    }
    if (length)
        kiln_sim_device_set(list[0]);
    return 0;
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal)
{
    if (!device || !kiln_sim_device_at(ordinal))
        return kiln_sim_hip_fail(device ? HIP_INVALID_DEVICE : KILN_SIM_INVALID_VALUE, NULL);
    *device = ordinal;
    return 0;
}

hipError_t hipDeviceSynchronize(void)
{
    KILN_SIM_CALL();
    kiln_sim_device_t *device = kiln_sim_device();
    hipError_t refused = kiln_sim_capture_unsafe_device(device);
    if (refused)
        return refused;
    refused = kiln_sim_engine_wait_device(device);
    kiln_sim_pool_wait(device);
    return refused;
}

typedef struct leftovers {
    void **all;
    size_t count, capacity;
} leftovers_t;

static bool note(leftovers_t *left, void *pointer)
{
    if (!KILN_ARRAY_RESERVE(&left->all, &left->capacity, left->count + 1))
        return false;
    left->all[left->count++] = pointer;
    return true;
}

static bool note_memory(const kiln_sim_allocation_t *at, void *left)
{
    const bool may_go = at->kind == KILN_SIM_MEMORY_DEVICE || at->kind == KILN_SIM_MEMORY_HOST ||
                        at->kind == KILN_SIM_MEMORY_MANAGED ||
                        at->kind == KILN_SIM_MEMORY_REGISTERED;
    const bool is_persistent =
        at->kind != KILN_SIM_MEMORY_HOST && at->flags & KILN_SIM_MEMORY_PERSISTENT;
    return !may_go || is_persistent || note(left, (void *)(uintptr_t)at->base);
}

typedef struct streams {
    const kiln_sim_device_t *device;
    leftovers_t found;
} streams_t;

static bool note_stream(struct kiln_sim_hip_stream *stream, void *data)
{
    streams_t *streams = data;
    const bool is_given = stream->device == streams->device && stream->by_program;
    return !is_given || note(&streams->found, stream);
}

// Frees everything that the program created on the device, except code, its variables, and mapped
// memory.
hipError_t hipDeviceReset(void)
{
    KILN_SIM_CALL();
    kiln_sim_device_t *device = kiln_sim_device();
    streams_t streams = {.device = device};
    leftovers_t memory = {0};
    hipError_t refused = kiln_sim_engine_drain(device);
    if (refused)
        return refused;
    kiln_sim_engine_clear_async_error(device);
    kiln_sim_engine_each(note_stream, &streams);
    for (size_t i = 0; i < streams.found.count; i++)
        hipStreamDestroy(streams.found.all[i]);
    kiln_sim_pool_reset(device);
    kiln_sim_memory_each(device->memory, note_memory, &memory);
    for (size_t i = 0; i < memory.count; i++) {
        hipError_t ignored;
        if (!kiln_sim_graph_memory_free(memory.all[i], &ignored))
            kiln_sim_memory_free(device->memory, memory.all[i], NULL);
    }
    free(streams.found.all);
    free(memory.all);
    __atomic_store_n(&device->flags, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&device->cache, 0, __ATOMIC_RELAXED);
    hipGetLastError();
    return 0;
}

// hipDeviceSchedule*: one of spin 1, yield 2, blocking 4; hipDeviceMapHost 8,
// hipDeviceLmemResizeToMax 16.
hipError_t hipSetDeviceFlags(unsigned flags)
{
    const unsigned schedule = flags & 7;
    if (flags & ~31u || (schedule & (schedule - 1)))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    __atomic_store_n(&kiln_sim_device()->flags, schedule,
                     __ATOMIC_RELAXED); // the others are always on
    return 0;
}

// A context's flags are those that were passed to hipCtxCreate.
hipError_t hipGetDeviceFlags(unsigned *flags)
{
    if (!flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *flags = __atomic_load_n(&kiln_sim_device()->flags, __ATOMIC_RELAXED);
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

// ---- settings

// hipLimit_t: 0 stack, 1 the buffer of printf, 2 the initial heap of malloc on the device, which
// grows beyond that as with AMD's library.
hipError_t hipDeviceGetLimit(size_t *value, hipLimit_t limit)
{
    if (!value)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (limit < 0 || limit > 2)
        return kiln_sim_hip_fail(HIP_UNSUPPORTED_LIMIT, NULL);
    *value = kiln_sim_device()->limits[limit];
    return 0;
}

hipError_t hipDeviceSetLimit(hipLimit_t limit, size_t value)
{
    kiln_sim_device_t *device = kiln_sim_device();
    if (limit < 0 || limit > 2)
        return kiln_sim_hip_fail(limit < 0 ? HIP_UNSUPPORTED_LIMIT : KILN_SIM_INVALID_VALUE, NULL);
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%zu", value);
    kiln_sim_error_t error = {0};
    if (device->broken.code)
        return kiln_sim_hip_error(&device->broken);
    if (limit == 0 && !kiln_sim_machine_set(device->machine, "stack", bytes, &error))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, error.text);
    if (limit == 2 && value > kiln_sim_memory_total(device->memory))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    device->limits[limit] = value;
    return 0;
}

static hipError_t return_int(int *to, int value)
{
    if (!to)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *to = value;
    return 0;
}

// The division between LDS and caches is fixed on this machine, and so is the bank size of LDS,
// four bytes. Requests are stored and returned.
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config)
{
    return return_int(config, __atomic_load_n(&kiln_sim_device()->cache, __ATOMIC_RELAXED));
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config)
{
    if (config < 0 || config > 3)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    __atomic_store_n(&kiln_sim_device()->cache, config, __ATOMIC_RELAXED);
    return 0;
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config)
{
    return return_int(config, 1); // hipSharedMemBankSizeFourByte
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config)
{
    return config < 0 || config > 2 ? kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL) : 0;
}

hipError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig config)
{
    return function ? hipDeviceSetSharedMemConfig(config)
                    : kiln_sim_hip_fail(HIP_INVALID_DEVICE_FUNCTION, NULL);
}

hipError_t hipProfilerStart(void)
{
    return 0; // there is no profiler
}

hipError_t hipProfilerStop(void)
{
    return 0; // there is no profiler
}

// ---- entry points by name

int kiln_sim_hip_major(void)
{
    Dl_info info;
    const char *name = dladdr((void *)&devices, &info) && info.dli_fname
                           ? strstr(info.dli_fname, "libamdhip64.so.")
                           : NULL;
    return name ? (int)strtol(name + strlen("libamdhip64.so."), NULL, 10) : 7;
}

bool kiln_sim_hip_is_old(void)
{
    return kiln_sim_hip_major() == 5;
}

hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                             int *status)
{
    (void)flags;
    if (!name || !function)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *function = NULL;
    // For callers compiled for HIP 6 or later these names denote other functions; otherwise a macro
    // of the headers renames them.
    if (version >= 600 && strcmp(name, "hipGetDeviceProperties") == 0)
        name = "hipGetDevicePropertiesR0600";
    if (version >= 600 && strcmp(name, "hipChooseDevice") == 0)
        name = "hipChooseDeviceR0600";
    // Looks only in this library, regardless of the other libraries in the process.
    Dl_info info;
    void *self =
        dladdr((void *)&devices, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (self) {
        *function = dlsym(self, name);
        dlclose(self);
    }
    if (status)
        *status = *function ? 0 : 1; // HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
    return *function ? 0 : kiln_sim_hip_fail(KILN_SIM_NOT_FOUND, name);
}

// hipDriverEntryPointQueryResult: 0 found, 1 not found.
hipError_t hipGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                  hipDriverEntryPointQueryResult *status)
{
    return hipGetProcAddress(name, function, HIP_VERSION, flags, status);
}

hipError_t hipGetDriverEntryPoint_spt(const char *name, void **function, unsigned long long flags,
                                      hipDriverEntryPointQueryResult *status)
{
    return hipGetProcAddress(name, function, HIP_VERSION, flags, status);
}
