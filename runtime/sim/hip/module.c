// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: modules, functions, launches.
//
// What a reader gets wrong: hipModuleLoadData is given no size. The file's own headers say how long it is, and its
// bytes are copied through the kernel, which answers with an error where a damaged header points outside of the
// process.
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "core/bundle.h"
#include "hip/engine.h"
#include "hip/entry.h"
#include "hip/graph.h"
#include "hip/handle.h"

#define PAGE 4096u
#define FILE_LIMIT (1ull << 30)

enum { LAUNCH_PARAM_END = 3, LAUNCH_PARAM_BUFFER_POINTER = 1, LAUNCH_PARAM_BUFFER_SIZE = 2 };

// The bytes of this process behind a pointer, as far as they are there.
static size_t read_process(const void *image, uint64_t at, void *to, size_t bytes)
{
    uint64_t from = (uint64_t)(uintptr_t)image + at, page = PAGE - from % PAGE;
    bytes = bytes < page ? bytes : (size_t)page; // of the next page nothing is known
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
    ssize_t done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (done >= 0 || errno == EFAULT)
        return done >= 0 ? (size_t)done : 0;
    memcpy(to, (const void *)(uintptr_t)from, bytes); // not permitted here: trust the caller as HIP does
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

// Size of the ELF file there, from its headers; 0 where there is none.
static uint64_t elf_size(const kiln_sim_source_t *image)
{
    Elf64_Ehdr h;
    if (!kiln_sim_source_read(image, 0, &h, sizeof h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
        h.e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    uint64_t end = sizeof h;
    uint64_t sections = h.e_shoff + (uint64_t)h.e_shnum * h.e_shentsize;
    if (h.e_shoff <= FILE_LIMIT && sections > end)
        end = sections;
    for (unsigned i = 0; i < h.e_phnum && h.e_phoff <= FILE_LIMIT && h.e_phentsize == sizeof(Elf64_Phdr); i++) {
        Elf64_Phdr p;
        if (!kiln_sim_source_read(image, h.e_phoff + (uint64_t)i * sizeof p, &p, sizeof p))
            return 0;
        if (p.p_offset <= FILE_LIMIT && p.p_filesz <= FILE_LIMIT && p.p_offset + p.p_filesz > end)
            end = p.p_offset + p.p_filesz;
    }
    return end <= FILE_LIMIT ? end : 0;
}

// Modules that are loaded. Those of other devices than a thread's current one are usable all the same.
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static kiln_sim_module_t *modules;

static hipError_t load(hipModule_t *module, const uint8_t *file, size_t size)
{
    kiln_sim_error_t error = {0};
    kiln_sim_module_t *made = calloc(1, sizeof *made);
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    kiln_sim_device_t *device = kiln_sim_device();
    made->device = device;
    if (device->broken.code || !kiln_sim_machine_load(device->machine, file, size, &made->object, &error)) {
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

static const kiln_sim_symbol_t *find_variable(const kiln_sim_code_object_t *object, const char *name, size_t length)
{
    for (size_t i = 0; i < object->variable_count; i++) {
        const kiln_sim_symbol_t *at = &object->variables[i];
        if (strncmp(at->name, name, length) == 0 && !at->name[length])
            return at;
    }
    return NULL;
}

// A managed variable x is a pointer in the code object, to memory that both sides reach and that starts as x.managed. Those of a program's own code are
// shared by its devices (hip/program.c); those of a module are made here.
typedef struct managed {
    const kiln_sim_symbol_t *pointer, *initial;
} managed_t;

// The i-th variable, where it is the initial value of a managed one.
static bool is_managed(const kiln_sim_code_object_t *object, size_t i, managed_t *out)
{
    static const char suffix[] = ".managed";
    const char *name = object->variables[i].name;
    const size_t all = strlen(name), length = all >= sizeof suffix ? all - strlen(suffix) : 0;
    if (!length || strcmp(name + length, suffix) != 0)
        return false;
    *out = (managed_t){find_variable(object, name, length), &object->variables[i]};
    return out->pointer && out->pointer->size == sizeof(void *);
}

// The managed variable behind a pointer; NULLs where it is an ordinary variable.
static managed_t managed_of(const kiln_sim_code_object_t *object, const kiln_sim_symbol_t *pointer)
{
    managed_t managed;
    for (size_t i = 0; i < object->variable_count; i++) {
        if (is_managed(object, i, &managed) && managed.pointer == pointer)
            return managed;
    }
    return (managed_t){0};
}

static hipError_t make_managed(hipModule_t module)
{
    const kiln_sim_code_object_t *object = module->object;
    hipError_t error = 0;
    managed_t managed;
    for (size_t i = 0; !error && i < object->variable_count; i++) {
        void *memory;
        if (!is_managed(object, i, &managed) ||
            (error = kiln_sim_allocate_kept(&memory, (size_t)managed.initial->size)))
            continue;
        memcpy(memory, object->image + managed.initial->offset, (size_t)managed.initial->size);
        kiln_sim_memory_mark(module->device->memory, (uint64_t)(uintptr_t)memory, managed.initial->size);
        memcpy(object->image + managed.pointer->offset, &memory, sizeof memory);
    }
    module->has_managed = true;
    return error;
}

static void free_managed(hipModule_t module)
{
    const kiln_sim_code_object_t *object = module->object;
    managed_t managed;
    for (size_t i = 0; module->has_managed && i < object->variable_count; i++) {
        void *memory;
        if (!is_managed(object, i, &managed))
            continue;
        memcpy(&memory, object->image + managed.pointer->offset, sizeof memory);
        const kiln_sim_allocation_t *found = kiln_sim_memory_find(module->device->memory, (uint64_t)(uintptr_t)memory);
        if (memory && found && found->kind == KILN_SIM_MEMORY_MANAGED) // the program may have written the pointer
            kiln_sim_memory_free(module->device->memory, memory, NULL);
    }
}

// A module that a program asked for.
static hipError_t complete(hipModule_t *module, hipError_t error)
{
    if (!error && (error = make_managed(*module)))
        hipModuleUnload(*module);
    return error;
}

// The module of the kernel; NULL where it is of none that is loaded.
static const kiln_sim_module_t *module_of(const void *function)
{
    pthread_rwlock_rdlock(&lock);
    const kiln_sim_module_t *at = modules;
    while (at && ((const kiln_sim_kernel_t *)function < at->object->kernels ||
                  (const kiln_sim_kernel_t *)function >= at->object->kernels + at->object->kernel_count))
        at = at->next;
    pthread_rwlock_unlock(&lock);
    return at;
}

bool kiln_sim_is_function(const void *handle)
{
    return handle && module_of(handle);
}

static hipError_t load_bundle(hipModule_t *module, const kiln_sim_source_t *source)
{
    kiln_sim_error_t error = {0};
    size_t size;
    uint8_t *object = kiln_sim_unbundle(source, &size, &error);
    hipError_t result = object ? load(module, object, size) : kiln_sim_hip_error(&error);
    free(object);
    return result;
}

hipError_t kiln_sim_module_load_data(hipModule_t *module, const void *image)
{
    if (!module || !image)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const kiln_sim_source_t source = {read_process, image};
    if (kiln_sim_is_bundle(&source))
        return load_bundle(module, &source);
    uint64_t size = elf_size(&source);
    uint8_t *copy = size ? malloc((size_t)size) : NULL;
    hipError_t result;
    if (!size)
        result = kiln_sim_hip_fail(KILN_SIM_INVALID_IMAGE, "not a loadable code object: no ELF file");
    else if (!copy)
        result = kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    else if (!kiln_sim_source_read(&source, 0, copy, size))
        result =
            kiln_sim_hip_fail(KILN_SIM_INVALID_IMAGE, "not a loadable code object: its headers point outside of it");
    else
        result = load(module, copy, (size_t)size);
    free(copy);
    return result;
}

hipError_t hipModuleLoadData(hipModule_t *module, const void *image)
{
    return complete(module, kiln_sim_module_load_data(module, image));
}

// The options are for a compiler that is not needed: code objects are loaded as they are.
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned count, hipJitOption *options,
                               void **values)
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
    FILE *file = fopen(path, "rb");
    if (!file)
        return kiln_sim_hip_fail(HIP_FILE_NOT_FOUND, path);
    hipError_t result = 0;
    uint8_t *bytes = NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0 || (uint64_t)size > FILE_LIMIT || fseek(file, 0, SEEK_SET) != 0)
        result = kiln_sim_hip_fail(HIP_FILE_NOT_FOUND, path);
    // One byte more than needed, so that an empty file has a buffer, too.
    else if (!(bytes = malloc((size_t)size + 1)))
        result = kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    else if (fread(bytes, 1, (size_t)size, file) != (size_t)size)
        result = kiln_sim_hip_fail(HIP_FILE_NOT_FOUND, path);
    else {
        const file_t whole = {bytes, (size_t)size};
        const kiln_sim_source_t source = {read_file, &whole};
        result = kiln_sim_is_bundle(&source) ? load_bundle(module, &source) : load(module, bytes, (size_t)size);
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
    if (!is_module(module))
        return kiln_sim_hip_fail(module ? KILN_SIM_NOT_FOUND : HIP_INVALID_HANDLE, NULL);
    kiln_sim_handle_drop(module, KILN_SIM_HANDLE_MODULE);
    kiln_sim_engine_drain(module->device);
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
    return 0;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name)
{
    if (!function || !name || !is_module(module))
        return kiln_sim_hip_fail(is_module(module) ? KILN_SIM_INVALID_VALUE : HIP_INVALID_HANDLE, NULL);
    *function = kiln_sim_code_object_kernel(module->object, name, strlen(name));
    if (*function)
        return 0;
    char text[512];
    snprintf(text, sizeof text, "the code object has no kernel '%s'; it has %zu, the first is '%s'", name,
             module->object->kernel_count, module->object->kernel_count ? module->object->kernels[0].name : "");
    return kiln_sim_hip_fail(KILN_SIM_NOT_FOUND, text);
}

hipError_t hipModuleGetFunctionCount(unsigned *count, hipModule_t module)
{
    if (!count || !is_module(module))
        return kiln_sim_hip_fail(count ? HIP_INVALID_HANDLE : KILN_SIM_INVALID_VALUE, NULL);
    *count = (unsigned)module->object->kernel_count;
    return 0;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes, hipModule_t module, const char *name)
{
    if (!name || !is_module(module))
        return kiln_sim_hip_fail(is_module(module) ? KILN_SIM_INVALID_VALUE : HIP_INVALID_HANDLE, NULL);
    const kiln_sim_code_object_t *object = module->object;
    const kiln_sim_symbol_t *found = find_variable(object, name, strlen(name));
    if (!found)
        return kiln_sim_hip_fail(KILN_SIM_NOT_FOUND, name);
    const managed_t managed = module->has_managed ? managed_of(object, found) : (managed_t){0};
    if (pointer && managed.initial)
        memcpy(pointer, object->image + found->offset, sizeof *pointer);
    else if (pointer)
        *pointer = object->image + found->offset;
    if (bytes)
        *bytes = (size_t)(managed.initial ? managed.initial->size : found->size);
    return 0;
}

// ---- functions

// What a damaged descriptor claims may not fit.
static int to_int(uint32_t value)
{
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

int kiln_sim_function_dynamic_lds(hipFunction_t function)
{
    const int wished = __atomic_load_n(&function->wished_dynamic_lds, __ATOMIC_RELAXED);
    if (wished)
        return wished - 1;
    return (int)kiln_sim_kernel_dynamic_lds(function, kiln_sim_machine_lds(kiln_sim_device()->machine));
}

hipError_t hipFuncGetAttribute(int *value, int attribute, hipFunction_t function)
{
    if (!value || !function)
        return kiln_sim_hip_fail(value ? HIP_INVALID_HANDLE : KILN_SIM_INVALID_VALUE, NULL);
    switch (attribute) {
    case 0: // HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
        *value = (int)kiln_sim_kernel_max_items(function);
        return 0;
    case 1: // SHARED_SIZE_BYTES
        *value = to_int(function->lds_bytes);
        return 0;
    case 2: // CONST_SIZE_BYTES
        *value = 0;
        return 0;
    case 3: // LOCAL_SIZE_BYTES
        *value = to_int(function->scratch_bytes);
        return 0;
    case 4: // NUM_REGS
        *value = (int)kiln_sim_kernel_total_vgprs(function);
        return 0;
    case 5: // PTX_VERSION
    case 6: // BINARY_VERSION
        *value = 94;
        return 0;
    case 8: // MAX_DYNAMIC_SHARED_SIZE_BYTES
        *value = kiln_sim_function_dynamic_lds(function);
        return 0;
    case 9: // PREFERRED_SHARED_MEMORY_CARVEOUT
        *value = __atomic_load_n(&function->wished_carveout, __ATOMIC_RELAXED);
        return 0;
    default:
        *value = 0;
        return attribute == 7 ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    }
}

// LDS needs no permission, but what is not there cannot be had. Wishes are kept and told.
hipError_t hipFuncSetAttribute(const void *host, hipFuncAttribute attribute, int value)
{
    enum { MAX_DYNAMIC_LDS = 8, CARVEOUT = 9 };
    hipFunction_t function;
    hipError_t error =
        host ? hipGetFuncBySymbol(&function, host) : kiln_sim_hip_fail(HIP_INVALID_DEVICE_FUNCTION, NULL);
    if (error)
        return error;
    const int most = (int)kiln_sim_kernel_dynamic_lds(function, kiln_sim_machine_lds(kiln_sim_device()->machine));
    if ((attribute != MAX_DYNAMIC_LDS && attribute != CARVEOUT) ||
        (attribute == MAX_DYNAMIC_LDS && (value < 0 || value > most)) ||
        (attribute == CARVEOUT && (value < -1 || value > 100)))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (attribute == CARVEOUT)
        __atomic_store_n(&function->wished_carveout, value, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&function->wished_dynamic_lds, value + 1, __ATOMIC_RELAXED);
    return 0;
}

hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t config)
{
    if (!function)
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE_FUNCTION, NULL);
    return config < 0 || config > 3 ? kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL) : 0;
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function, int block_size,
                                                              size_t dynamic_lds)
{
    const uint32_t most = kiln_sim_machine_lds(kiln_sim_device()->machine);
    if (!blocks || !function || block_size <= 0)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *blocks = 0; // of a workgroup that is too large, and of one that wants more LDS than there is
    if (block_size > KILN_GFX942_WORKGROUP_ITEMS || dynamic_lds > most)
        return 0;
    unsigned waves = ((unsigned)block_size + KILN_SIM_LANES - 1) / KILN_SIM_LANES;
    uint64_t lds = (uint64_t)function->lds_bytes + dynamic_lds;
    *blocks = lds > most ? 0 : (int)kiln_sim_kernel_occupancy(function, waves, (unsigned)lds);
    return 0;
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, hipFunction_t function,
                                                                       int block_size, size_t dynamic_lds,
                                                                       unsigned flags)
{
    if (flags > 1) // hipOccupancyDisableCachingOverride
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_lds);
}

// The workgroup of whole waves that keeps most waves on a compute unit, the largest of equals.
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t function, size_t dynamic_lds,
                                                   int block_limit)
{
    if (!grid || !block || !function)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    int largest = (int)kiln_sim_kernel_max_items(function), best = 0;
    if (block_limit > 0 && block_limit < largest)
        largest = block_limit;
    *grid = *block = 0;
    for (int size = 64; size <= (largest + 63) / 64 * 64; size += 64) {
        int blocks = 0, items = size < largest ? size : largest;
        hipError_t error = hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, items, dynamic_lds);
        if (error)
            return error;
        if (blocks && blocks * size >= best) {
            best = blocks * size;
            *block = items;
            *grid = blocks * kiln_sim_machine_product(kiln_sim_device()->machine)->compute_units;
        }
    }
    return *block ? 0 : kiln_sim_hip_fail(KILN_SIM_LAUNCH_OUT_OF_RESOURCES, NULL);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, hipFunction_t function,
                                                            size_t dynamic_lds, int block_limit, unsigned flags)
{
    if (flags > 1)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    return hipModuleOccupancyMaxPotentialBlockSize(grid, block, function, dynamic_lds, block_limit);
}

// ---- launches

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// A kernel that waits for the clock keeps its stream busy for so long by the host's clock, too: programs have such kernels to see that.
static void pass_time(double begun_ms, double waited_ms)
{
    for (double left; (left = begun_ms + waited_ms - now_ms()) > 0 && kiln_sim_engine_goes_on();) {
        const long step_ns = left < 5 ? (long)(left * 1e6) : 5000000;
        nanosleep(&(struct timespec){0, step_ns}, NULL);
    }
}

hipError_t kiln_sim_dispatch(const kiln_sim_dispatch_t *dispatch)
{
    kiln_sim_error_t error = {0};
    kiln_sim_result_t *result = NULL;
    kiln_sim_launch_stats_t stats = {.struct_size = sizeof stats};
    kiln_sim_device_t *device = kiln_sim_device();
    const double begun_ms = now_ms(), cycles_in_ms = 1e3 * kiln_sim_machine_product(device->machine)->clock_mhz;
    const bool good = kiln_sim_machine_launch(device->machine, dispatch, &result, &error);
    kiln_sim_prediction_t predicted = {.struct_size = sizeof predicted};
    const bool predicts = kiln_sim_result_prediction(result, &predicted);
    if (predicts)
        kiln_sim_engine_takes((predicted.microseconds + predicted.launch_microseconds) * 1e-3);
    if (kiln_sim_result_stats(result, &stats)) {
        const double waited_ms = (double)stats.waited_cycles / cycles_in_ms;
        kiln_sim_engine_takes(waited_ms + (predicts ? 0 : stats.estimated_cycles / cycles_in_ms));
        if (waited_ms > 0 && kiln_sim_engine_is_async())
            pass_time(begun_ms, waited_ms);
    }
    kiln_sim_hip_set_result(result);
    return good ? 0 : kiln_sim_hip_error(&error);
}

// Code is in one device's memory, and runs on that device.
static hipError_t launch(hipStream_t handle, const kiln_sim_work_t *work)
{
    const kiln_sim_module_t *module = module_of(work->kernel.kernel);
    if (!module)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the function is of no module that is loaded");
    if (kiln_sim_device_count() > 1) {
        const struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
        if (stream && stream->device != module->device)
            return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the function was loaded on another device than the stream's");
    }
    return kiln_sim_submit(handle, work);
}

// The launch's `extra`: pairs of a tag and a value that give all arguments as one block.
bool kiln_sim_read_extra(void **extra, kiln_sim_dispatch_t *dispatch)
{
    if (!extra)
        return true;
    for (size_t i = 0; i < 8 && (uintptr_t)extra[i] != LAUNCH_PARAM_END; i += 2) {
        if ((uintptr_t)extra[i] == LAUNCH_PARAM_BUFFER_POINTER)
            dispatch->packed = extra[i + 1];
        else if ((uintptr_t)extra[i] == LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1])
            dispatch->packed_size = *(const size_t *)extra[i + 1];
        else
            return false;
    }
    return true;
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_lds,
                                 hipStream_t stream, void **params, void **extra)
{
    kiln_sim_work_t work = {.kind = KILN_SIM_WORK_KERNEL,
                            .kernel = {.struct_size = sizeof(kiln_sim_dispatch_t),
                                       .kernel = function,
                                       .grid = {grid_x, grid_y, grid_z},
                                       .block = {block_x, block_y, block_z},
                                       .dynamic_lds = dynamic_lds,
                                       .params = params}};
    if (!function)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    if (!kiln_sim_read_extra(extra, &work.kernel))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "`extra` is not a list of HIP_LAUNCH_PARAM_* pairs");
    return launch(stream, &work);
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_lds,
                                            hipStream_t stream, void **params)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_KERNEL,
                                  .kernel = {.struct_size = sizeof(kiln_sim_dispatch_t),
                                             .kernel = function,
                                             .grid = {grid_x, grid_y, grid_z},
                                             .block = {block_x, block_y, block_z},
                                             .dynamic_lds = dynamic_lds,
                                             .params = params,
                                             .cooperative = true}};
    return function ? launch(stream, &work) : kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
}

// Work-items instead of workgroups: the grid must be a multiple of the workgroup.
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                                    uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t dynamic_lds,
                                    hipStream_t stream, void **params, void **extra, hipEvent_t start, hipEvent_t stop,
                                    uint32_t flags)
{
    (void)flags;
    const uint32_t most = KILN_GFX942_WORKGROUP_ITEMS;
    if (block_x > most || block_y > most || block_z > most || block_x * block_y * block_z > most ||
        dynamic_lds > UINT32_MAX)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!block_x || !block_y || !block_z || items_x % block_x || items_y % block_y || items_z % block_z)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_CONFIGURATION, NULL);
    if (start)
        hipEventRecord(start, stream);
    hipError_t result = hipModuleLaunchKernel(function, items_x / block_x, items_y / block_y, items_z / block_z,
                                              block_x, block_y, block_z, (unsigned)dynamic_lds, stream, params, extra);
    if (stop)
        hipEventRecord(stop, stream);
    return result;
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                                    uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t dynamic_lds,
                                    hipStream_t stream, void **params, void **extra, hipEvent_t start, hipEvent_t stop)
{
    return hipExtModuleLaunchKernel(function, items_x, items_y, items_z, block_x, block_y, block_z, dynamic_lds, stream,
                                    params, extra, start, stop, 0);
}

// HIP's headers declared these two as C++ functions once.
HIP_API hipError_t kiln_sim_launch_cxx(hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                                       uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t dynamic_lds,
                                       hipStream_t stream, void **params, void **extra, hipEvent_t start,
                                       hipEvent_t stop,
                                       uint32_t flags) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_"
                                                               "tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j");
HIP_API hipError_t kiln_sim_launch_hcc(
    hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z, uint32_t block_x, uint32_t block_y,
    uint32_t block_z, size_t dynamic_lds, hipStream_t stream, void **params, void **extra, hipEvent_t start,
    hipEvent_t
        stop) __asm__("_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_");

hipError_t kiln_sim_launch_cxx(hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                               uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t dynamic_lds,
                               hipStream_t stream, void **params, void **extra, hipEvent_t start, hipEvent_t stop,
                               uint32_t flags)
{
    return hipExtModuleLaunchKernel(function, items_x, items_y, items_z, block_x, block_y, block_z, dynamic_lds, stream,
                                    params, extra, start, stop, flags);
}

hipError_t kiln_sim_launch_hcc(hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                               uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t dynamic_lds,
                               hipStream_t stream, void **params, void **extra, hipEvent_t start, hipEvent_t stop)
{
    return hipExtModuleLaunchKernel(function, items_x, items_y, items_z, block_x, block_y, block_z, dynamic_lds, stream,
                                    params, extra, start, stop, 0);
}
