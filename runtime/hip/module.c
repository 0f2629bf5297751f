// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code objects, the kernels in them, and their launches.
//
// What is easily got wrong: HIP's grid counts workgroups and its block counts work-items (64 per wave), not warps.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/versioned.h"
#include "hip/device.h"
#include "hip/kernel_block.h"

// HIP's markers in the `extra` array of a packed launch.
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)
#define HIP_LAUNCH_PARAM_END ((void *)3)

struct kiln_function {
    kiln_module_t *module;
    void *handle;
    char *name;
    kiln_kernel_block_t block;
    struct kiln_function *next;
};

struct kiln_module {
    kiln_device_t *device;
    void *handle;
    json_t *metadata;           // of the code object; NULL where it has none
    pthread_mutex_t lock;       // of the list
    kiln_function_t *functions; // those asked for so far
};

static kiln_status_t load(kiln_device_t *device, const void *code_object, void **out_handle)
{
    KILN_HIP_TRY(device, hipModuleLoadData, (out_handle, code_object));
    return KILN_OK;
}

kiln_status_t kiln_module_load(kiln_device_t *device, const void *code_object, size_t size, kiln_module_t **out_module)
{
    *out_module = NULL;
    // hipModuleLoadData is not told a length: at least the header must be there to carry one.
    if (size < 64 || memcmp(code_object,
                            "\x7f"
                            "ELF\2\1",
                            6) != 0)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "not a code object: %zu bytes that do not begin as a 64-bit ELF file", size);
    kiln_module_t *module = calloc(1, sizeof *module);
    if (!module)
        return kiln_status_out_of_memory();
    kiln_status_t status = load(device, code_object, &module->handle);
    if (status) {
        free(module);
        return status;
    }
    pthread_mutex_init(&module->lock, NULL);
    module->metadata = kiln_code_metadata(code_object, size);
    module->device = kiln_device_retain(device);
    *out_module = module;
    return KILN_OK;
}

void kiln_module_release(kiln_module_t *module)
{
    if (!module)
        return;
    while (module->functions) {
        kiln_function_t *next = module->functions->next;
        free(module->functions->name);
        free(module->functions);
        module->functions = next;
    }
    json_decref(module->metadata);
    pthread_mutex_destroy(&module->lock);
    KILN_HIP_IGNORE(module->device, hipModuleUnload, (module->handle));
    kiln_device_release(module->device);
    free(module);
}

static kiln_status_t find_function(kiln_module_t *module, const char *name, void **out_handle)
{
    KILN_HIP_TRY(module->device, hipModuleGetFunction, (out_handle, module->handle, name));
    return KILN_OK;
}

static kiln_status_t function_locked(kiln_module_t *module, const char *name, kiln_function_t **out_function)
{
    for (kiln_function_t *known = module->functions; known; known = known->next)
        if (strcmp(known->name, name) == 0) {
            *out_function = known;
            return KILN_OK;
        }
    void *handle = NULL;
    KILN_TRY_NOTE(find_function(module, name, &handle), "while looking for the kernel '%s'", name);
    kiln_function_t *function = calloc(1, sizeof *function);
    if (function)
        function->name = strdup(name);
    if (!function || !function->name) {
        free(function);
        return kiln_status_out_of_memory();
    }
    function->module = module;
    function->handle = handle;
    function->block = kiln_kernel_block(module->metadata, name);
    function->next = module->functions;
    module->functions = function;
    *out_function = function;
    return KILN_OK;
}

kiln_status_t kiln_module_function(kiln_module_t *module, const char *name, kiln_function_t **out_function)
{
    *out_function = NULL;
    pthread_mutex_lock(&module->lock);
    kiln_status_t status = function_locked(module, name, out_function);
    pthread_mutex_unlock(&module->lock);
    return status;
}

const char *kiln_function_name(const kiln_function_t *function)
{
    return function->name;
}

void kiln_launch_initialize_sized(kiln_launch_t *launch, size_t struct_size)
{
    static const kiln_launch_t defaults = {.grid = {1, 1, 1}};
    kiln_struct_initialize(launch, struct_size, &defaults, sizeof defaults);
}

// Takes the kernel's own block where the launch names none, and refuses another where the kernel has to have its own.
static kiln_status_t choose_block(const kiln_function_t *function, kiln_launch_t *launch)
{
    const unsigned *own = function->block.extents, *given = launch->block;
    if (!given[0] && !given[1] && !given[2]) {
        if (!own[0])
            return kiln_status_make(KILN_STATUS_USAGE, "the code object does not tell the kernel's block: name one");
        memcpy(launch->block, own, sizeof launch->block);
    }
    for (int i = 0; i < 3; i++)
        if (!launch->block[i])
            launch->block[i] = 1;
    if (function->block.is_required && memcmp(own, given, sizeof launch->block) != 0)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "the block is %u × %u × %u work-items, and the kernel is made for %u × %u × %u",
                                given[0], given[1], given[2], own[0], own[1], own[2]);
    return KILN_OK;
}

// Says in Kiln's words what HIP would only answer with a number.
static kiln_status_t check_limits(const kiln_device_t *device, const kiln_launch_t *launch)
{
    const kiln_device_properties_t *limits = &device->properties;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    if (threads > limits->max_threads_per_group)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "the block has %llu work-items, the device takes %u",
                                (unsigned long long)threads, limits->max_threads_per_group);
    if (launch->dynamic_lds_bytes > limits->lds_bytes_per_group)
        return kiln_status_make(
            KILN_STATUS_OUT_OF_RESOURCES,
            "the launch wants %u bytes of LDS, the device has %zu for a workgroup; smaller tiles or "
            "fewer stages need less",
            launch->dynamic_lds_bytes, limits->lds_bytes_per_group);
    if (launch->args && launch->packed)
        return kiln_status_make(KILN_STATUS_USAGE, "a launch takes args or packed, not both");
    return KILN_OK;
}

static kiln_status_t launch_checked(kiln_function_t *function, const kiln_launch_t *launch)
{
    kiln_device_t *device = function->module->device;
    size_t packed_size = launch->packed_size;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)launch->packed, HIP_LAUNCH_PARAM_BUFFER_SIZE,
                     &packed_size, HIP_LAUNCH_PARAM_END};
    void *none[] = {NULL};
    void **args = launch->packed ? NULL : launch->args ? (void **)(uintptr_t)launch->args : none;
    KILN_HIP_TRY(device, hipModuleLaunchKernel,
                 (function->handle, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
                  launch->block[1], launch->block[2], launch->dynamic_lds_bytes, kiln_stream_handle(launch->stream),
                  args, launch->packed ? extra : NULL));
    return KILN_OK;
}

kiln_status_t kiln_function_launch_complete(kiln_function_t *function, kiln_launch_t *launch)
{
    kiln_status_t status = choose_block(function, launch);
    if (!status)
        status = check_limits(function->module->device, launch);
    if (!status && launch->grid[0] && launch->grid[1] && launch->grid[2])
        status = launch_checked(function, launch);
    return status ? kiln_status_annotate(status, "while launching the kernel '%s'", function->name) : KILN_OK;
}

kiln_status_t kiln_function_launch(kiln_function_t *function, const kiln_launch_t *given)
{
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    KILN_TRY(kiln_struct_take("kiln_launch_t", &launch, sizeof launch, given));
    return kiln_function_launch_complete(function, &launch);
}

kiln_status_t kiln_device_launch_stats(kiln_device_t *device, kiln_sim_launch_stats_t *out_stats)
{
    if (!device->hip.kilnSimGetLaunchStats)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "only the simulator counts what a launch executes");
    if (device->hip.kilnSimGetLaunchStats(out_stats) != 0)
        return kiln_status_make(KILN_STATUS_DEVICE, "this thread has launched nothing that could be counted");
    return KILN_OK;
}

kiln_status_t kiln_device_launch_prediction(kiln_device_t *device, kiln_sim_prediction_t *out_prediction)
{
    if (!device->hip.kilnSimGetPrediction)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "only the simulator predicts how long a launch takes");
    if (device->hip.kilnSimGetPrediction(out_prediction) != 0)
        return kiln_status_make(KILN_STATUS_NOT_FOUND,
                                "the simulator has predicted nothing of this thread's last launch: "
                                "KILN_SIM_CLOCK=model makes it, where no workgroup waits for one "
                                "that is not looked at");
    return KILN_OK;
}

kiln_status_t kiln_device_launch_line(kiln_device_t *device, size_t index, kiln_sim_line_t *out_line)
{
    if (!device->hip.kilnSimGetLine)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED, "only the simulator says where waves stand");
    if (device->hip.kilnSimGetLine(index, out_line) != 0)
        return kiln_status_make(KILN_STATUS_NOT_FOUND,
                                "the simulator knows no more instructions of this thread's last launch");
    return KILN_OK;
}

kiln_status_t kiln_device_checked(kiln_device_t *device)
{
    kiln_sim_finding_t first = {.struct_size = sizeof first}, next = first;
    if (!device->hip.kilnSimGetFinding || device->hip.kilnSimGetFinding(0, &first) != 0)
        return KILN_OK;
    size_t count = 1;
    while (device->hip.kilnSimGetFinding(count, &next) == 0)
        count++;
    kiln_status_t status = kiln_status_make(
        KILN_STATUS_MISMATCH, "%s: %s, at 0x%llx '%s'%s%s in kernel '%s', workgroup (%u, %u, %u), wave %u", first.check,
        first.message, (unsigned long long)first.address, first.instruction, *first.source ? " of " : "", first.source,
        first.kernel, first.workgroup[0], first.workgroup[1], first.workgroup[2], first.wave);
    return count > 1 ? kiln_status_annotate(status, "and %zu more", count - 1) : status;
}
