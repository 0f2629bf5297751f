// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points that compiled HIP C++ programs use: the code that clang adds to a program registers its device code,
// and `kernel<<<...>>>` becomes a launch by the address of a host function.
//
// What a reader gets wrong: registration runs before main, so nothing is loaded then. A program's code objects are
// loaded when one of their kernels or variables is first needed, and live until the program unregisters them.
#include <stdlib.h>
#include <string.h>

#include "hip_entry.h"

#define FAT_MAGIC 0x48495046 // "HIPF"
#define INVALID_DEVICE_FUNCTION 98
#define INVALID_SYMBOL 13

typedef struct fat_header {
    uint32_t magic, version;
    const void *binary;
    void *unused;
} fat_header_t;

// One host address that stands for a kernel or a variable on the device.
typedef struct symbol {
    struct symbol *next;
    const void *host;
    char *name;
    struct fat_binary *owner;
    bool is_variable;
} symbol_t;

typedef struct fat_binary {
    const void *image;
    hipModule_t module; // NULL until needed
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
        return; // a later launch says that the function is unknown
    }
    made->host = host;
    made->owner = (fat_binary_t *)owner;
    made->is_variable = is_variable;
    pthread_mutex_lock(&lock);
    made->next = symbols;
    symbols = made;
    pthread_mutex_unlock(&lock);
}

void __hipRegisterFunction(void **owner, const void *host, char *device_function, const char *name, unsigned threads,
                           void *tid, void *bid, hip_dim3_t *block, hip_dim3_t *grid, int *wave_size)
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

void __hipRegisterVar(void **owner, void *host, char *host_name, char *name, int external, size_t size, int constant,
                      int global)
{
    (void)host_name;
    (void)external;
    (void)size;
    (void)constant;
    (void)global;
    add_symbol(owner, host, name, true);
}

void __hipUnregisterFatBinary(void **owner)
{
    pthread_mutex_lock(&lock);
    for (symbol_t **at = &symbols; *at;) {
        symbol_t *gone = *at;
        if (gone->owner != (fat_binary_t *)owner) {
            at = &gone->next;
            continue;
        }
        *at = gone->next;
        free(gone->name);
        free(gone);
    }
    pthread_mutex_unlock(&lock);
    fat_binary_t *binary = (fat_binary_t *)owner;
    if (binary && binary->module)
        hipModuleUnload(binary->module);
    free(binary);
}

// The module and name behind a host address. The module is loaded here if nobody has needed it before.
static hipError_t resolve(const void *host, bool is_variable, hipModule_t *module, const char **name)
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
        result = binary->module ? 0 : hipModuleLoadData(&binary->module, binary->image);
        *module = binary->module;
        *name = at->name;
    }
    pthread_mutex_unlock(&lock);
    return at ? result : kiln_sim_hip_fail(result, NULL);
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

hipError_t __hipPushCallConfiguration(hip_dim3_t grid, hip_dim3_t block, size_t lds, hipStream_t stream)
{
    if (configuration_count == sizeof configurations / sizeof configurations[0])
        return kiln_sim_hip_fail(KILN_SIM_INVALID_CONFIGURATION, NULL);
    configurations[configuration_count].grid = grid;
    configurations[configuration_count].block = block;
    configurations[configuration_count].lds = lds;
    configurations[configuration_count++].stream = stream;
    return 0;
}

hipError_t __hipPopCallConfiguration(hip_dim3_t *grid, hip_dim3_t *block, size_t *lds, hipStream_t *stream)
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

hipError_t hipLaunchKernel(const void *host, hip_dim3_t grid, hip_dim3_t block, void **params, size_t lds,
                           hipStream_t stream)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, host);
    if (error)
        return error;
    if (lds > UINT32_MAX)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_CONFIGURATION, NULL);
    return hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)lds, stream,
                                 params, NULL);
}

hipError_t hipLaunchCooperativeKernel(const void *host, hip_dim3_t grid, hip_dim3_t block, void **params, unsigned lds,
                                      hipStream_t stream)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, host);
    return error ? error
                 : hipModuleLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, lds,
                                                    stream, params);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int block_size, size_t lds)
{
    hipFunction_t function;
    hipError_t error = hipGetFuncBySymbol(&function, host);
    return error ? error : hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, lds);
}

// ---- variables

hipError_t hipGetSymbolAddress(void **address, const void *host)
{
    hipModule_t module;
    const char *name;
    size_t size;
    hipError_t error = resolve(host, true, &module, &name);
    return error ? error : hipModuleGetGlobal(address, &size, module, name);
}

hipError_t hipGetSymbolSize(size_t *size, const void *host)
{
    hipModule_t module;
    const char *name;
    void *address;
    hipError_t error = resolve(host, true, &module, &name);
    return error ? error : hipModuleGetGlobal(&address, size, module, name);
}

hipError_t hipMemcpyToSymbol(const void *host, const void *from, size_t bytes, size_t offset, int kind)
{
    void *address;
    hipError_t error = hipGetSymbolAddress(&address, host);
    return error ? error : hipMemcpy((char *)address + offset, from, bytes, kind);
}

hipError_t hipMemcpyFromSymbol(void *to, const void *host, size_t bytes, size_t offset, int kind)
{
    void *address;
    hipError_t error = hipGetSymbolAddress(&address, host);
    return error ? error : hipMemcpy(to, (char *)address + offset, bytes, kind);
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
    *a = (function_attributes_t){.binaryVersion = 94,
                                 .localSizeBytes = function->scratch_bytes,
                                 .maxDynamicSharedSizeBytes = (int)kiln_sim_kernel_dynamic_lds(function),
                                 .maxThreadsPerBlock = (int)function->max_workgroup,
                                 .numRegs = (int)kiln_sim_kernel_total_vgprs(function),
                                 .ptxVersion = 94,
                                 .sharedSizeBytes = function->lds_bytes};
    return 0;
}
