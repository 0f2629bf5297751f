// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches kernels and queries a kernel's resources and limits on the device.
//
// HIP's grid counts workgroups and its block counts work-items (64 per wave), not waves.
#include <string.h>

#include "base/require.h"
#include "hip/module.h"

// HIP's markers in the `extra` array of a launch with packed arguments.
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)
#define HIP_LAUNCH_PARAM_END ((void *)3)

void kiln_launch_initialize_sized(kiln_launch_t *launch, size_t struct_size)
{
    static const kiln_launch_t defaults = {.grid = {1, 1, 1}};
    kiln_struct_initialize(launch, struct_size, &defaults, sizeof defaults);
}

kiln_status_t kiln_function_choose_block(const kiln_function_t *function, kiln_launch_t *launch)
{
    const unsigned *own = function->block.extents, *given = launch->block;
    if (!given[0] && !given[1] && !given[2]) {
        if (!own[0])
            return kiln_status_make(
                KILN_STATUS_USAGE,
                "the code object does not specify the kernel's block; set launch->block");
        memcpy(launch->block, own, sizeof launch->block);
    }
    for (int i = 0; i < 3; i++)
        if (!launch->block[i])
            launch->block[i] = 1;
    if (function->block.is_required && memcmp(own, given, sizeof launch->block) != 0)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "the block is %u × %u × %u work-items, but the kernel requires %u × %u × %u", given[0],
            given[1], given[2], own[0], own[1], own[2]);
    return KILN_OK;
}

// Explains violated limits, for which HIP only returns an error code.
static kiln_status_t check_limits(const kiln_device_t *device, const kiln_launch_t *launch)
{
    const kiln_device_properties_t *limits = &device->properties;
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1];
    if (__builtin_mul_overflow(threads, launch->block[2], &threads))
        threads = UINT64_MAX;
    if (threads > limits->max_threads_per_group)
        return kiln_status_exceeds(
            kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                             "the block has %llu work-items, but the limit is %u",
                             (unsigned long long)threads, limits->max_threads_per_group),
            KILN_RESOURCE_THREADS, threads, limits->max_threads_per_group);
    if (launch->dynamic_lds_bytes > limits->lds_bytes_per_group)
        return kiln_status_exceeds(
            kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES,
                             "the launch needs %u bytes of LDS, but the limit is %zu per "
                             "workgroup; use smaller tiles or fewer stages",
                             launch->dynamic_lds_bytes, limits->lds_bytes_per_group),
            KILN_RESOURCE_LDS, launch->dynamic_lds_bytes, limits->lds_bytes_per_group);
    if (launch->args && launch->packed)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "launch->args and launch->packed are mutually exclusive");
    return KILN_OK;
}

static kiln_status_t launch_checked(kiln_function_t *function, const kiln_launch_t *launch)
{
    kiln_device_t *device = function->module->device;
    size_t packed_size = launch->packed_size;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)launch->packed,
                     HIP_LAUNCH_PARAM_BUFFER_SIZE, &packed_size, HIP_LAUNCH_PARAM_END};
    void *none[] = {NULL};
    void **args = launch->packed ? NULL : launch->args ? (void **)(uintptr_t)launch->args : none;
    KILN_HIP_TRY(device, hipModuleLaunchKernel,
                 (function->handle, launch->grid[0], launch->grid[1], launch->grid[2],
                  launch->block[0], launch->block[1], launch->block[2], launch->dynamic_lds_bytes,
                  kiln_stream_handle(launch->stream), args, launch->packed ? extra : NULL));
    return KILN_OK;
}

kiln_status_t kiln_function_launch_complete(kiln_function_t *function, kiln_launch_t *launch)
{
    kiln_status_t status = kiln_function_choose_block(function, launch);
    if (!status)
        status = check_limits(function->module->device, launch);
    if (!status && launch->grid[0] && launch->grid[1] && launch->grid[2])
        status = launch_checked(function, launch);
    return status ? kiln_status_annotate(status, "while launching the kernel '%s'", function->name)
                  : KILN_OK;
}

kiln_status_t kiln_function_launch(kiln_function_t *function, const kiln_launch_t *launch)
{
    KILN_REQUIRE(function);
    kiln_launch_t taken;
    kiln_launch_initialize(&taken);
    KILN_REQUIRE_STRUCT(kiln_launch_t, &taken, launch);
    return kiln_function_launch_complete(function, &taken);
}

// Properties of a kernel on the device ------------------------------------------------------------

// HIP's hipFuncAttribute_t.
enum { MAX_THREADS_PER_BLOCK = 0, SHARED_SIZE_BYTES = 1, LOCAL_SIZE_BYTES = 3, NUM_REGS = 4 };

static kiln_status_t attribute_of(const kiln_function_t *function, int attribute,
                                  unsigned *out_value)
{
    int value = 0;
    KILN_HIP_TRY(function->module->device, hipFuncGetAttribute,
                 (&value, attribute, function->handle));
    *out_value = (unsigned)value;
    return KILN_OK;
}

kiln_status_t kiln_function_get_properties(const kiln_function_t *function,
                                           kiln_function_properties_t *out_properties)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_function_properties_t, out_properties);
    kiln_function_properties_t properties = {.struct_size = sizeof properties};
    kiln_struct_copy_out(out_properties, &properties, sizeof properties);
    KILN_REQUIRE(function);
    if (!function->module->device->hip.hipFuncGetAttribute)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "the HIP library '%s' has no hipFuncGetAttribute",
                                function->module->device->hip.path);
    KILN_TRY(attribute_of(function, MAX_THREADS_PER_BLOCK, &properties.max_threads_per_group));
    KILN_TRY(attribute_of(function, NUM_REGS, &properties.registers));
    KILN_TRY(attribute_of(function, SHARED_SIZE_BYTES, &properties.lds_bytes));
    KILN_TRY(attribute_of(function, LOCAL_SIZE_BYTES, &properties.scratch_bytes_per_lane));
    kiln_struct_copy_out(out_properties, &properties, sizeof properties);
    return KILN_OK;
}

static kiln_status_t count_groups(const kiln_function_t *function, const kiln_launch_t *launch,
                                  int *out_groups)
{
    unsigned threads =
        launch->block[0] * launch->block[1] * launch->block[2]; // check_limits excludes overflow
    KILN_HIP_TRY(function->module->device, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor,
                 (out_groups, function->handle, (int)threads, launch->dynamic_lds_bytes));
    return KILN_OK;
}

kiln_status_t kiln_function_occupancy(const kiln_function_t *function, const kiln_launch_t *launch,
                                      unsigned *out_groups_per_compute_unit)
{
    KILN_REQUIRE_OUT(out_groups_per_compute_unit);
    KILN_REQUIRE(function);
    kiln_launch_t taken;
    kiln_launch_initialize(&taken);
    if (launch)
        KILN_REQUIRE_STRUCT(kiln_launch_t, &taken, launch);
    const kiln_device_t *device = function->module->device;
    if (!device->hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor)
        return kiln_status_make(
            KILN_STATUS_UNSUPPORTED,
            "the HIP library '%s' has no hipModuleOccupancyMaxActiveBlocksPerMultiprocessor",
            device->hip.path);
    int groups = 0;
    kiln_status_t status = kiln_function_choose_block(function, &taken);
    if (!status)
        status = check_limits(device, &taken);
    if (!status)
        status = count_groups(function, &taken, &groups);
    if (status)
        return kiln_status_annotate(status, "while querying the occupancy of the kernel '%s'",
                                    function->name);
    *out_groups_per_compute_unit = groups > 0 ? (unsigned)groups : 0;
    return KILN_OK;
}
