// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libkiln-aoti.so: launches the kernels of a package that AOTInductor made for CPU tensors
// (kiln_triton/inductor.py). PyTorch's runtime loads it, and for each kernel a library whose only
// symbol is a kiln_aoti_kernel_t with the code object, and calls run_from_nativert with both.
//
// PyTorch passes addresses without sizes. So the whole mapping that contains an address is
// registered with HIP for the duration of a launch, and launches are serialized.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MAX_ARGUMENTS = 1024,
    REGISTER_AS_DEVICE = 0x40000000, // KILN_SIM_REGISTER_AS_DEVICE of sim/port/registered.h
};

// As written by kiln_triton/inductor.py.
typedef struct kiln_aoti_kernel {
    const char *name;
    const char *arguments; // one letter each: p address, s scalar, c constant in the code
    uint32_t block, lds;
    const void *code;
    // `grid` is PyTorch's on entry, and the actual grid on return.
    void (*find_grid)(void *const *arguments, uint32_t *grid);
} kiln_aoti_kernel_t;

typedef struct hip {
    int (*module_load)(void **module, const void *image);
    int (*get_function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  unsigned bz, unsigned lds, void *stream, void **arguments, void **extra);
    int (*synchronize)(void);
    int (*host_register)(void *begin, size_t size, unsigned flags);
    int (*host_unregister)(void *begin);
    unsigned register_flags;
    const char *(*error_string)(int error);
} hip_t;

typedef struct loaded {
    const kiln_aoti_kernel_t *kernel;
    void *function;
    struct loaded *next;
} loaded_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hip_t hip;
static loaded_t *loaded;

// PyTorch provides no way to return a failure.
static void fail(const char *kernel, const char *what, const char *why)
{
    fprintf(stderr, "kiln: kernel '%s' of an AOTInductor package: %s: %s\n", kernel, what, why);
    abort();
}

static void check(const char *kernel, const char *what, int error)
{
    if (error)
        fail(kernel, what, hip.error_string(error));
}

static void *find(const char *kernel, void *library, const char *symbol)
{
    void *address = dlsym(library, symbol);
    if (!address)
        fail(kernel, symbol, "function not found in the HIP library");
    return address;
}

static void load_hip(const char *kernel)
{
    if (hip.module_load)
        return;
    const char *path = getenv("TRITON_LIBHIP_PATH");
    void *library = dlopen(path && *path ? path : "libamdhip64.so", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail(kernel, "no HIP library found; set TRITON_LIBHIP_PATH", dlerror());
    *(void **)&hip.error_string = find(kernel, library, "hipGetErrorString");
    *(void **)&hip.get_function = find(kernel, library, "hipModuleGetFunction");
    *(void **)&hip.launch = find(kernel, library, "hipModuleLaunchKernel");
    *(void **)&hip.synchronize = find(kernel, library, "hipDeviceSynchronize");
    *(void **)&hip.host_register = find(kernel, library, "hipHostRegister");
    *(void **)&hip.host_unregister = find(kernel, library, "hipHostUnregister");
    // The simulator predicts times for tensors on the device; AMD's library has no such flag.
    hip.register_flags = dlsym(library, "kilnSimGetPrediction") ? REGISTER_AS_DEVICE : 0;
    *(void **)&hip.module_load = find(kernel, library, "hipModuleLoadData");
}

// Loaded at the first launch and never unloaded.
static void *function_of(const kiln_aoti_kernel_t *kernel)
{
    for (loaded_t *one = loaded; one; one = one->next)
        if (one->kernel == kernel)
            return one->function;
    loaded_t *one = calloc(1, sizeof *one);
    if (!one)
        fail(kernel->name, "loading", "out of memory");
    void *module;
    check(kernel->name, "hipModuleLoadData", hip.module_load(&module, kernel->code));
    check(kernel->name, "hipModuleGetFunction",
          hip.get_function(&one->function, module, kernel->name));
    one->kernel = kernel;
    one->next = loaded;
    loaded = one;
    return one->function;
}

typedef struct mapping {
    uintptr_t begin, end;
} mapping_t;

static int is_covered(const mapping_t *mappings, size_t count, uintptr_t address)
{
    for (size_t i = 0; i < count; i++)
        if (mappings[i].begin <= address && address < mappings[i].end)
            return 1;
    return 0;
}

// The mapping of this process that contains the address.
static mapping_t find_mapping(const char *kernel, uintptr_t address)
{
    mapping_t mapping = {0};
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    int begins = 1;
    while (maps && fgets(line, sizeof line, maps)) {
        if (begins && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &mapping.begin, &mapping.end) == 2 &&
            mapping.begin <= address && address < mapping.end) {
            fclose(maps);
            return mapping;
        }
        begins = 0;
        for (const char *c = line; *c; c++)
            begins |= *c == '\n';
    }
    fail(kernel, "an argument", "address not in this process");
    return mapping;
}

__attribute__((visibility("default"))) void run_from_nativert(uint32_t gx, uint32_t gy, uint32_t gz,
                                                              int threads, void **arguments,
                                                              const void *fn);

// arguments: for a pointer the address, for a scalar the address of its value, nothing for a
// constant.
void run_from_nativert(uint32_t gx, uint32_t gy, uint32_t gz, int threads, void **arguments,
                       const void *fn)
{
    const kiln_aoti_kernel_t *kernel = fn;
    void *parameters[MAX_ARGUMENTS];
    mapping_t mappings[MAX_ARGUMENTS];
    size_t count = 0, mapped = 0;
    uint32_t grid[3] = {gx, gy, gz};
    (void)threads;
    kernel->find_grid(arguments, grid);
    pthread_mutex_lock(&lock);
    load_hip(kernel->name);
    void *function = function_of(kernel);
    for (size_t i = 0; kernel->arguments[i]; i++) {
        if (kernel->arguments[i] == 'c')
            continue;
        if (count == MAX_ARGUMENTS)
            fail(kernel->name, "arguments", "more than 1024");
        parameters[count++] = kernel->arguments[i] == 'p' ? (void *)&arguments[i] : arguments[i];
        uintptr_t address = (uintptr_t)arguments[i];
        if (kernel->arguments[i] != 'p' || !address || is_covered(mappings, mapped, address))
            continue;
        mapping_t *mapping = &mappings[mapped++];
        *mapping = find_mapping(kernel->name, address);
        check(kernel->name, "hipHostRegister",
              hip.host_register((void *)mapping->begin, mapping->end - mapping->begin,
                                hip.register_flags));
    }
    if (grid[0] && grid[1] && grid[2]) {
        check(kernel->name, "hipModuleLaunchKernel",
              hip.launch(function, grid[0], grid[1], grid[2], kernel->block, 1, 1, kernel->lds,
                         NULL, parameters, NULL));
        check(kernel->name, "hipDeviceSynchronize", hip.synchronize());
    }
    for (size_t i = 0; i < mapped; i++)
        check(kernel->name, "hipHostUnregister", hip.host_unregister((void *)mappings[i].begin));
    pthread_mutex_unlock(&lock);
}
