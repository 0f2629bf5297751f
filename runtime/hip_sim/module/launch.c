// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: launches of a module's functions, which also implement `kernel<<<...>>>`
// (hip_sim/module/program.c) and launches with attributes (hip_sim/module/launch_more.c).
//
// Pitfall: the grid of hipModuleLaunchKernel counts workgroups, that of hipExt- and
// hipHccModuleLaunchKernel counts work-items.
#include <stdio.h>
#include <time.h>

#include "base/gfx942.h"
#include "hip_sim/entry.h"
#include "hip_sim/graph/graph.h"
#include "hip_sim/stream/activity.h"
#include "hip_sim/stream/engine.h"
#include "hip_sim/stream/event.h"

enum {
    MAX_GRID_YZ = 65536
}; // hip_sim/device/properties.def; AMD's library checks it only in hipModuleLaunchKernel
enum { LAUNCH_PARAM_END = 3, LAUNCH_PARAM_BUFFER_POINTER = 1, LAUNCH_PARAM_BUFFER_SIZE = 2 };

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// A kernel that waits for the clock also keeps its stream busy for that long in host time, because
// programs use such kernels to observe a busy stream.
static void pass_time(double begun_ms, double waited_ms)
{
    for (double left;
         (left = begun_ms + waited_ms - now_ms()) > 0 && kiln_sim_engine_is_running();) {
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
    const double begun_ms = now_ms(), before_ms = kiln_sim_engine_taken(),
                 cycles_in_ms = 1e3 * kiln_sim_machine_product(device->machine)->clock_mhz;
    const bool logs = kiln_sim_machine_activity(device->machine) != NULL; // which may replay
    if (logs)
        kiln_sim_machine_take_turn(device->machine);
    kiln_sim_devices_begin_use(); // kernels access memory of other devices, too
    const bool good = kiln_sim_machine_launch(device->machine, dispatch, &result, &error);
    kiln_sim_devices_end_use();
    kiln_sim_prediction_t predicted = {.struct_size = sizeof predicted};
    const bool predicts = kiln_sim_result_prediction(result, &predicted);
    if (predicts)
        kiln_sim_engine_takes((predicted.microseconds + predicted.launch_microseconds) * 1e-3);
    double waited_ms = 0;
    if (kiln_sim_result_stats(result, &stats)) {
        waited_ms = (double)stats.waited_cycles / cycles_in_ms;
        kiln_sim_engine_takes(waited_ms + (predicts ? 0 : stats.estimated_cycles / cycles_in_ms));
    }
    kiln_sim_activity_kernel(dispatch, result, now_ms() - begun_ms, before_ms);
    if (logs)
        kiln_sim_machine_end_turn(device->machine);
    if (waited_ms > 0 && kiln_sim_engine_is_async())
        pass_time(begun_ms, waited_ms);
    kiln_sim_hip_set_result(result);
    return good ? 0 : kiln_sim_hip_error(&error);
}

static hipError_t record(hipEvent_t event, hipStream_t handle)
{
    return event ? hipEventRecord(event, handle) : 0;
}

static hipError_t prepare_record(hipEvent_t event, hipStream_t handle, kiln_sim_operation_t **made)
{
    return event ? kiln_sim_event_prepare(event, handle, KILN_SIM_EVENT_RECORDED, made) : 0;
}

static hipError_t commit(kiln_sim_operation_t *made, hipEvent_t event)
{
    return event ? kiln_sim_event_commit(event, KILN_SIM_EVENT_RECORDED, made)
                 : kiln_sim_engine_commit(made, NULL, 0, NULL);
}

// Enqueues all three operations or none.
static hipError_t enqueue_between(hipStream_t handle, const kiln_sim_work_t *work,
                                  kiln_sim_launch_events_t events)
{
    const hipEvent_t at[3] = {events.start, NULL, events.stop};
    kiln_sim_operation_t *made[3] = {NULL};
    hipError_t error = prepare_record(events.start, handle, &made[0]);
    error = error ? error : kiln_sim_engine_prepare(handle, work, KILN_SIM_QUEUED, &made[1]);
    error = error ? error : prepare_record(events.stop, handle, &made[2]);
    for (unsigned i = 0; i < 3 && !error; i++) {
        if (made[i] && !kiln_sim_engine_reserve(made[i]))
            error = kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    for (unsigned i = 0; i < 3; i++) {
        if (!error && made[i])
            error = commit(made[i], at[i]);
        else
            kiln_sim_operation_release(made[i]);
    }
    return error;
}

hipError_t kiln_sim_launch(hipStream_t handle, const kiln_sim_dispatch_t *dispatch,
                           kiln_sim_launch_events_t events)
{
    const kiln_sim_module_t *module = kiln_sim_module_of(dispatch->kernel);
    const struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!module)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the function belongs to no loaded module");
    if (!stream)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "invalid stream");
    // Code is in the memory of one device and runs on that device.
    if (kiln_sim_device_count() > 1 && stream->device != module->device)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE,
                                 "the function and the stream are on different devices");
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_KERNEL, .kernel = *dispatch};
    if ((events.start || events.stop) && !kiln_sim_stream_capture(handle))
        return enqueue_between(handle, &work, events);
    hipError_t error = record(events.start, handle);
    error = error ? error : kiln_sim_submit(handle, &work);
    return error ? error : record(events.stop, handle);
}

static hipError_t check_workgroup(const uint32_t block[3])
{
    const uint32_t max = KILN_GFX942_WORKGROUP_ITEMS;
    char text[120];
    if (block[0] <= max && block[1] <= max && block[2] <= max &&
        (uint64_t)block[0] * block[1] * block[2] <= max)
        return 0;
    snprintf(text, sizeof text, "workgroups of (%u, %u, %u) exceed %u work-items", block[0],
             block[1], block[2], max);
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, text);
}

// For a launch by a function's handle, HIP returns hipErrorInvalidValue in cases where it returns
// hipErrorInvalidConfiguration for a launch by the host's symbol. The handle may belong to an
// unloaded module, so it is not dereferenced before kiln_sim_launch has looked it up.
static hipError_t launch_by_handle(hipStream_t stream, const kiln_sim_dispatch_t *d,
                                   kiln_sim_launch_events_t events)
{
    if (!d->kernel)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    hipError_t error = check_workgroup(d->block);
    return error ? error : kiln_sim_launch(stream, d, events);
}

// Reads the launch's `extra`: pairs of a tag and a value that pass all arguments as one block.
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

static hipError_t launch_with_extra(hipStream_t stream, kiln_sim_dispatch_t *dispatch, void **extra,
                                    kiln_sim_launch_events_t events)
{
    if (dispatch->params && extra)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                 "kernelParams and extra are mutually exclusive");
    if (!kiln_sim_read_extra(extra, dispatch))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                 "extra is not a list of HIP_LAUNCH_PARAM_* pairs");
    return launch_by_handle(stream, dispatch, events);
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y,
                                 unsigned grid_z, unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned dynamic_lds, hipStream_t stream,
                                 void **params, void **extra)
{
    KILN_SIM_CALL();
    kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                    .kernel = function,
                                    .grid = {grid_x, grid_y, grid_z},
                                    .block = {block_x, block_y, block_z},
                                    .dynamic_lds = dynamic_lds,
                                    .params = params};
    if (grid_x > INT32_MAX || grid_y > MAX_GRID_YZ || grid_z > MAX_GRID_YZ)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                 "the grid exceeds hipDeviceProp_t.maxGridSize");
    return launch_with_extra(stream, &dispatch, extra, (kiln_sim_launch_events_t){0});
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned grid_x,
                                            unsigned grid_y, unsigned grid_z, unsigned block_x,
                                            unsigned block_y, unsigned block_z,
                                            unsigned dynamic_lds, hipStream_t stream, void **params)
{
    KILN_SIM_CALL();
    const kiln_sim_dispatch_t dispatch = {.struct_size = sizeof dispatch,
                                          .kernel = function,
                                          .grid = {grid_x, grid_y, grid_z},
                                          .block = {block_x, block_y, block_z},
                                          .dynamic_lds = dynamic_lds,
                                          .params = params,
                                          .cooperative = true};
    return launch_by_handle(stream, &dispatch, (kiln_sim_launch_events_t){0});
}

// The grid is in work-items. In each dimension a larger workgroup is reduced to the grid; otherwise
// the grid must be a multiple of the workgroup.
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                    uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                    uint32_t block_z, size_t dynamic_lds, hipStream_t stream,
                                    void **params, void **extra, hipEvent_t start, hipEvent_t stop,
                                    uint32_t flags)
{
    KILN_SIM_CALL();
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
            return kiln_sim_hip_fail(
                items[i] ? KILN_SIM_INVALID_CONFIGURATION : KILN_SIM_INVALID_VALUE, NULL);
        *block = *block < items[i] ? *block : items[i];
        dispatch.grid[i] = items[i] / *block;
        if (items[i] % *block)
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                     "the number of work-items is not a multiple of the workgroup");
    }
    return launch_with_extra(stream, &dispatch, extra, (kiln_sim_launch_events_t){start, stop});
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                                    uint32_t items_z, uint32_t block_x, uint32_t block_y,
                                    uint32_t block_z, size_t dynamic_lds, hipStream_t stream,
                                    void **params, void **extra, hipEvent_t start, hipEvent_t stop)
{
    KILN_SIM_CALL();
    return hipExtModuleLaunchKernel(function, items_x, items_y, items_z, block_x, block_y, block_z,
                                    dynamic_lds, stream, params, extra, start, stop, 0);
}

// HIP's headers once declared these two as C++ functions.
HIP_API hipError_t kiln_sim_launch_cxx(
    hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z, uint32_t block_x,
    uint32_t block_y, uint32_t block_z, size_t dynamic_lds, hipStream_t stream, void **params,
    void **extra, hipEvent_t start, hipEvent_t stop,
    uint32_t flags) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_"
                            "tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j");
HIP_API hipError_t
kiln_sim_launch_hcc(hipFunction_t function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                    uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t dynamic_lds,
                    hipStream_t stream, void **params, void **extra, hipEvent_t start,
                    hipEvent_t stop) __asm__("_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_"
                                             "tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_");

hipError_t kiln_sim_launch_cxx(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                               uint32_t items_z, uint32_t block_x, uint32_t block_y,
                               uint32_t block_z, size_t dynamic_lds, hipStream_t stream,
                               void **params, void **extra, hipEvent_t start, hipEvent_t stop,
                               uint32_t flags)
{
    return hipExtModuleLaunchKernel(function, items_x, items_y, items_z, block_x, block_y, block_z,
                                    dynamic_lds, stream, params, extra, start, stop, flags);
}

hipError_t kiln_sim_launch_hcc(hipFunction_t function, uint32_t items_x, uint32_t items_y,
                               uint32_t items_z, uint32_t block_x, uint32_t block_y,
                               uint32_t block_z, size_t dynamic_lds, hipStream_t stream,
                               void **params, void **extra, hipEvent_t start, hipEvent_t stop)
{
    return hipExtModuleLaunchKernel(function, items_x, items_y, items_z, block_x, block_y, block_z,
                                    dynamic_lds, stream, params, extra, start, stop, 0);
}
