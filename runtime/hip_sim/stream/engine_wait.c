// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host waits for work.
//
// The program's own code in a stream (host functions, callbacks, destructors of objects) may call
// the library. Work that it enqueues is queued as usual, but it cannot wait for work that is done
// only after it has returned. HIP's documentation of hipLaunchHostFunc forbids all calls there, and
// AMD's library waits forever; here such a call fails and changes nothing.
//
// If two such functions wait for each other's streams, the later one fails.
#include "hip_sim/entry.h"
#include "hip_sim/stream/activity.h"
#include "hip_sim/stream/engine_state.h"

// ---- waiting in the program's code that a stream executes

// Whether the operation can be done only after the operation that this thread is executing.
// Requires the lock.
static bool needs_caller(kiln_sim_operation_t *operation)
{
    if (!operation || operation->done || operation->seen == kiln_sim_engine.searches)
        return false;
    // The operations that precede it in its queue, and itself.
    for (kiln_sim_operation_t *at = operation->stream->first, *end = operation->next; at != end;
         at = at->next) {
        if (at->seen == kiln_sim_engine.searches)
            continue;
        at->seen = kiln_sim_engine.searches;
        for (const kiln_sim_operation_t *mine = kiln_sim_inside; mine; mine = mine->outer) {
            if (at == mine)
                return true;
        }
        if (at->begun && needs_caller(at->waits_for))
            return true;
        for (size_t i = 0; !at->begun && i < at->after_count; i++) {
            if (needs_caller(at->after[i]))
                return true;
        }
    }
    return false;
}

hipError_t kiln_sim_engine_waits_for_itself(void)
{
    return kiln_sim_hip_fail(
        HIP_ILLEGAL_STATE,
        "deadlock: the call waits for work that waits for the calling host function; do not wait "
        "inside host functions, callbacks and destructors");
}

// Waits for the operation. Requires the lock. False if it would wait forever; otherwise the
// operation is done, or the library is being unloaded.
static bool wait_until_done(kiln_sim_operation_t *operation)
{
    bool good = true;
    kiln_sim_operation_hold(operation);
    while (good && operation && !operation->done && !kiln_sim_engine.stopped) {
        kiln_sim_engine.searches += kiln_sim_inside != NULL;
        good = !kiln_sim_inside || !needs_caller(operation);
        if (kiln_sim_inside)
            kiln_sim_inside->waits_for = operation;
        if (good)
            kiln_sim_engine_wait_for(operation);
        if (kiln_sim_inside)
            kiln_sim_inside->waits_for = NULL;
    }
    kiln_sim_operation_release(operation); // its queue holds it until it is done
    return good;
}

// Likewise for an operation that would become the stream's last one. Requires the lock.
bool kiln_sim_engine_needs_caller(const struct kiln_sim_hip_stream *stream,
                                  const kiln_sim_operation_t *made)
{
    kiln_sim_engine.searches++;
    bool needs = stream->first && needs_caller(stream->last);
    for (size_t i = 0; !needs && i < made->after_count; i++)
        needs = needs_caller(made->after[i]);
    return needs;
}

hipError_t kiln_sim_engine_may_wait(const struct kiln_sim_hip_stream *stream)
{
    if (!kiln_sim_inside)
        return 0;
    const struct kiln_sim_hip_stream *const null = stream->device->null_stream;
    pthread_mutex_lock(&kiln_sim_engine.lock);
    kiln_sim_engine.searches++;
    bool good = !needs_caller(stream->last) && (stream->flags & 1 || !needs_caller(null->last));
    struct kiln_sim_hip_stream *const lists[] = {kiln_sim_engine.streams, kiln_sim_engine.ended};
    for (unsigned i = 0; i < 2 && stream == null; i++) {
        for (struct kiln_sim_hip_stream *at = lists[i]; good && at; at = at->next)
            good = at->device != stream->device || at->flags & 1 || !needs_caller(at->last);
    }
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    return good ? 0 : kiln_sim_engine_waits_for_itself();
}

// ---- waiting

kiln_sim_operation_t *kiln_sim_engine_last(struct kiln_sim_hip_stream *stream)
{
    pthread_mutex_lock(&kiln_sim_engine.lock);
    kiln_sim_operation_t *last = stream->last;
    kiln_sim_operation_hold(last);
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    return last;
}

hipError_t kiln_sim_operation_wait(kiln_sim_operation_t *operation)
{
    if (!operation)
        return 0;
    pthread_mutex_lock(&kiln_sim_engine.lock);
    const bool good = wait_until_done(operation);
    const double host_ms = kiln_sim_engine.host_ms;
    if (good && operation->end_ms > host_ms)
        kiln_sim_engine.host_ms = operation->end_ms;
    const double end_ms = kiln_sim_engine.host_ms;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    kiln_sim_activity_wait("a stream or event", host_ms, end_ms);
    return good ? 0 : kiln_sim_engine_waits_for_itself();
}

// ---- late errors: each thread receives an error once. If only the first thread that checks
// received it, another thread might have launched the kernel, and the error could be lost.

static __thread struct {
    bool is_subscribed;
    uint64_t reported;
} subscribers[KILN_SIM_MAX_DEVICES];

void kiln_sim_engine_subscribe(int device)
{
    if (!subscribers[device].is_subscribed)
        subscribers[device].reported =
            kiln_sim_engine.async_errors[device].reported; // earlier errors were reported to others
    subscribers[device].is_subscribed = true;
}

void kiln_sim_engine_record_async_error(int device, const kiln_sim_error_t *error)
{
    if (kiln_sim_engine.async_errors[device].error.code &&
        kiln_sim_engine.async_errors[device].number > kiln_sim_engine.async_errors[device].reported)
        return; // keep the first until it is reported
    kiln_sim_engine.async_errors[device].error = *error;
    kiln_sim_engine.async_errors[device].number++;
}

void kiln_sim_engine_set_async_error(kiln_sim_device_t *device, const kiln_sim_error_t *error)
{
    pthread_mutex_lock(&kiln_sim_engine.lock);
    kiln_sim_engine_record_async_error(device->ordinal, error);
    pthread_mutex_unlock(&kiln_sim_engine.lock);
}

hipError_t kiln_sim_engine_async_error(kiln_sim_device_t *device)
{
    const int ordinal = device->ordinal;
    pthread_mutex_lock(&kiln_sim_engine.lock);
    kiln_sim_engine_subscribe(ordinal);
    const uint64_t number = kiln_sim_engine.async_errors[ordinal].number;
    const kiln_sim_error_t error = kiln_sim_engine.async_errors[ordinal].error;
    const bool is_news = error.code && number > subscribers[ordinal].reported;
    if (is_news)
        subscribers[ordinal].reported = kiln_sim_engine.async_errors[ordinal].reported = number;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    return is_news ? kiln_sim_hip_error(&error) : 0;
}

void kiln_sim_engine_clear_async_error(kiln_sim_device_t *device)
{
    pthread_mutex_lock(&kiln_sim_engine.lock);
    kiln_sim_engine.async_errors[device->ordinal].error.code = 0;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
}

typedef enum which_streams { BLOCKING_STREAMS, ALL_STREAMS } which_streams_t;

// The host waits for the last operations of a device's streams.
static hipError_t wait_for_streams(kiln_sim_device_t *device, which_streams_t which)
{
    // Including streams that the program has destroyed and that still have work.
    struct kiln_sim_hip_stream **const lists[] = {&kiln_sim_engine.streams, &kiln_sim_engine.ended};
    bool good = true;
    pthread_mutex_lock(&kiln_sim_engine.lock);
    const double host_ms = kiln_sim_engine.host_ms;
    for (unsigned i = 0; i < 2; i++) {
        for (struct kiln_sim_hip_stream *at = *lists[i]; good && at;) {
            const bool counts = at->device == device && (which == ALL_STREAMS || !(at->flags & 1));
            if (counts && !kiln_sim_operation_done(at->last) && !kiln_sim_engine.stopped) {
                good = wait_until_done(at->last);
                at = *lists[i]; // any may be freed
                continue;
            }
            if (counts && at->last && at->last->end_ms > kiln_sim_engine.host_ms)
                kiln_sim_engine.host_ms = at->last->end_ms;
            at = at->next;
        }
    }
    const double end_ms = kiln_sim_engine.host_ms;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    kiln_sim_activity_wait("the device", host_ms, end_ms);
    return good ? 0 : kiln_sim_engine_waits_for_itself();
}

// The null stream is done when the streams that it waits for are.
hipError_t kiln_sim_engine_wait_stream(struct kiln_sim_hip_stream *stream)
{
    kiln_sim_device_t *device = stream->device; // a host function may destroy the stream meanwhile
    const bool is_null = stream == device->null_stream;
    kiln_sim_operation_t *last = kiln_sim_engine_last(stream);
    hipError_t error = kiln_sim_operation_wait(last);
    kiln_sim_operation_release(last);
    if (!error && is_null)
        error = wait_for_streams(device, BLOCKING_STREAMS);
    return error ? error : kiln_sim_engine_async_error(device);
}

hipError_t kiln_sim_engine_drain(kiln_sim_device_t *device)
{
    return wait_for_streams(device, ALL_STREAMS);
}

hipError_t kiln_sim_engine_wait_device(kiln_sim_device_t *device)
{
    hipError_t error = kiln_sim_engine_drain(device);
    return error ? error : kiln_sim_engine_async_error(device);
}

bool kiln_sim_engine_is_idle(struct kiln_sim_hip_stream *stream)
{
    pthread_mutex_lock(&kiln_sim_engine.lock);
    bool idle = kiln_sim_operation_done(stream->last);
    struct kiln_sim_hip_stream *const lists[] = {kiln_sim_engine.streams, kiln_sim_engine.ended};
    for (unsigned i = 0; i < 2 && stream == stream->device->null_stream; i++) {
        for (const struct kiln_sim_hip_stream *at = lists[i]; idle && at; at = at->next)
            idle =
                at->device != stream->device || at->flags & 1 || kiln_sim_operation_done(at->last);
    }
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    return idle;
}
