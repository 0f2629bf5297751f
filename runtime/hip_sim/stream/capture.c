// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: stream capture. A captured stream does not execute its work; the work becomes
// nodes of a graph, each depending on the stream's preceding work.
//
// A call that cannot be captured fails and invalidates the whole capture, but the capture's streams
// stay captured until hipStreamEndCapture.
#include "hip_sim/stream/capture.h"

#include <stdlib.h>
#include <string.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"

enum { GLOBAL = 0, THREAD_LOCAL = 1, RELAXED = 2 };       // hipStreamCaptureMode
enum { NOT_CAPTURED = 0, CAPTURED = 1, INVALIDATED = 2 }; // hipStreamCaptureStatus
enum { DEPENDENCIES_ADDED = 0, DEPENDENCIES_SET = 1 };    // hipStreamUpdateCaptureDependenciesFlags

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned captures; // number of streams under capture; atomic
static uint64_t made;     // number of captures so far
static __thread int thread_mode = GLOBAL;

// ---- places

void kiln_sim_capture_forget(kiln_sim_capture_t *capture)
{
    free(capture->last);
    *capture = (kiln_sim_capture_t){0};
}

bool kiln_sim_capture_copy_place(kiln_sim_capture_t *to, const kiln_sim_capture_t *from)
{
    struct kiln_sim_node **last = malloc((from->last_count + 1) * sizeof *last);
    if (!last)
        return false;
    if (from->last_count)
        memcpy(last, from->last, from->last_count * sizeof *last);
    free(to->last);
    *to = *from;
    to->last = last;
    return true;
}

typedef struct search {
    const struct kiln_sim_graph *graph;
    uint64_t id;
    const kiln_sim_device_t *device;
    bool strict, found;
    struct kiln_sim_hip_stream *with;
} search_t;

static bool has_id(struct kiln_sim_hip_stream *stream, void *data)
{
    search_t *search = data;
    search->found = stream->capture.graph && stream->capture.id == search->id;
    return !search->found;
}

bool kiln_sim_capture_is_on(const kiln_sim_capture_t *place)
{
    search_t search = {.id = place->id};
    if (__atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        kiln_sim_engine_each(has_id, &search);
    return search.found;
}

kiln_sim_capture_t *kiln_sim_stream_capture(hipStream_t handle)
{
    if (!__atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        return NULL;
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    return stream && stream->capture.graph ? &stream->capture : NULL;
}

static void enter(struct kiln_sim_hip_stream *stream, struct kiln_sim_graph *graph, uint64_t id)
{
    stream->capture.graph = graph;
    stream->capture.id = id;
    __atomic_fetch_add(&captures, 1, __ATOMIC_RELEASE);
}

static void leave(struct kiln_sim_hip_stream *stream)
{
    kiln_sim_capture_forget(&stream->capture);
    stream->began_capture = stream->capture_broken = false;
    __atomic_fetch_sub(&captures, 1, __ATOMIC_RELEASE);
}

static bool leave_graph(struct kiln_sim_hip_stream *stream, void *data)
{
    if (stream->capture.graph == data)
        leave(stream);
    return true;
}

void kiln_sim_stream_end_captures(const struct kiln_sim_graph *graph)
{
    if (graph && __atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        kiln_sim_engine_each(leave_graph, (void *)(uintptr_t)graph);
}

static bool is_into(struct kiln_sim_hip_stream *stream, void *data)
{
    search_t *search = data;
    search->found = stream->capture.graph == search->graph;
    return !search->found;
}

bool kiln_sim_stream_captures_into(const struct kiln_sim_graph *graph)
{
    search_t search = {.graph = graph};
    if (__atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        kiln_sim_engine_each(is_into, &search);
    return search.found;
}

// A program may capture to one graph several times at once, so a capture is identified by its
// number.
static bool leave_capture(struct kiln_sim_hip_stream *stream, void *data)
{
    const uint64_t *id = data;
    if (stream->capture.graph && stream->capture.id == *id)
        leave(stream);
    return true;
}

static void end_capture(uint64_t id)
{
    kiln_sim_engine_each(leave_capture, &id);
}

void kiln_sim_stream_leave_capture(struct kiln_sim_hip_stream *stream)
{
    struct kiln_sim_graph *graph = stream->capture.graph;
    const bool began = stream->began_capture, is_given = stream->captures_into_given;
    if (!graph)
        return;
    if (!began) {
        leave(stream);
        return;
    }
    end_capture(stream->capture.id);
    if (!is_given)
        kiln_sim_graph_free(graph);
}

// ---- calls that a capture forbids

static bool break_capture(struct kiln_sim_hip_stream *stream, void *data)
{
    const uint64_t *id = data;
    if (stream->capture.graph && stream->capture.id == *id)
        stream->capture_broken = true;
    return true;
}

hipError_t kiln_sim_capture_break(struct kiln_sim_hip_stream *stream, hipError_t error)
{
    kiln_sim_engine_each(break_capture, &stream->capture.id);
    return kiln_sim_hip_fail(error, NULL);
}

hipError_t kiln_sim_capture_refuses(struct kiln_sim_hip_stream *stream)
{
    if (!__atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        return 0;
    if (stream->capture.graph)
        return kiln_sim_capture_break(stream, HIP_CAPTURE_UNSUPPORTED);
    return stream == stream->device->null_stream && kiln_sim_capture_forbids(stream->device)
               ? kiln_sim_hip_fail(HIP_CAPTURE_IMPLICIT, NULL)
               : 0;
}

static bool waits_for_null(struct kiln_sim_hip_stream *stream, void *data)
{
    search_t *search = data;
    search->found =
        stream->capture.graph && stream->device == search->device && !(stream->flags & 1);
    if (search->found)
        search->with = stream;
    return !search->found;
}

// Whether the null stream would have to wait for a captured one. If so, the capture is invalidated.
bool kiln_sim_capture_forbids(const kiln_sim_device_t *device)
{
    search_t search = {.device = device};
    if (!__atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        return false;
    kiln_sim_engine_each(waits_for_null, &search);
    if (search.found)
        kiln_sim_engine_each(break_capture, &search.with->capture.id);
    return search.found;
}

static bool is_strict(struct kiln_sim_hip_stream *stream, void *data)
{
    search_t *search = data;
    const bool mine = pthread_equal(stream->capturer, pthread_self());
    const int mode = stream->capture_mode > thread_mode ? stream->capture_mode : thread_mode;
    search->found = stream->began_capture && (mode == GLOBAL || (mode == THREAD_LOCAL && mine));
    if (search->found)
        search->with = stream;
    return !search->found;
}

hipError_t kiln_sim_capture_unsafe(void)
{
    search_t search = {0};
    if (!__atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        return 0;
    kiln_sim_engine_each(is_strict, &search);
    return search.found ? kiln_sim_capture_break(search.with, HIP_CAPTURE_UNSUPPORTED) : 0;
}

static bool is_captured(struct kiln_sim_hip_stream *stream, void *data)
{
    search_t *search = data;
    search->found = search->found || stream->began_capture;
    stream->capture_broken = stream->capture_broken || stream->capture.graph;
    return true;
}

hipError_t kiln_sim_capture_implicit(void)
{
    search_t search = {0};
    if (__atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        kiln_sim_engine_each(is_captured, &search);
    return search.found ? kiln_sim_hip_fail(HIP_CAPTURE_IMPLICIT, NULL) : 0;
}

static bool is_captured_on(struct kiln_sim_hip_stream *stream, void *data)
{
    search_t *search = data;
    search->found = stream->capture.graph && stream->device == search->device;
    if (search->found)
        search->with = stream;
    return !search->found;
}

hipError_t kiln_sim_capture_unsafe_device(const kiln_sim_device_t *device)
{
    search_t search = {.device = device};
    if (!__atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        return 0;
    kiln_sim_engine_each(is_captured_on, &search);
    return search.found ? kiln_sim_capture_break(search.with, HIP_CAPTURE_UNSUPPORTED) : 0;
}

// ---- joining a capture

hipError_t kiln_sim_stream_join(struct kiln_sim_hip_stream *stream, const kiln_sim_capture_t *place)
{
    if (stream->capture.graph)
        return stream->capture.id == place->id ? kiln_sim_capture_join(&stream->capture, place)
                                               : kiln_sim_capture_break(stream, HIP_CAPTURE_MERGE);
    if (stream == stream->device->null_stream)
        return kiln_sim_hip_fail(HIP_CAPTURE_IMPLICIT, NULL);
    if (!kiln_sim_capture_copy_place(
            &stream->capture, &(kiln_sim_capture_t){NULL, place->last, place->last_count, 0}))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    pthread_mutex_lock(&lock);
    enter(stream, place->graph, place->id);
    pthread_mutex_unlock(&lock);
    return 0;
}

// ---- entry points

static hipError_t begin(hipStream_t handle, hipGraph_t graph, const hipGraphNode_t *after,
                        size_t count, int mode)
{
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    if (mode < GLOBAL || mode > RELAXED)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (stream == stream->device->null_stream)
        return kiln_sim_hip_fail(HIP_CAPTURE_UNSUPPORTED, "the null stream cannot be captured");
    if (stream->capture.graph)
        return kiln_sim_hip_fail(HIP_ILLEGAL_STATE, "the stream is already being captured");
    struct kiln_sim_graph *into = graph ? graph : kiln_sim_graph_new();
    if (!into)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    const kiln_sim_capture_t place = {NULL, (struct kiln_sim_node **)(uintptr_t)after, count, 0};
    if (count && !kiln_sim_capture_copy_place(&stream->capture, &place))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY,
                                 NULL); // only with a graph of the program
    pthread_mutex_lock(&lock);
    stream->began_capture = true;
    stream->capture_mode = mode;
    stream->captures_into_given = graph != NULL;
    stream->captured_before = graph ? kiln_sim_graph_count(graph) : 0;
    stream->capturer = pthread_self();
    enter(stream, into, ++made);
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
    return begin(stream, NULL, NULL, 0, mode);
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph,
                                        const hipGraphNode_t *after, const hipGraphEdgeData *edges,
                                        size_t count, hipStreamCaptureMode mode)
{
    (void)edges;
    if (!kiln_sim_graph_is(graph) || (count && !after))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!kiln_sim_graph_has(graph, after[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                     "a dependency is not a node of this graph");
        for (size_t k = 0; k < i; k++) {
            if (after[k] == after[i])
                return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "duplicate dependency");
        }
    }
    return begin(stream, graph, after, count, mode);
}

hipError_t hipStreamEndCapture(hipStream_t handle, hipGraph_t *graph)
{
    if (!graph)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    if (!stream->capture.graph)
        return kiln_sim_hip_fail(HIP_ILLEGAL_STATE, "the stream is not being captured");
    if (!stream->began_capture)
        return kiln_sim_hip_fail(HIP_CAPTURE_UNMATCHED, "the capture began on another stream");
    if (stream->capture_mode != RELAXED && !pthread_equal(stream->capturer, pthread_self()))
        return kiln_sim_hip_fail(HIP_CAPTURE_WRONG_THREAD, NULL);
    hipError_t error = stream->capture_broken ? HIP_CAPTURE_INVALIDATED
                       : !kiln_sim_graph_is_joined(&stream->capture, stream->captured_before)
                           ? HIP_CAPTURE_UNJOINED
                           : 0;
    hipGraph_t captured = stream->capture.graph;
    const bool into_given = stream->captures_into_given;
    end_capture(stream->capture.id);
    *graph = error ? NULL : captured;
    if (error && !into_given)
        kiln_sim_graph_free(captured);
    return error ? kiln_sim_hip_fail(error, NULL) : 0;
}

hipError_t hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus *status)
{
    if (!status)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    search_t search = {.device = stream->device};
    if (stream == stream->device->null_stream && __atomic_load_n(&captures, __ATOMIC_ACQUIRE))
        kiln_sim_engine_each(waits_for_null, &search);
    if (search.found) // a query does not invalidate the capture
        return kiln_sim_hip_fail(HIP_CAPTURE_IMPLICIT, NULL);
    *status = !stream->capture.graph   ? NOT_CAPTURED
              : stream->capture_broken ? INVALIDATED
                                       : CAPTURED;
    return 0;
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                                   unsigned long long *id)
{
    hipError_t error = hipStreamIsCapturing(stream, status);
    if (!error && id && *status == CAPTURED)
        *id = kiln_sim_stream_capture(stream)->id;
    return error;
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status,
                                      unsigned long long *id, hipGraph_t *graph,
                                      const hipGraphNode_t **after, size_t *after_count)
{
    hipError_t error = hipStreamGetCaptureInfo(stream, status, id);
    const kiln_sim_capture_t *capture =
        error || *status != CAPTURED ? NULL : kiln_sim_stream_capture(stream);
    if (capture && graph)
        *graph = capture->graph;
    if (capture && after)
        *after = capture->last;
    if (capture && after_count)
        *after_count = capture->last_count;
    return error;
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t handle, hipGraphNode_t *nodes,
                                              size_t count, unsigned flags)
{
    kiln_sim_capture_t *capture = kiln_sim_stream_capture(handle);
    if (!kiln_sim_stream_find(handle))
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    if (!capture)
        return kiln_sim_hip_fail(HIP_ILLEGAL_STATE, "the stream is not being captured");
    if ((count && !nodes) || flags > DEPENDENCIES_SET)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    for (size_t i = 0; i < count; i++) {
        if (!kiln_sim_graph_has(capture->graph, nodes[i]))
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "not a node of the captured graph");
    }
    const kiln_sim_capture_t more = {capture->graph, nodes, count, capture->id};
    return flags == DEPENDENCIES_SET ? kiln_sim_capture_set(capture, &more)
                                     : kiln_sim_capture_join(capture, &more);
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode)
{
    if (!mode || *mode < GLOBAL || *mode > RELAXED)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    const int old = thread_mode;
    thread_mode = *mode;
    *mode = old;
    return 0;
}
