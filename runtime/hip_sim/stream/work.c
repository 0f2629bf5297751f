// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of work: deep copies, checks before execution, and execution.
#include <stdlib.h>
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/graph/graph_node.h"
#include "hip_sim/stream/activity.h"
#include "hip_sim/stream/engine.h"

// Packs the explicit arguments into one block, in the layout of the metadata.
static uint8_t *pack_arguments(const kiln_sim_dispatch_t *dispatch, size_t *size,
                               kiln_sim_error_t *error)
{
    const kiln_sim_kernel_t *kernel = dispatch->kernel;
    if (kernel->kernarg_bytes > 1u << 20) {
        kiln_sim_fail(error, KILN_SIM_INVALID_IMAGE, "kernel '%s' claims %u bytes of arguments",
                      kernel->name, kernel->kernarg_bytes);
        return NULL;
    }
    *size = kernel->kernarg_bytes;
    uint8_t *packed = calloc(1, *size + 1);
    if (!packed)
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for arguments");
    size_t param = 0;
    for (size_t i = 0; packed && !dispatch->packed && i < kernel->arg_count; i++) {
        const kiln_sim_arg_t *arg = &kernel->args[i];
        if (arg->kind != KILN_SIM_ARG_EXPLICIT)
            continue;
        if (arg->offset > *size || *size - arg->offset < arg->size || !dispatch->params ||
            !dispatch->params[param]) {
            kiln_sim_fail(error, KILN_SIM_INVALID_VALUE,
                          "kernel '%s' needs argument %zu, but it is null", kernel->name, param);
            free(packed);
            return NULL;
        }
        memcpy(packed + arg->offset, dispatch->params[param++], arg->size);
    }
    if (packed && dispatch->packed)
        memcpy(packed, dispatch->packed,
               dispatch->packed_size < *size ? dispatch->packed_size : *size);
    return packed;
}

// A graph's kernel whose module was unloaded has its arguments, but no layout of them.
static uint8_t *copy_packed(const kiln_sim_dispatch_t *dispatch, kiln_sim_error_t *error)
{
    uint8_t *packed = malloc(dispatch->packed_size + 1);
    if (!packed)
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for arguments");
    else
        memcpy(packed, dispatch->packed, dispatch->packed_size);
    return packed;
}

void kiln_sim_work_free(kiln_sim_work_t *work)
{
    if (work->kind == KILN_SIM_WORK_KERNEL)
        free((void *)(uintptr_t)work->kernel.packed);
    else if (work->kind == KILN_SIM_WORK_GRAPH)
        kiln_sim_graph_free(work->graph);
    else if (work->kind == KILN_SIM_WORK_VALUES)
        free(work->values.all);
    else if (work->kind == KILN_SIM_WORK_ALLOCATE)
        kiln_sim_graph_block_drop(work->allocate.pointer);
}

bool kiln_sim_work_copy(kiln_sim_work_t *to, const kiln_sim_work_t *from, kiln_sim_error_t *error)
{
    *to = *from;
    if (from->kind == KILN_SIM_WORK_KERNEL) {
        to->kernel.packed = from->kernel.packed && !kiln_sim_module_of(from->kernel.kernel)
                                ? copy_packed(&from->kernel, error)
                                : pack_arguments(&from->kernel, &to->kernel.packed_size, error);
        to->kernel.params = NULL;
        return to->kernel.packed;
    }
    bool good = true;
    if (from->kind == KILN_SIM_WORK_ALLOCATE)
        kiln_sim_graph_block_hold(from->allocate.pointer);
    if (from->kind == KILN_SIM_WORK_GRAPH)
        good = (to->graph = kiln_sim_graph_copy(from->graph));
    if (from->kind == KILN_SIM_WORK_VALUES) {
        const size_t bytes = from->values.count * sizeof *from->values.all;
        if ((good = (to->values.all = malloc(bytes + 1))))
            memcpy(to->values.all, from->values.all, bytes);
    }
    return good || kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for work");
}

bool kiln_sim_work_check(kiln_sim_device_t *device, const kiln_sim_work_t *work,
                         kiln_sim_error_t *error)
{
    if (work->kind == KILN_SIM_WORK_KERNEL)
        return kiln_sim_machine_check(device->machine, &work->kernel, error);
    if (work->kind == KILN_SIM_WORK_COPY)
        return kiln_sim_box_check(&work->copy, error);
    if (work->kind == KILN_SIM_WORK_FILL)
        return kiln_sim_fill_check(&work->fill, error);
    return true;
}

// A copy or fill accesses memory of any device, and other streams may free it meanwhile.
static hipError_t run_in_memory(const kiln_sim_work_t *work)
{
    kiln_sim_devices_begin_use();
    const hipError_t error = work->kind == KILN_SIM_WORK_COPY ? kiln_sim_copy_box(&work->copy)
                                                              : kiln_sim_fill_box(&work->fill);
    kiln_sim_devices_end_use();
    return error;
}

static hipError_t run(const kiln_sim_work_t *work)
{
    switch (work->kind) {
    case KILN_SIM_WORK_KERNEL:
        return kiln_sim_dispatch(&work->kernel);
    case KILN_SIM_WORK_COPY:
    case KILN_SIM_WORK_FILL:
        return run_in_memory(work);
    case KILN_SIM_WORK_HOST:
        work->host.function(work->host.data);
        return 0;
    case KILN_SIM_WORK_CALL:
        return work->call.function(work->call.data, work->call.number);
    case KILN_SIM_WORK_GRAPH:
        return kiln_sim_graph_run(work->graph);
    case KILN_SIM_WORK_VALUES:
        return kiln_sim_values_run(work->values.all, work->values.count);
    case KILN_SIM_WORK_ALLOCATE:
        return kiln_sim_graph_memory_take(work->allocate.pointer);
    case KILN_SIM_WORK_FREE:
        return kiln_sim_graph_memory_give(work->freed);
    case KILN_SIM_WORK_EVENT_RECORD: // handled when the graph is launched, or by its order
    case KILN_SIM_WORK_EVENT_WAIT:
    case KILN_SIM_WORK_EMPTY:
        break;
    }
    return 0;
}

hipError_t kiln_sim_work_run(const kiln_sim_work_t *work)
{
    const double before_ms = kiln_sim_engine_taken();
    const hipError_t error = run(work);
    if (!error)
        kiln_sim_activity_work(work, before_ms);
    return error;
}

hipError_t kiln_sim_work_replace(kiln_sim_work_t *old, const kiln_sim_work_t *work)
{
    kiln_sim_work_t made;
    kiln_sim_error_t error = {0};
    if (old->kind != work->kind)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "wrong node type");
    if (!kiln_sim_work_copy(&made, work, &error))
        return kiln_sim_hip_error(&error);
    kiln_sim_work_free(old);
    *old = made;
    return 0;
}

hipError_t kiln_sim_submit(hipStream_t stream, const kiln_sim_work_t *work)
{
    return kiln_sim_engine_enqueue(stream, work, KILN_SIM_QUEUED, NULL, 0, NULL);
}

hipError_t kiln_sim_submit_waiting(hipStream_t stream, const kiln_sim_work_t *work)
{
    return kiln_sim_engine_enqueue(stream, work, KILN_SIM_WAITED, NULL, 0, NULL);
}
