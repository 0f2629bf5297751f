// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: events. A recorded event is an operation of its stream that does nothing: it is done when its turn has come, and its
// time is that of the stream then. hipEventElapsedTime therefore answers with the simulator's prediction of a device, not with the time
// that simulating took.
//
// What a reader gets wrong: an event that was recorded again no longer knows of the first time, but whoever waits for that goes on waiting for it.
#include <stdlib.h>

#include "hip/engine.h"
#include "hip/entry.h"
#include "hip/event.h"
#include "hip/handle.h"

enum { DISABLE_TIMING = 2, INTERPROCESS = 4 };
#define KNOWN_FLAGS (7u | 0x20000000u | 0x40000000u | 0x80000000u)

struct kiln_sim_event {
    unsigned flags;
    kiln_sim_device_t *device;
    kiln_sim_operation_t *recorded;  // NULL: never
    kiln_sim_capture_t capture;      // where it was recorded, if in a captured stream
    kiln_sim_shared_event_t *shared; // with other processes, or NULL
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of what events know

static bool is_event(hipEvent_t event)
{
    return kiln_sim_handle_is(event, KILN_SIM_HANDLE_EVENT);
}

static hipError_t no_event(void)
{
    return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "that is no event");
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags)
{
    const unsigned release = flags & 0xc0000000u;
    if (!event || flags & ~KNOWN_FLAGS || release == 0xc0000000u || (flags & INTERPROCESS && !(flags & DISABLE_TIMING)))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *event = NULL;
    struct kiln_sim_event *made = calloc(1, sizeof *made);
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    made->flags = flags;
    made->device = kiln_sim_device();
    if (flags & INTERPROCESS && !(made->shared = kiln_sim_shared_event_make())) {
        free(made);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "no memory can be shared with other processes");
    }
    if (!kiln_sim_handle_add(made, KILN_SIM_HANDLE_EVENT)) {
        kiln_sim_shared_event_release(made->shared);
        free(made);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    *event = made;
    return 0;
}

hipError_t hipEventCreate(hipEvent_t *event)
{
    return hipEventCreateWithFlags(event, 0);
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    if (!is_event(event))
        return event ? kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "that is no event") : no_event();
    kiln_sim_handle_drop(event, KILN_SIM_HANDLE_EVENT);
    pthread_mutex_lock(&lock);
    kiln_sim_operation_t *recorded = event->recorded;
    pthread_mutex_unlock(&lock);
    kiln_sim_operation_release(recorded);
    kiln_sim_shared_event_release(event->shared);
    free(event->capture.last);
    free(event);
    return 0;
}

// ---- recording

static hipError_t tell_shared(void *shared, size_t number)
{
    kiln_sim_shared_event_reach(shared, number);
    kiln_sim_shared_event_release(shared);
    return 0;
}

// Gives a stream such an operation, or an empty one where nobody shares the event.
static hipError_t give(hipEvent_t event, hipStream_t handle, hipError_t (*function)(void *, size_t), size_t number,
                       kiln_sim_operation_t *after, kiln_sim_operation_t **made)
{
    kiln_sim_work_t work = {.kind = KILN_SIM_WORK_EMPTY};
    if (event->shared) {
        work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_CALL, .call = {function, event->shared, number}};
        kiln_sim_shared_event_hold(event->shared);
    }
    hipError_t error = kiln_sim_engine_give(handle, &work, KILN_SIM_QUEUED, &after, after ? 1 : 0, made);
    if (error && event->shared)
        kiln_sim_shared_event_release(event->shared);
    return error;
}

static hipError_t record(hipEvent_t event, hipStream_t handle)
{
    kiln_sim_operation_t *made;
    const size_t number = event->shared ? kiln_sim_shared_event_begin(event->shared) : 0;
    hipError_t error = give(event, handle, tell_shared, number, NULL, &made);
    if (error)
        return error;
    pthread_mutex_lock(&lock);
    kiln_sim_operation_t *old = event->recorded;
    event->recorded = made;
    kiln_sim_capture_forget(&event->capture);
    pthread_mutex_unlock(&lock);
    kiln_sim_operation_release(old);
    return 0;
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t handle)
{
    if (!is_event(event))
        return no_event();
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "there is no such stream");
    const kiln_sim_capture_t *capture = kiln_sim_stream_capture(handle);
    if (capture) {
        pthread_mutex_lock(&lock);
        bool good = kiln_sim_capture_copy_place(&event->capture, capture);
        pthread_mutex_unlock(&lock);
        return good ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    if (stream->device != event->device)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the event is of another device than the stream");
    return record(event, handle);
}

// Flag 1 asks for a node of its own in a captured stream.
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned flags)
{
    if (flags > 1)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!is_event(event))
        return no_event();
    if (flags == 1 && kiln_sim_stream_capture(stream)) {
        const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_EVENT_RECORD, .event = event};
        return kiln_sim_submit(stream, &work);
    }
    return hipEventRecord(event, stream);
}

// ---- waiting

// The operation behind an event, held; NULL where there is none.
static kiln_sim_operation_t *recorded_of(hipEvent_t event)
{
    pthread_mutex_lock(&lock);
    kiln_sim_operation_t *recorded = event->recorded;
    kiln_sim_operation_hold(recorded);
    pthread_mutex_unlock(&lock);
    return recorded;
}

static bool is_captured(hipEvent_t event)
{
    pthread_mutex_lock(&lock);
    bool captured = event->capture.graph && kiln_sim_capture_is_on(&event->capture);
    pthread_mutex_unlock(&lock);
    return captured;
}

static hipError_t wait_shared(void *shared, size_t number)
{
    kiln_sim_shared_event_wait(shared, number);
    kiln_sim_shared_event_release(shared);
    return 0;
}

hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned flags)
{
    if (flags > 1)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!is_event(event))
        return no_event();
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "there is no such stream");
    if (flags == 1 && kiln_sim_stream_capture(handle)) {
        const kiln_sim_work_t node = {.kind = KILN_SIM_WORK_EVENT_WAIT, .event = event};
        return kiln_sim_submit(handle, &node);
    }
    if (is_captured(event)) // by an event of a captured stream another stream joins the capture
        return kiln_sim_stream_join(stream, &event->capture);
    if (kiln_sim_stream_capture(handle)) {
        if (event->recorded)
            return kiln_sim_capture_break(stream, HIP_CAPTURE_ISOLATION);
        return 0;
    }
    kiln_sim_operation_t *recorded = recorded_of(event);
    const size_t number = event->shared ? kiln_sim_shared_event_last(event->shared) : 0;
    hipError_t error = recorded || event->shared ? give(event, handle, wait_shared, number, recorded, NULL) : 0;
    if (!error && recorded)
        kiln_sim_pool_follow(stream->id, kiln_sim_operation_stream(recorded), recorded);
    kiln_sim_operation_release(recorded);
    return error;
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    if (!is_event(event))
        return no_event();
    if (is_captured(event))
        return kiln_sim_hip_fail(HIP_CAPTURED_EVENT, NULL);
    if (event->shared)
        kiln_sim_shared_event_wait(event->shared, kiln_sim_shared_event_last(event->shared));
    kiln_sim_operation_t *recorded = recorded_of(event);
    kiln_sim_operation_wait(recorded);
    kiln_sim_operation_release(recorded);
    kiln_sim_pool_wait(event->device);
    return kiln_sim_engine_late(event->device);
}

hipError_t hipEventQuery(hipEvent_t event)
{
    if (!is_event(event))
        return no_event();
    if (is_captured(event))
        return kiln_sim_hip_fail(HIP_CAPTURED_EVENT, NULL);
    kiln_sim_operation_t *recorded = recorded_of(event);
    bool done = kiln_sim_operation_done(recorded) &&
                (!event->shared || kiln_sim_shared_event_is(event->shared, kiln_sim_shared_event_last(event->shared)));
    kiln_sim_operation_release(recorded);
    return done ? kiln_sim_engine_late(event->device) : kiln_sim_hip_fail(HIP_NOT_READY, NULL);
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop)
{
    if (!milliseconds)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!is_event(start) || !is_event(stop))
        return no_event();
    if (start->flags & DISABLE_TIMING || stop->flags & DISABLE_TIMING)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the event was made without timing");
    if (start->device != stop->device)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the events are of two devices");
    kiln_sim_operation_t *from = recorded_of(start), *to = recorded_of(stop);
    hipError_t error = 0;
    if (!from || !to)
        error = kiln_sim_hip_fail(HIP_INVALID_HANDLE, "an event was not recorded");
    else if (!kiln_sim_operation_done(from) || !kiln_sim_operation_done(to))
        error = kiln_sim_hip_fail(HIP_NOT_READY, NULL);
    else
        *milliseconds = (float)(kiln_sim_operation_end_ms(to) - kiln_sim_operation_end_ms(from));
    kiln_sim_operation_release(from);
    kiln_sim_operation_release(to);
    return error;
}

// ---- other processes

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event)
{
    if (!handle || !is_event(event))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!event->shared)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the event was made without hipEventInterprocess");
    kiln_sim_shared_event_name(event->shared, handle);
    return 0;
}

hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle)
{
    if (!event)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    kiln_sim_shared_event_t *shared = NULL;
    hipError_t error = kiln_sim_shared_event_open(&handle, &shared);
    if (error)
        return error;
    error = hipEventCreateWithFlags(event, DISABLE_TIMING);
    if (error)
        kiln_sim_shared_event_release(shared);
    else
        (*event)->shared = shared;
    return error;
}
