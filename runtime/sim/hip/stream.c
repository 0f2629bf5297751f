// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: streams and events.
//
// Every call has finished its work when it returns, so there is nothing to wait for. An event holds a point in
// simulated time: the sum of the estimated cycles of all launches until then, at the engine clock. hipEventElapsedTime
// therefore answers with the simulator's estimate of a real MI300X, not with the time that simulating took.
//
// What a reader gets wrong: simulated time stands still between launches; copies take none. And a stream that is being
// captured (hip/graph.c) does nothing at all; its work is put down.
#include <stdlib.h>

#include "hip/entry.h"
#include "hip/graph.h"

struct kiln_sim_stream {
    unsigned flags;
    int priority;
    kiln_sim_capture_t capture;
    bool began_capture;
    struct kiln_sim_stream *next; // list of all
};

struct kiln_sim_event {
    double at_ms;
    bool recorded;
    kiln_sim_capture_t capture; // where it was recorded, if in a captured stream
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kiln_sim_stream *streams;

static bool is_handle(hipStream_t stream)
{
    return (uintptr_t)stream > 2; // 0 is the null stream, 1 and 2 hipStreamLegacy and hipStreamPerThread
}

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned flags, int priority)
{
    if (!stream)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *stream = malloc(sizeof **stream);
    if (!*stream)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    pthread_mutex_lock(&lock);
    **stream = (struct kiln_sim_stream){.flags = flags, .priority = priority, .next = streams};
    streams = *stream;
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned flags)
{
    return hipStreamCreateWithPriority(stream, flags, 0);
}

hipError_t hipStreamCreate(hipStream_t *stream)
{
    return hipStreamCreateWithPriority(stream, 0, 0);
}

hipError_t hipStreamDestroy(hipStream_t stream)
{
    if (!is_handle(stream))
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    pthread_mutex_lock(&lock);
    for (struct kiln_sim_stream **at = &streams; *at; at = &(*at)->next) {
        if (*at == stream) {
            *at = stream->next;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    free(stream);
    return 0;
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    return kiln_sim_stream_capture(stream) ? kiln_sim_hip_fail(HIP_CAPTURE_UNSUPPORTED, NULL)
                                           : kiln_sim_hip_take_late();
}

hipError_t hipStreamQuery(hipStream_t stream)
{
    return hipStreamSynchronize(stream);
}

// By an event of a captured stream another stream joins the capture.
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags)
{
    (void)flags;
    if (!event)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    if (event->capture.graph && is_handle(stream))
        return kiln_sim_capture_join(&stream->capture, &event->capture);
    return 0;
}

// ---- capture

kiln_sim_capture_t *kiln_sim_stream_capture(hipStream_t stream)
{
    return is_handle(stream) && stream->capture.graph ? &stream->capture : NULL;
}

void kiln_sim_stream_end_captures(const struct kiln_sim_graph *graph)
{
    pthread_mutex_lock(&lock);
    for (struct kiln_sim_stream *at = streams; at; at = at->next) {
        if (at->capture.graph == graph) {
            at->capture = (kiln_sim_capture_t){0};
            at->began_capture = false;
        }
    }
    pthread_mutex_unlock(&lock);
}

hipError_t hipStreamBeginCapture(hipStream_t stream, int mode)
{
    (void)mode;
    if (!is_handle(stream))
        return kiln_sim_hip_fail(HIP_CAPTURE_UNSUPPORTED, "the null stream cannot be captured");
    if (stream->capture.graph)
        return kiln_sim_hip_fail(HIP_ILLEGAL_STATE, "the stream is being captured already");
    stream->capture.graph = kiln_sim_graph_new();
    stream->began_capture = stream->capture.graph;
    return stream->began_capture ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph)
{
    if (!graph || !kiln_sim_stream_capture(stream))
        return kiln_sim_hip_fail(graph ? HIP_ILLEGAL_STATE : KILN_SIM_INVALID_VALUE,
                                 "the stream is not being captured");
    if (!stream->began_capture)
        return kiln_sim_hip_fail(HIP_CAPTURE_UNMATCHED, "the capture began in another stream");
    *graph = stream->capture.graph;
    kiln_sim_stream_end_captures(*graph);
    return 0;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, int *status)
{
    if (!status)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *status = kiln_sim_stream_capture(stream) ? 1 : 0;
    return 0;
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, int *status, unsigned long long *id)
{
    hipError_t error = hipStreamIsCapturing(stream, status);
    if (!error && id)
        *id = *status ? (unsigned long long)(uintptr_t)stream->capture.graph : 0;
    return error;
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, int *status, unsigned long long *id, hipGraph_t *graph,
                                      const hipGraphNode_t **after, size_t *after_count)
{
    hipError_t error = hipStreamGetCaptureInfo(stream, status, id);
    kiln_sim_capture_t *capture = error ? NULL : kiln_sim_stream_capture(stream);
    if (graph)
        *graph = capture ? capture->graph : NULL;
    if (after)
        *after = capture ? &capture->last : NULL;
    if (after_count)
        *after_count = capture && capture->last ? 1 : 0;
    return error;
}

// All modes are the same: nothing here is unsafe while a stream is captured.
hipError_t hipThreadExchangeStreamCaptureMode(int *mode)
{
    return mode ? 0 : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

// ---- what a stream is

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned *flags)
{
    if (!flags)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *flags = is_handle(stream) ? stream->flags : 0;
    return 0;
}

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority)
{
    if (!priority)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *priority = is_handle(stream) ? stream->priority : 0;
    return 0;
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device)
{
    (void)stream;
    return hipGetDevice(device);
}

hipError_t hipStreamAddCallback(hipStream_t stream, void (*callback)(hipStream_t, hipError_t, void *), void *data,
                                unsigned flags)
{
    (void)flags;
    if (!callback)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    callback(stream, 0, data);
    return 0;
}

hipError_t hipLaunchHostFunc(hipStream_t stream, void (*function)(void *), void *data)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_HOST, .host = {function, data}};
    return function ? kiln_sim_submit(stream, &work) : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t words, const uint32_t *mask)
{
    return words && mask ? hipStreamCreate(stream) : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

// ---- events

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags)
{
    (void)flags;
    if (!event)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *event = calloc(1, sizeof **event);
    return *event ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
}

hipError_t hipEventCreate(hipEvent_t *event)
{
    return hipEventCreateWithFlags(event, 0);
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    if (!event)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    free(event);
    return 0;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    if (!event)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
    const kiln_sim_capture_t *capture = kiln_sim_stream_capture(stream);
    event->capture = capture ? *capture : (kiln_sim_capture_t){0};
    if (capture)
        return 0;
    kiln_sim_device_t *device = kiln_sim_device_lock();
    event->at_ms = device->clock_ms;
    event->recorded = true;
    kiln_sim_device_unlock(device);
    return 0;
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags)
{
    (void)flags;
    return hipEventRecord(event, stream);
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    return event ? kiln_sim_hip_take_late() : kiln_sim_hip_fail(HIP_INVALID_HANDLE, NULL);
}

hipError_t hipEventQuery(hipEvent_t event)
{
    return hipEventSynchronize(event);
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop)
{
    if (!milliseconds || !start || !stop)
        return kiln_sim_hip_fail(milliseconds ? HIP_INVALID_HANDLE : KILN_SIM_INVALID_VALUE, NULL);
    if (!start->recorded || !stop->recorded)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "an event was not recorded");
    *milliseconds = (float)(stop->at_ms - start->at_ms);
    return 0;
}
