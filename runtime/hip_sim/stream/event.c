// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: events. A recorded event is an empty operation of its stream: it is done in its
// turn, and its time is that of the stream. hipEventElapsedTime therefore returns the simulator's
// prediction for the device, not the time that the simulation took.
//
// An event that is recorded again forgets the first recording, but calls that already wait for the
// first one continue to wait for it.
#include <stdlib.h>

#include "hip_sim/device/handle.h"
#include "hip_sim/entry.h"
#include "hip_sim/stream/engine.h"
#include "hip_sim/stream/event.h"

enum { DISABLE_TIMING = 2, INTERPROCESS = 4 };
#define KNOWN_FLAGS (7u | 0x20000000u | 0x40000000u | 0x80000000u)

struct kiln_sim_event {
    unsigned flags;
    kiln_sim_device_t *device;
    kiln_sim_operation_t *recorded;  // NULL: never recorded
    kiln_sim_capture_t capture;      // place of the recording if in a captured stream
    kiln_sim_shared_event_t *shared; // state shared with other processes, or NULL
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards the fields of events

static bool is_event(hipEvent_t event)
{
    return kiln_sim_handle_is(event, KILN_SIM_HANDLE_EVENT);
}

static hipError_t no_event(void)
{
    return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "invalid event");
}

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags)
{
    const unsigned release = flags & 0xc0000000u;
    if (!event || flags & ~KNOWN_FLAGS || release == 0xc0000000u ||
        (flags & INTERPROCESS && !(flags & DISABLE_TIMING)))
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    *event = NULL;
    struct kiln_sim_event *made = calloc(1, sizeof *made);
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    made->flags = flags;
    made->device = kiln_sim_device();
    if (flags & INTERPROCESS && !(made->shared = kiln_sim_shared_event_make())) {
        free(made);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY,
                                 "cannot share memory with other processes");
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
        return event ? kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid event") : no_event();
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

static hipError_t signal_shared(void *shared, size_t number)
{
    kiln_sim_shared_event_reach(shared, number);
    kiln_sim_shared_event_release(shared);
    return 0;
}

static hipError_t wait_shared(void *shared, size_t number)
{
    kiln_sim_shared_event_wait(shared, number);
    kiln_sim_shared_event_release(shared);
    return 0;
}

static void drop_shared(void *shared)
{
    kiln_sim_shared_event_release(shared);
}

// The operation of an event, with a reference; NULL if there is none.
static kiln_sim_operation_t *recorded_of(hipEvent_t event)
{
    pthread_mutex_lock(&lock);
    kiln_sim_operation_t *recorded = event->recorded;
    kiln_sim_operation_hold(recorded);
    pthread_mutex_unlock(&lock);
    return recorded;
}

// Prepares an operation, which is empty unless the event is shared with other processes.
static hipError_t prepare(hipEvent_t event, hipStream_t handle, kiln_sim_event_use_t use,
                          kiln_sim_operation_t **made)
{
    kiln_sim_work_t work = {.kind = KILN_SIM_WORK_EMPTY};
    if (event->shared) {
        work =
            (kiln_sim_work_t){.kind = KILN_SIM_WORK_CALL,
                              .call = {use == KILN_SIM_EVENT_RECORDED ? signal_shared : wait_shared,
                                       event->shared, 0, drop_shared}};
        kiln_sim_shared_event_hold(event->shared);
    }
    hipError_t error = kiln_sim_engine_prepare(handle, &work, KILN_SIM_QUEUED, made);
    if (error)
        kiln_sim_shared_event_release(event->shared);
    return error;
}

// If enqueuing fails, the number is marked as reached, because waiters for a shared event's number
// would otherwise wait forever.
static hipError_t commit_record(hipEvent_t event, kiln_sim_operation_t *made)
{
    kiln_sim_shared_event_t *shared = event->shared;
    const size_t number = shared ? kiln_sim_shared_event_begin(shared) : 0;
    if (shared) {
        kiln_sim_shared_event_hold(shared);
        kiln_sim_engine_number(made, number);
    }
    hipError_t error = kiln_sim_engine_commit(made, NULL, 0, &made);
    if (error && shared)
        kiln_sim_shared_event_reach(shared, number);
    kiln_sim_shared_event_release(shared);
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

static hipError_t commit_wait(hipEvent_t event, kiln_sim_operation_t *made)
{
    kiln_sim_operation_t *recorded = recorded_of(event);
    if (!recorded && !event->shared) { // nothing to wait for
        kiln_sim_operation_release(made);
        return 0;
    }
    if (event->shared)
        kiln_sim_engine_number(made, kiln_sim_shared_event_last(event->shared));
    const uint64_t stream = kiln_sim_operation_stream(made);
    hipError_t error = kiln_sim_engine_commit(made, &recorded, recorded ? 1 : 0, NULL);
    if (!error && recorded)
        kiln_sim_pool_follow(stream, kiln_sim_operation_stream(recorded), recorded);
    kiln_sim_operation_release(recorded);
    return error;
}

hipError_t kiln_sim_event_prepare(hipEvent_t event, hipStream_t handle, kiln_sim_event_use_t use,
                                  kiln_sim_operation_t **made)
{
    if (!is_event(event))
        return no_event();
    const struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    if (use == KILN_SIM_EVENT_RECORDED && stream->device != event->device)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE,
                                 "the event and the stream are on different devices");
    return prepare(event, handle, use, made);
}

hipError_t kiln_sim_event_commit(hipEvent_t event, kiln_sim_event_use_t use,
                                 kiln_sim_operation_t *made)
{
    if (is_event(event))
        return use == KILN_SIM_EVENT_RECORDED ? commit_record(event, made)
                                              : commit_wait(event, made);
    kiln_sim_operation_release(made); // a host function has destroyed it since
    return no_event();
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t handle)
{
    if (!is_event(event))
        return no_event();
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    const kiln_sim_capture_t *capture = kiln_sim_stream_capture(handle);
    if (capture) {
        pthread_mutex_lock(&lock);
        bool good = kiln_sim_capture_copy_place(&event->capture, capture);
        pthread_mutex_unlock(&lock);
        return good ? 0 : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    kiln_sim_operation_t *made;
    hipError_t error = kiln_sim_event_prepare(event, handle, KILN_SIM_EVENT_RECORDED, &made);
    return error ? error : commit_record(event, made);
}

// With flag 1, a captured stream gets a separate node for the recording.
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

static bool is_captured(hipEvent_t event)
{
    pthread_mutex_lock(&lock);
    bool captured = event->capture.graph && kiln_sim_capture_is_on(&event->capture);
    pthread_mutex_unlock(&lock);
    return captured;
}

hipError_t hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned flags)
{
    if (flags > 1)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!is_event(event))
        return no_event();
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "invalid stream");
    if (flags == 1 && kiln_sim_stream_capture(handle)) {
        const kiln_sim_work_t node = {.kind = KILN_SIM_WORK_EVENT_WAIT, .event = event};
        return kiln_sim_submit(handle, &node);
    }
    if (is_captured(event)) // waiting for an event of a captured stream joins its capture
        return kiln_sim_stream_join(stream, &event->capture);
    if (kiln_sim_stream_capture(handle)) {
        if (event->recorded)
            return kiln_sim_capture_break(stream, HIP_CAPTURE_ISOLATION);
        return 0;
    }
    kiln_sim_operation_t *recorded = recorded_of(event), *made;
    kiln_sim_operation_release(recorded);
    if (!recorded && !event->shared)
        return 0;
    hipError_t error = kiln_sim_event_prepare(event, handle, KILN_SIM_EVENT_WAITED_FOR, &made);
    return error ? error : commit_wait(event, made);
}

hipError_t hipEventSynchronize(hipEvent_t event)
{
    KILN_SIM_CALL();
    if (!is_event(event))
        return no_event();
    if (is_captured(event))
        return kiln_sim_hip_fail(HIP_CAPTURED_EVENT, NULL);
    kiln_sim_device_t *device = event->device; // a host function may destroy the event meanwhile
    kiln_sim_operation_t *recorded = recorded_of(event);
    hipError_t error = kiln_sim_operation_wait(recorded);
    kiln_sim_operation_release(recorded);
    if (error)
        return error;
    if (is_event(event) && event->shared)
        kiln_sim_shared_event_wait(event->shared, kiln_sim_shared_event_last(event->shared));
    kiln_sim_pool_wait(device);
    return kiln_sim_engine_async_error(device);
}

hipError_t hipEventQuery(hipEvent_t event)
{
    if (!is_event(event))
        return no_event();
    if (is_captured(event))
        return kiln_sim_hip_fail(HIP_CAPTURED_EVENT, NULL);
    kiln_sim_operation_t *recorded = recorded_of(event);
    bool done = kiln_sim_operation_done(recorded) &&
                (!event->shared || kiln_sim_shared_event_is(
                                       event->shared, kiln_sim_shared_event_last(event->shared)));
    kiln_sim_operation_release(recorded);
    return done ? kiln_sim_engine_async_error(event->device)
                : kiln_sim_hip_fail(HIP_NOT_READY, NULL);
}

hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t stop)
{
    if (!milliseconds)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
    if (!is_event(start) || !is_event(stop))
        return no_event();
    if (start->flags & DISABLE_TIMING || stop->flags & DISABLE_TIMING)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the event was created without timing");
    if (start->device != stop->device)
        return kiln_sim_hip_fail(HIP_INVALID_HANDLE, "the events are on different devices");
    kiln_sim_operation_t *from = recorded_of(start), *to = recorded_of(stop);
    hipError_t error = 0;
    if (!from || !to)
        error = kiln_sim_hip_fail(HIP_INVALID_HANDLE, "an event has not been recorded");
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
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                 "the event was created without hipEventInterprocess");
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
