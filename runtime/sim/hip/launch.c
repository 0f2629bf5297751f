// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: launches of a module's functions. Those of `kernel<<<...>>>` (hip/program.c) and those with attributes (hip/launch_more.c) come here.
//
// What a reader gets wrong: hipModuleLaunchKernel counts workgroups, hipExt- and hipHccModuleLaunchKernel count work-items.
#include <stdio.h>
#include <time.h>

#include "hip/engine.h"
#include "hip/entry.h"
#include "hip/graph.h"

enum { GRID_YZ_MOST = 65536 }; // hip/properties.def; AMD's library asks in hipModuleLaunchKernel alone
enum { LAUNCH_PARAM_END = 3, LAUNCH_PARAM_BUFFER_POINTER = 1, LAUNCH_PARAM_BUFFER_SIZE = 2 };

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

hipError_t kiln_sim_launch(hipStream_t handle, const kiln_sim_dispatch_t *dispatch)
{
    const kiln_sim_module_t *module = kiln_sim_module_of(dispatch->kernel);
    const struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!module)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the function is of no module that is loaded");
    if (!stream)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "there is no such stream");
    // Code is in one device's memory, and runs on that device.
    if (kiln_sim_device_count() > 1 && stream->device != module->device)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the function was loaded on another device than the stream's");
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_KERNEL, .kernel = *dispatch};
    return kiln_sim_submit(handle, &work);
}

static hipError_t check_workgroup(const uint32_t block[3])
{
    const uint32_t most = KILN_GFX942_WORKGROUP_ITEMS;
    char text[120];
    if (block[0] <= most && block[1] <= most && block[2] <= most && (uint64_t)block[0] * block[1] * block[2] <= most)
        return 0;
    snprintf(text, sizeof text, "workgroups (%u, %u, %u) are larger than %u work-items", block[0], block[1], block[2],
             most);
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, text);
}

// Of a launch by a function's handle, HIP tells as an invalid value what is an invalid configuration where the host's symbol is launched. The handle may be
// one of a module that is gone: nothing is read through it before kiln_sim_launch has looked.
static hipError_t launch_by_handle(hipStream_t stream, const kiln_sim_dispatch_t *d)
{
    if (!d->kernel)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    hipError_t error = check_workgroup(d->block);
    return error ? error : kiln_sim_launch(stream, d);
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

static hipError_t launch_with_extra(hipStream_t stream, kiln_sim_dispatch_t *dispatch, void **extra)
{
    if (dispatch->params && extra)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "arguments are given twice, as a list and as `extra`");
    if (!kiln_sim_read_extra(extra, dispatch))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "`extra` is not a list of HIP_LAUNCH_PARAM_* pairs");
    return launch_by_handle(stream, dispatch);
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_lds,
                                 hipStream_t stream, void **params, void **extra)
{
    kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                    .kernel = function,
                                    .grid = {grid_x, grid_y, grid_z},
                                    .block = {block_x, block_y, block_z},
                                    .dynamic_lds = dynamic_lds,
                                    .params = params};
    if (grid_x > INT32_MAX || grid_y > GRID_YZ_MOST || grid_z > GRID_YZ_MOST)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the grid is larger than hipDeviceProp_t.maxGridSize");
    return launch_with_extra(stream, &dispatch, extra);
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned dynamic_lds,
                                            hipStream_t stream, void **params)
{
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = function,
                                          .grid = {grid_x, grid_y, grid_z},
                                          .block = {block_x, block_y, block_z},
                                          .dynamic_lds = dynamic_lds,
                                          .params = params,
                                          .cooperative = true};
    return launch_by_handle(stream, &dispatch);
}

// Work-items instead of workgroups, of which there may be less than a workgroup has; else they must be a multiple of it.
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                                    uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t dynamic_lds,
                                    hipStream_t stream, void **params, void **extra, hipEvent_t start, hipEvent_t stop,
                                    uint32_t flags)
{
    (void)flags;
    const uint32_t items[] = {items_x, items_y, items_z};
    kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                    .kernel = function,
                                    .block = {block_x, block_y, block_z},
                                    .dynamic_lds = (uint32_t)dynamic_lds,
                                    .params = params};
    if (!function || dynamic_lds > UINT32_MAX)
        return kiln_sim_hip_fail(function ? KILN_SIM_INVALID_VALUE : HIP_INVALID_HANDLE, NULL);
    hipError_t error = check_workgroup(dispatch.block);
    if (error)
        return error;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t *block = &dispatch.block[i];
        if (!items[i] || !*block)
            return kiln_sim_hip_fail(items[i] ? KILN_SIM_INVALID_CONFIGURATION : KILN_SIM_INVALID_VALUE, NULL);
        *block = *block < items[i] ? *block : items[i];
        dispatch.grid[i] = items[i] / *block;
        if (items[i] % *block)
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "work-items are no multiple of a workgroup");
    }
    if (start)
        hipEventRecord(start, stream);
    error = launch_with_extra(stream, &dispatch, extra);
    if (stop)
        hipEventRecord(stop, stream);
    return error;
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
