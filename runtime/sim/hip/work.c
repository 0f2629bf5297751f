// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work of streams and graphs: copied with what it points to, done, or put down where its stream is being captured.
#include <stdlib.h>
#include <string.h>

#include "hip/entry.h"
#include "hip/graph.h"

// The explicit arguments as one block, laid out as the metadata says.
static uint8_t *pack_arguments(const kiln_sim_dispatch_t *dispatch, size_t *size)
{
    const kiln_sim_kernel_t *kernel = dispatch->kernel;
    if (kernel->kernarg_bytes > 1u << 20)
        return NULL;
    *size = kernel->kernarg_bytes;
    uint8_t *packed = calloc(1, *size + 1);
    size_t param = 0;
    for (size_t i = 0; packed && !dispatch->packed && i < kernel->arg_count; i++) {
        const kiln_sim_arg_t *arg = &kernel->args[i];
        if (arg->kind != KILN_SIM_ARG_EXPLICIT)
            continue;
        if (arg->offset > *size || *size - arg->offset < arg->size || !dispatch->params || !dispatch->params[param]) {
            free(packed);
            return NULL;
        }
        memcpy(packed + arg->offset, dispatch->params[param++], arg->size);
    }
    if (packed && dispatch->packed)
        memcpy(packed, dispatch->packed, dispatch->packed_size < *size ? dispatch->packed_size : *size);
    return packed;
}

void kiln_sim_work_free(kiln_sim_work_t *work)
{
    if (work->kind == KILN_SIM_WORK_KERNEL)
        free((void *)(uintptr_t)work->kernel.packed);
    else if (work->kind == KILN_SIM_WORK_GRAPH)
        kiln_sim_graph_free(work->graph);
}

bool kiln_sim_work_copy(kiln_sim_work_t *to, const kiln_sim_work_t *from)
{
    *to = *from;
    if (from->kind == KILN_SIM_WORK_KERNEL) {
        to->kernel.packed = pack_arguments(&from->kernel, &to->kernel.packed_size);
        to->kernel.params = NULL;
        return to->kernel.packed;
    }
    if (from->kind == KILN_SIM_WORK_GRAPH)
        return (to->graph = kiln_sim_graph_copy(from->graph));
    return true;
}

hipError_t kiln_sim_work_run(const kiln_sim_work_t *work)
{
    switch (work->kind) {
    case KILN_SIM_WORK_KERNEL:
        return kiln_sim_dispatch(&work->kernel);
    case KILN_SIM_WORK_COPY:
        return kiln_sim_copy_box(&work->copy);
    case KILN_SIM_WORK_FILL:
        return kiln_sim_fill_box(&work->fill);
    case KILN_SIM_WORK_HOST:
        work->host.function(work->host.data);
        return 0;
    case KILN_SIM_WORK_GRAPH:
        return kiln_sim_graph_run(work->graph);
    case KILN_SIM_WORK_EVENT_RECORD:
        return hipEventRecord(work->event, NULL);
    case KILN_SIM_WORK_EVENT_WAIT:
    case KILN_SIM_WORK_EMPTY:
        break;
    }
    return 0;
}

hipError_t kiln_sim_work_replace(kiln_sim_work_t *old, const kiln_sim_work_t *work)
{
    kiln_sim_work_t made;
    if (old->kind != work->kind || !kiln_sim_work_copy(&made, work))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    kiln_sim_work_free(old);
    *old = made;
    return 0;
}

hipError_t kiln_sim_submit(hipStream_t stream, const kiln_sim_work_t *work)
{
    kiln_sim_capture_t *capture = kiln_sim_stream_capture(stream);
    return capture ? kiln_sim_capture_work(capture, work) : kiln_sim_work_run(work);
}
