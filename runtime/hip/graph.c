// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: work captured from a stream and instantiated so that it can be launched as one unit.
//
// A capture continues until it is ended, even after one of its calls failed. Every path therefore
// ends it, which also returns the stream to normal operation.
#include <stdlib.h>

#include "base/require.h"
#include "hip/device.h"

// hipStreamCaptureModeThreadLocal: calls of other threads do not affect the capture.
enum { CAPTURE_MODE_THREAD_LOCAL = 1 };

struct kiln_graph {
    kiln_device_t *device;
    void *handle; // the hipGraphExec_t
    size_t node_count;
};

static kiln_status_t require_graphs(const kiln_hip_t *hip)
{
    if (hip->hipStreamBeginCapture && hip->hipStreamEndCapture && hip->hipGraphGetNodes &&
        hip->hipGraphInstantiate && hip->hipGraphLaunch && hip->hipGraphExecDestroy &&
        hip->hipGraphDestroy)
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                            "the HIP library '%s' does not support stream capture", hip->path);
}

kiln_status_t kiln_graph_begin(kiln_stream_t *stream)
{
    KILN_REQUIRE(stream);
    kiln_device_t *device = kiln_stream_device(stream);
    KILN_TRY(require_graphs(&device->hip));
    KILN_HIP_TRY(device, hipStreamBeginCapture,
                 (kiln_stream_handle(stream), CAPTURE_MODE_THREAD_LOCAL));
    return KILN_OK;
}

// Instantiates the captured graph and destroys the captured form, which is no longer needed.
static kiln_status_t instantiate(kiln_device_t *device, void *captured, kiln_graph_t *graph)
{
    KILN_HIP_TRY(device, hipGraphGetNodes, (captured, NULL, &graph->node_count));
    KILN_HIP_TRY(device, hipGraphInstantiate, (&graph->handle, captured, NULL, NULL, 0));
    return KILN_OK;
}

kiln_status_t kiln_graph_end(kiln_stream_t *stream, kiln_graph_t **out_graph)
{
    KILN_REQUIRE_OUT(out_graph);
    KILN_REQUIRE(stream);
    kiln_device_t *device = kiln_stream_device(stream);
    KILN_TRY(require_graphs(&device->hip));
    void *captured = NULL;
    KILN_HIP_TRY(device, hipStreamEndCapture, (kiln_stream_handle(stream), &captured));
    kiln_graph_t *graph = malloc(sizeof *graph);
    kiln_status_t status = graph ? KILN_OK : kiln_status_out_of_memory();
    if (graph) {
        *graph = (kiln_graph_t){kiln_device_retain(device), NULL, 0};
        status = instantiate(device, captured, graph);
    }
    KILN_HIP_IGNORE(device, hipGraphDestroy, (captured));
    if (status)
        kiln_graph_release(graph);
    else
        *out_graph = graph;
    return status;
}

void kiln_graph_release(kiln_graph_t *graph)
{
    if (!graph)
        return;
    if (graph->handle)
        KILN_HIP_IGNORE(graph->device, hipGraphExecDestroy, (graph->handle));
    kiln_device_release(graph->device);
    free(graph);
}

size_t kiln_graph_node_count(const kiln_graph_t *graph)
{
    return graph ? graph->node_count : 0;
}

void *kiln_graph_native(const kiln_graph_t *graph)
{
    return graph ? graph->handle : NULL;
}

kiln_status_t kiln_graph_launch(const kiln_graph_t *graph, kiln_stream_t *stream)
{
    KILN_REQUIRE(graph);
    KILN_HIP_TRY(graph->device, hipGraphLaunch, (graph->handle, kiln_stream_handle(stream)));
    return KILN_OK;
}
