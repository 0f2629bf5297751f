// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points that compiled HIP C++ programs use: the code that clang adds to a program
// registers its device code, and `kernel<<<...>>>` becomes a launch by the address of a host
// function.
//
// The result of kernel<<<...>>> is discarded, so the next call that waits for the device returns
// the error, as on the machine. Registration runs before main and loads no code. A program's code
// objects are loaded when one of their kernels or variables is first used, and live until the
// program unregisters them.
#include <stdlib.h>
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/graph/graph.h"
#include "hip_sim/stream/engine.h"

#define FAT_MAGIC 0x48495046 // "HIPF"
#define INVALID_DEVICE_FUNCTION 98
#define INVALID_SYMBOL 13
#define COOPERATIVE_TOO_LARGE 720

typedef struct fat_header {
    uint32_t magic, version;
    const void *binary;
    void *unused;
} fat_header_t;

// A host address that represents a kernel or a variable on the device.
typedef struct symbol {
    struct symbol *next;
    const void *host;
    char *name;
    struct fat_binary *owner;
    bool is_variable;
    void *managed; // value of the device's pointer of a managed variable
} symbol_t;

typedef struct fat_binary {
    const void *image;
    hipModule_t modules[KILN_SIM_MAX_DEVICES]; // by device; NULL until needed
} fat_binary_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static symbol_t *symbols;

void **__hipRegisterFatBinary(const void *data)
{
    const fat_header_t *header = data;
    fat_binary_t *made = calloc(1, sizeof *made);
    if (made && header && header->magic == FAT_MAGIC)
        made->image = header->binary;
    return (void **)made;
}

static void add_symbol(void **owner, const void *host, const char *name, bool is_variable)
{
    symbol_t *made = calloc(1, sizeof *made);
    if (!owner || !made || !(made->name = strdup(name))) {
        free(made);
        return; // a later launch reports an unknown function
    }
    made->host = host;
    made->owner = (fat_binary_t *)owner;
    made->is_variable = is_variable;
    pthread_mutex_lock(&lock);
    made->next = symbols;
    symbols = made;
    pthread_mutex_unlock(&lock);
}

void __hipRegisterFunction(void **owner, const void *host, char *device_function, const char *name,
                           unsigned threads, void *tid, void *bid, hip_dim3_t *block,
                           hip_dim3_t *grid, int *wave_size)
{
    (void)device_function;
    (void)threads;
    (void)tid;
    (void)bid;
    (void)block;
    (void)grid;
    (void)wave_size;
    add_symbol(owner, host, name, false);
}

void __hipRegisterVar(void **owner, void *host, char *host_name, char *name, int external,
                      size_t size, int constant, int global)
{
    (void)host_name;
    (void)external;
    (void)size;
    (void)constant;
    (void)global;
    add_symbol(owner, host, name, true);
}

// A managed variable is a pointer on each side, to memory that both can access and that is
// initialized with the program's value.
void __hipRegisterManagedVar(void *owner, void **pointer, void *initial, const char *name,
                             size_t size, unsigned align)
{
    (void)align;
    if (kiln_sim_allocate_persistent(pointer, size))
        return; // the first use of the variable faults
    memcpy(*pointer, initial, size);
    add_symbol(owner, pointer, name, true);
    pthread_mutex_lock(&lock);
    if (symbols && symbols->host == pointer)
        symbols->managed = *pointer;
    pthread_mutex_unlock(&lock);
}

// Textures and surfaces are not supported, but a program that only declares one runs.
void __hipRegisterTexture(void **owner, void *host, char *host_name, char *name, int type,
                          int normalized, int external)
{
    (void)owner, (void)host, (void)host_name, (void)name, (void)type, (void)normalized,
        (void)external;
}

void __hipRegisterSurface(void **owner, void *host, char *host_name, char *name, int type,
                          int external)
{
    (void)owner, (void)host, (void)host_name, (void)name, (void)type, (void)external;
}

void __hipUnregisterFatBinary(void **owner)
{
    pthread_mutex_lock(&lock);
    for (symbol_t **at = &symbols; *at;) {
        symbol_t *removed = *at;
        if (removed->owner != (fat_binary_t *)owner) {
            at = &removed->next;
            continue;
        }
        *at = removed->next;
        free(removed->name);
        free(removed);
    }
    pthread_mutex_unlock(&lock);
    fat_binary_t *binary = (fat_binary_t *)owner;
    for (int i = 0; binary && i < KILN_SIM_MAX_DEVICES; i++) {
        if (binary->modules[i])
            hipModuleUnload(binary->modules[i]);
    }
    free(binary);
}

// Requires the lock.
static hipError_t load_binary(fat_binary_t *binary, int device)
{
    hipModule_t *module = &binary->modules[device];
    hipError_t result = kiln_sim_module_load_data(module, binary->image);
    for (symbol_t *at = symbols; at && !result; at = at->next) {
        void *variable;
        if (at->owner == binary && at->managed &&
            !hipModuleGetGlobal(&variable, NULL, *module, at->name))
            memcpy(variable, &at->managed, sizeof at->managed);
    }
    return result;
}

// Finds the module and name of a host address. Loads the module at its first use.
static hipError_t resolve(const void *host, bool is_variable, hipModule_t *module,
                          const char **name)
{
    hipError_t result = is_variable ? INVALID_SYMBOL : INVALID_DEVICE_FUNCTION;
    *module = NULL;
    *name = "";
    pthread_mutex_lock(&lock);
    symbol_t *at = symbols;
    while (at && (at->host != host || at->is_variable != is_variable))
        at = at->next;
    if (at) {
        fat_binary_t *binary = at->owner;
        const int device = kiln_sim_device()->ordinal;
        result = binary->modules[device] ? 0 : load_binary(binary, device);
        *module = binary->modules[device];
        *name = at->name;
    }
    pthread_mutex_unlock(&lock);
    return at ? result : kiln_sim_hip_fail(result, NULL);
}

bool kiln_sim_is_variable(const void *host)
{
    pthread_mutex_lock(&lock);
    const symbol_t *at = symbols;
    while (at && (at->host != host || !at->is_variable))
        at = at->next;
    pthread_mutex_unlock(&lock);
    return at;
}

hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *host)
{
    hipModule_t module;
    const char *name;
    hipError_t error = resolve(host, false, &module, &name);
    return error ? error : hipModuleGetFunction(function, module, name);
}

// ---- launches

static __thread struct {
    hip_dim3_t grid, block;
    size_t lds;
    hipStream_t stream;
} configurations[8];
static __thread unsigned configuration_count;

hipError_t __hipPushCallConfiguration(hip_dim3_t grid, hip_dim3_t block, size_t lds,
                                      hipStream_t stream)
{
    if (configuration_count == sizeof configurations / sizeof configurations[0])
        return kiln_sim_hip_fail(KILN_SIM_INVALID_CONFIGURATION, NULL);
    configurations[configuration_count].grid = grid;
    configurations[configuration_count].block = block;
    configurations[configuration_count].lds = lds;
    configurations[configuration_count++].stream = stream;
    return 0;
}

hipError_t __hipPopCallConfiguration(hip_dim3_t *grid, hip_dim3_t *block, size_t *lds,
                                     hipStream_t *stream)
{
    if (configuration_count == 0)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_CONFIGURATION, NULL);
    configuration_count--;
    *grid = configurations[configuration_count].grid;
    *block = configurations[configuration_count].block;
    *lds = configurations[configuration_count].lds;
    *stream = configurations[configuration_count].stream;
    return 0;
}

// `kernel<<<...>>>` discards its result. If the launch waited for the kernel, an error of the
// kernel's execution is kept for the next call that waits; the error of a rejected launch is not.
static void report_async_error(hipError_t error, const kiln_sim_dispatch_t *launch)
{
    if (!kiln_sim_machine_check(kiln_sim_device()->machine, launch, NULL))
        return;
    if (error == KILN_SIM_ILLEGAL_ADDRESS || error == KILN_SIM_LAUNCH_FAILURE ||
        error == KILN_SIM_ASSERT || error == KILN_SIM_LAUNCH_TIMEOUT ||
        error == KILN_SIM_NOT_SUPPORTED)
        kiln_sim_engine_set_async_error(kiln_sim_device(), kiln_sim_hip_failure());
}

static hipError_t launch_symbol(const void *host, hip_dim3_t grid, hip_dim3_t block, void **params,
                                size_t lds, hipStream_t stream, kiln_sim_launch_events_t events)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, host);
    if (error)
        return error;
    if (lds > UINT32_MAX)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = function,
                                          .grid = {grid.x, grid.y, grid.z},
                                          .block = {block.x, block.y, block.z},
                                          .dynamic_lds = (uint32_t)lds,
                                          .params = params};
    error = kiln_sim_launch(stream, &dispatch, events);
    if (error)
        report_async_error(error, &dispatch);
    return error;
}

hipError_t hipLaunchKernel(const void *host, hip_dim3_t grid, hip_dim3_t block, void **params,
                           size_t lds, hipStream_t stream)
{
    KILN_SIM_CALL();
    return launch_symbol(host, grid, block, params, lds, stream, (kiln_sim_launch_events_t){0});
}

// HIP returns specific errors for this function.
hipError_t hipLaunchCooperativeKernel(const void *host, hip_dim3_t grid, hip_dim3_t block,
                                      void **params, unsigned lds, hipStream_t stream)
{
    KILN_SIM_CALL();
    hipFunction_t function;
    if (!kiln_sim_stream_find(stream))
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    hipError_t error = hipGetFuncBySymbol(&function, host);
    if (error)
        return error;
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = function,
                                          .grid = {grid.x, grid.y, grid.z},
                                          .block = {block.x, block.y, block.z},
                                          .dynamic_lds = lds,
                                          .params = params,
                                          .cooperative = true};
    if (lds > kiln_sim_machine_lds(kiln_sim_device()->machine))
        return kiln_sim_hip_fail(COOPERATIVE_TOO_LARGE,
                                 "the LDS size exceeds the limit per workgroup");
    return kiln_sim_launch(stream, &dispatch, (kiln_sim_launch_events_t){0});
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                        int block_size, size_t lds)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, host);
    return error ? error
                 : hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size,
                                                                      lds);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host,
                                                                 int block_size, size_t lds,
                                                                 unsigned flags)
{
    if (flags > 1) // hipOccupancyDisableCachingOverride
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, block_size, lds);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *host, size_t lds,
                                             int block_limit)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, host);
    return error ? error
                 : hipModuleOccupancyMaxPotentialBlockSize(grid, block, function, lds, block_limit);
}

// The LDS available to each of `blocks` workgroups on a compute unit.
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks,
                                                    int block_size)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, host);
    if (error || !bytes || blocks <= 0 || block_size <= 0)
        return error ? error : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const size_t all = kiln_sim_machine_lds(kiln_sim_device()->machine),
                 each = all / (unsigned)blocks / 512 * 512;
    *bytes = each > function->lds_bytes ? each - function->lds_bytes : 0;
    return 0;
}

hipError_t hipExtLaunchKernel(const void *host, hip_dim3_t grid, hip_dim3_t block, void **params,
                              size_t lds, hipStream_t stream, hipEvent_t start, hipEvent_t stop,
                              int flags)
{
    KILN_SIM_CALL();
    (void)flags;
    return launch_symbol(host, grid, block, params, lds, stream,
                         (kiln_sim_launch_events_t){start, stop});
}

// Launches by old compilers: a configuration, each argument with its offset, then the function.
static __thread uint8_t old_arguments[4096];
static __thread size_t old_size;

hipError_t hipConfigureCall(hip_dim3_t grid, hip_dim3_t block, size_t lds, hipStream_t stream)
{
    old_size = 0;
    return __hipPushCallConfiguration(grid, block, lds, stream);
}

hipError_t hipSetupArgument(const void *argument, size_t size, size_t offset)
{
    if (!argument || offset > sizeof old_arguments || sizeof old_arguments - offset < size)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    memcpy(old_arguments + offset, argument, size);
    old_size = offset + size > old_size ? offset + size : old_size;
    return 0;
}

hipError_t hipLaunchByPtr(const void *host)
{
    KILN_SIM_CALL();
    hip_dim3_t grid, block;
    size_t lds;
    hipStream_t stream;
    hipFunction_t function;
    void *extra[] = {(void *)1, old_arguments, (void *)2, &old_size, (void *)3};
    hipError_t error = __hipPopCallConfiguration(&grid, &block, &lds, &stream);
    if (!error)
        error = hipGetFuncBySymbol(&function, host);
    return error ? error
                 : hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                         block.z, (unsigned)lds, stream, NULL, extra);
}

const char *hipKernelNameRef(const hipFunction_t function)
{
    return kiln_sim_is_function(function) ? function->name : NULL;
}

const char *hipKernelNameRefByPtr(const void *host, hipStream_t stream)
{
    hipFunction_t function;
    (void)stream;
    return hipGetFuncBySymbol(&function, host) ? NULL : function->name;
}

// ---- variables

hipError_t hipGetSymbolAddress(void **address, const void *host)
{
    hipModule_t module;
    const char *name;
    size_t size;
    if (!address)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    hipError_t error = resolve(host, true, &module, &name);
    return error ? error : hipModuleGetGlobal(address, &size, module, name);
}

hipError_t hipGetSymbolSize(size_t *size, const void *host)
{
    hipModule_t module;
    const char *name;
    void *address;
    if (!size)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    hipError_t error = resolve(host, true, &module, &name);
    return error ? error : hipModuleGetGlobal(&address, size, module, name);
}

// Byte layout of hipFuncAttributes.
typedef struct function_attributes {
    int binaryVersion, cacheModeCA;
    size_t constSizeBytes, localSizeBytes;
    int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion;
    size_t sharedSizeBytes;
} function_attributes_t;

hipError_t hipFuncGetAttributes(void *attributes, const void *host)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, host);
    if (error || !attributes)
        return error ? error : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    function_attributes_t *a = attributes;
    *a = (function_attributes_t){
        .binaryVersion = 94,
        .localSizeBytes = function->scratch_bytes,
        .maxDynamicSharedSizeBytes = kiln_sim_function_dynamic_lds(function),
        .maxThreadsPerBlock = (int)function->max_workgroup,
        .numRegs = (int)kiln_sim_kernel_total_vgprs(function),
        .preferredShmemCarveout = __atomic_load_n(&function->requested_carveout, __ATOMIC_RELAXED),
        .ptxVersion = 94,
        .sharedSizeBytes = function->lds_bytes};
    return 0;
}
