// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: modules, and the functions and variables in them.
//
// hipModuleLoadData is not given a size. The image's bytes are copied by a system call, which
// returns an error if a damaged header points outside of the process.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/open_regular.h"
#include "hip_sim/device/handle.h"
#include "hip_sim/entry.h"
#include "hip_sim/graph/graph.h"
#include "hip_sim/stream/engine.h"

#define PAGE 4096u
#define FILE_LIMIT (1ull << 30)

// Reads bytes of this process at a pointer; returns how many are readable.
static size_t read_process(const void *image, uint64_t at, void *to, size_t bytes)
{
    uint64_t from = (uint64_t)(uintptr_t)image + at, page = PAGE - from % PAGE;
    bytes = bytes < page ? bytes : (size_t)page; // the next page may not be mapped
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
    ssize_t done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (done >= 0 || errno == EFAULT)
        return done >= 0 ? (size_t)done : 0;
    memcpy(to, (const void *)(uintptr_t)from,
           bytes); // not permitted here: trust the caller as HIP does
    return bytes;
}

typedef struct file {
    const uint8_t *bytes;
    size_t size;
} file_t;

static size_t read_file(const void *context, uint64_t at, void *to, size_t bytes)
{
    const file_t *file = context;
    size_t left = at < file->size ? file->size - (size_t)at : 0;
    bytes = bytes < left ? bytes : left;
    if (bytes)
        memcpy(to, file->bytes + at, bytes);
    return bytes;
}

// The loaded modules. Modules of devices other than a thread's current one are usable, too.
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static kiln_sim_module_t *modules;

static hipError_t load(hipModule_t *module, const kiln_sim_source_t *source, uint64_t size)
{
    kiln_sim_error_t error = {0};
    kiln_sim_module_t *made = calloc(1, sizeof *made);
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    kiln_sim_device_t *device = kiln_sim_device();
    made->device = device;
    if (device->broken.code ||
        !kiln_sim_machine_load_source(device->machine, source, size, &made->object, &error)) {
        free(made);
        return kiln_sim_hip_error(device->broken.code ? &device->broken : &error);
    }
    if (!kiln_sim_handle_add(made, KILN_SIM_HANDLE_MODULE)) {
        kiln_sim_machine_unload(device->machine, made->object);
        free(made);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    pthread_rwlock_wrlock(&lock);
    made->next = modules;
    modules = made;
    pthread_rwlock_unlock(&lock);
    *module = made;
    return 0;
}

static const kiln_sim_symbol_t *find_variable(const kiln_sim_code_object_t *object,
                                              const char *name, size_t length)
{
    size_t count;
    const kiln_sim_symbol_t *all = kiln_sim_object_variables(object, &count);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(all[i].name, name, length) == 0 && !all[i].name[length])
            return &all[i];
    }
    return NULL;
}

// A managed variable x is a pointer in the code object to memory that host and device access and
// that is initialized from x.managed. The devices of a process share the managed variables of its
// own code (hip_sim/module/program.c); those of a module are created here.
typedef struct managed {
    const kiln_sim_symbol_t *pointer, *initial;
} managed_t;

// Whether a variable is the initial value of a managed one.
static bool is_managed(const kiln_sim_code_object_t *object, const kiln_sim_symbol_t *variable,
                       managed_t *out)
{
    static const char suffix[] = ".managed";
    const char *name = variable->name;
    const size_t all = strlen(name), length = all >= sizeof suffix ? all - strlen(suffix) : 0;
    if (!length || strcmp(name + length, suffix) != 0)
        return false;
    *out = (managed_t){find_variable(object, name, length), variable};
    return out->pointer && out->pointer->size == sizeof(void *);
}

// The managed variable of a pointer; NULLs if it is an ordinary variable.
static managed_t managed_of(const kiln_sim_code_object_t *object, const kiln_sim_symbol_t *pointer)
{
    managed_t managed;
    size_t count;
    const kiln_sim_symbol_t *all = kiln_sim_object_variables(object, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_managed(object, &all[i], &managed) && managed.pointer == pointer)
            return managed;
    }
    return (managed_t){0};
}

static hipError_t make_managed(hipModule_t module)
{
    const kiln_sim_code_object_t *object = module->object;
    uint8_t *const image = kiln_sim_object_image(object);
    hipError_t error = 0;
    managed_t managed;
    size_t count;
    const kiln_sim_symbol_t *all = kiln_sim_object_variables(object, &count);
    for (size_t i = 0; !error && i < count; i++) {
        void *memory;
        if (!is_managed(object, &all[i], &managed) ||
            (error = kiln_sim_allocate_persistent(&memory, (size_t)managed.initial->size)))
            continue;
        if (managed.initial->size) // else there is no memory
            memcpy(memory, image + managed.initial->offset, (size_t)managed.initial->size);
        kiln_sim_memory_mark(module->device->memory, (uint64_t)(uintptr_t)memory,
                             managed.initial->size);
        memcpy(image + managed.pointer->offset, &memory, sizeof memory);
    }
    module->has_managed = true;
    return error;
}

static void free_managed(hipModule_t module)
{
    const kiln_sim_code_object_t *object = module->object;
    managed_t managed;
    size_t count;
    const kiln_sim_symbol_t *all = kiln_sim_object_variables(object, &count);
    for (size_t i = 0; module->has_managed && i < count; i++) {
        void *memory;
        if (!is_managed(object, &all[i], &managed))
            continue;
        memcpy(&memory, kiln_sim_object_image(object) + managed.pointer->offset, sizeof memory);
        const kiln_sim_allocation_t *found =
            kiln_sim_memory_find(module->device->memory, (uint64_t)(uintptr_t)memory);
        if (memory && found &&
            found->kind == KILN_SIM_MEMORY_MANAGED) // the program may have overwritten the pointer
            kiln_sim_memory_free(module->device->memory, memory, NULL);
    }
}

// The module must not be in use.
static void unload(hipModule_t module)
{
    kiln_sim_handle_drop(module, KILN_SIM_HANDLE_MODULE);
    pthread_rwlock_wrlock(&lock);
    kiln_sim_module_t **at = &modules;
    while (*at && *at != module)
        at = &(*at)->next;
    if (*at)
        *at = module->next;
    pthread_rwlock_unlock(&lock);
    free_managed(module);
    kiln_sim_machine_unload(module->device->machine, module->object);
    free(module);
}

// Completes a module that a program loads explicitly with its managed variables.
static hipError_t complete(hipModule_t *module, hipError_t error)
{
    if (error || !(error = make_managed(*module)))
        return error;
    unload(*module);
    *module = NULL;
    return error;
}

static bool has_function(const kiln_sim_module_t *module, const kiln_sim_kernel_t *function)
{
    size_t count;
    const kiln_sim_kernel_t *kernels = kiln_sim_object_kernels(module->object, &count);
    return function >= kernels && function < kernels + count;
}

const kiln_sim_module_t *kiln_sim_module_of(const void *function)
{
    pthread_rwlock_rdlock(&lock);
    const kiln_sim_module_t *at = modules;
    while (at && !has_function(at, function))
        at = at->next;
    pthread_rwlock_unlock(&lock);
    return at;
}

bool kiln_sim_is_function(const void *handle)
{
    return handle && kiln_sim_module_of(handle);
}

hipError_t kiln_sim_module_load_data(hipModule_t *module, const void *image)
{
    if (!module || !image)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const kiln_sim_source_t source = {read_process, image};
    return load(module, &source, KILN_SIM_UNKNOWN_SIZE);
}

hipError_t hipModuleLoadData(hipModule_t *module, const void *image)
{
    return complete(module, kiln_sim_module_load_data(module, image));
}

// The options are for a compiler and therefore ignored: code objects are loaded as they are.
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned count,
                               hipJitOption *options, void **values)
{
    if (count && (!options || !values))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return hipModuleLoadData(module, image);
}

hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *image)
{
    return hipModuleLoadData(module, image);
}

hipError_t hipModuleLoad(hipModule_t *module, const char *path)
{
    if (!module || !path || !*path)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    FILE *file = kiln_open_regular(path);
    if (!file)
        return kiln_sim_hip_fail(HIP_FILE_NOT_FOUND, path);
    hipError_t result = 0;
    uint8_t *bytes = NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0 || (uint64_t)size > FILE_LIMIT || fseek(file, 0, SEEK_SET) != 0)
        result = kiln_sim_hip_fail(HIP_FILE_NOT_FOUND, path);
    // One more byte than needed, so that an empty file has a buffer, too.
    else if (!(bytes = malloc((size_t)size + 1)))
        result = kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    else if (fread(bytes, 1, (size_t)size, file) != (size_t)size)
        result = kiln_sim_hip_fail(HIP_FILE_NOT_FOUND, path);
    else {
        const file_t whole = {bytes, (size_t)size};
        const kiln_sim_source_t source = {read_file, &whole};
        result = load(module, &source, (uint64_t)size);
    }
    free(bytes);
    fclose(file);
    return complete(module, result);
}

static bool is_module(hipModule_t module)
{
    return kiln_sim_handle_is(module, KILN_SIM_HANDLE_MODULE);
}

hipError_t hipModuleUnload(hipModule_t module)
{
    KILN_SIM_CALL();
    if (!is_module(module))
        return kiln_sim_hip_fail(module ? KILN_SIM_NOT_FOUND : HIP_INVALID_HANDLE, NULL);
    hipError_t error = kiln_sim_engine_drain(module->device);
    if (!error)
        unload(module);
    return error;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name)
{
    if (!function || !name || !is_module(module))
        return kiln_sim_hip_fail(is_module(module) ? KILN_SIM_INVALID_VALUE : HIP_INVALID_HANDLE,
                                 NULL);
    *function = kiln_sim_code_object_kernel(module->object, name, strlen(name));
    if (*function)
        return 0;
    char text[sizeof((kiln_sim_error_t *)NULL)->text + 1]; // one more, to detect truncation
    size_t count;
    const kiln_sim_kernel_t *kernels = kiln_sim_object_kernels(module->object, &count);
    const char *first = count == 0 ? "" : count == 1 ? ", '" : ", the first of which is '";
    snprintf(text, sizeof text, "the code object has no kernel '%s'; it has %zu kernel%s%s%s%s",
             name, count, count == 1 ? "" : "s", first, count ? kernels[0].name : "",
             count ? "'" : "");
    return kiln_sim_hip_fail(KILN_SIM_NOT_FOUND, text);
}

hipError_t hipModuleGetFunctionCount(unsigned *count, hipModule_t module)
{
    if (!count || !is_module(module))
        return kiln_sim_hip_fail(count ? HIP_INVALID_HANDLE : KILN_SIM_INVALID_VALUE, NULL);
    size_t all;
    kiln_sim_object_kernels(module->object, &all);
    *count = (unsigned)all;
    return 0;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module,
                              const char *name)
{
    if (!name || !*name || (!pointer && !bytes) || !is_module(module))
        return kiln_sim_hip_fail(is_module(module) ? KILN_SIM_INVALID_VALUE : HIP_INVALID_HANDLE,
                                 NULL);
    const kiln_sim_code_object_t *object = module->object;
    const kiln_sim_symbol_t *found = find_variable(object, name, strlen(name));
    if (!found)
        return kiln_sim_hip_fail(KILN_SIM_NOT_FOUND, name);
    const managed_t managed = module->has_managed ? managed_of(object, found) : (managed_t){0};
    uint8_t *const place = kiln_sim_object_image(object) + found->offset;
    if (pointer && managed.initial)
        memcpy(pointer, place, sizeof *pointer);
    else if (pointer)
        *pointer = place;
    if (bytes)
        *bytes = (size_t)(managed.initial ? managed.initial->size : found->size);
    return 0;
}
