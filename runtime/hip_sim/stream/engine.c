// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queues of operations, how work is enqueued, and the threads that execute it.
//
// An operation stays at the head of its queue while it is executed, so that the stream counts as
// busy. Waiters are woken only after it has been removed and its time is known.
#include "base/array.h"
#include "hip_sim/stream/engine_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/activity.h"

struct kiln_sim_engine kiln_sim_engine = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                          .done = PTHREAD_COND_INITIALIZER};

static __thread double taken_ms;
__thread kiln_sim_operation_t *kiln_sim_inside;
__thread bool kiln_sim_stream_per_thread;

void kiln_sim_engine_takes(double ms)
{
    taken_ms += ms;
}

double kiln_sim_engine_taken(void)
{
    return taken_ms;
}

void kiln_sim_engine_set_taken(double ms)
{
    taken_ms = ms;
}

// ---- operations

void kiln_sim_operation_hold(kiln_sim_operation_t *operation)
{
    if (operation)
        __atomic_fetch_add(&operation->references, 1, __ATOMIC_RELAXED);
}

void kiln_sim_operation_release(kiln_sim_operation_t *operation)
{
    if (!operation || __atomic_sub_fetch(&operation->references, 1, __ATOMIC_ACQ_REL))
        return;
    for (size_t i = 0; i < operation->after_count; i++)
        kiln_sim_operation_release(operation->after[i]);
    free(operation->after);
    if (!operation->begun && operation->work.kind == KILN_SIM_WORK_CALL &&
        operation->work.call.drop)
        operation->work.call.drop(operation->work.call.data);
    if (!operation->borrows)
        kiln_sim_work_free(&operation->work);
    kiln_sim_hip_overrides_release(operation->overrides);
    free(operation);
}

bool kiln_sim_operation_done(const kiln_sim_operation_t *operation)
{
    return !operation || __atomic_load_n(&operation->done, __ATOMIC_ACQUIRE);
}

bool kiln_sim_operation_is_after(const kiln_sim_operation_t *operation,
                                 const kiln_sim_operation_t *other)
{
    return operation && other && operation->stream_id == other->stream_id &&
           operation->number > other->number;
}

uint64_t kiln_sim_operation_stream(const kiln_sim_operation_t *operation)
{
    return operation ? operation->stream_id : 0;
}

double kiln_sim_operation_end_ms(const kiln_sim_operation_t *operation)
{
    return operation->end_ms;
}

static bool is_ready(const kiln_sim_operation_t *operation)
{
    for (size_t i = 0; i < operation->after_count; i++) {
        if (!kiln_sim_operation_done(operation->after[i]))
            return false;
    }
    return true;
}

// Requires the lock.
void kiln_sim_engine_wait_done(void)
{
    pthread_cond_wait(&kiln_sim_engine.done, &kiln_sim_engine.lock);
}

// Executes an operation. Requires the lock. The operation must be first in its queue, and all
// operations that it waits for must be done.
static hipError_t execute_operation(struct kiln_sim_hip_stream *stream,
                                    kiln_sim_operation_t *operation)
{
    double begin =
        stream->clock_ms > operation->not_before ? stream->clock_ms : operation->not_before;
    for (size_t i = 0; i < operation->after_count; i++) {
        if (operation->after[i]->end_ms > begin)
            begin = operation->after[i]->end_ms;
    }
    operation->begun = true; // from here on no other thread reads what it waited for
    operation->begin_ms = begin;
    operation->outer = kiln_sim_inside;
    kiln_sim_inside = operation;
    kiln_sim_engine.running++;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    taken_ms = 0;
    // The flag belongs to the entry point that this thread is in, not to the program's code that it
    // calls.
    const bool per_thread = kiln_sim_stream_per_thread;
    kiln_sim_stream_per_thread = false;
    kiln_sim_hip_overrides_t *before = kiln_sim_hip_overrides_use(operation->overrides);
    hipError_t error = kiln_sim_work_run(&operation->work);
    kiln_sim_hip_overrides_use(before);
    // Released here because events and streams keep operations for long.
    kiln_sim_hip_overrides_release(operation->overrides);
    operation->overrides = NULL;
    kiln_sim_stream_per_thread = per_thread;
    const double took = taken_ms;
    for (size_t i = 0; i < operation->after_count; i++)
        kiln_sim_operation_release(operation->after[i]);
    free(operation->after);
    operation->after = NULL;
    operation->after_count = operation->after_capacity = 0;
    if (operation->work.kind == KILN_SIM_WORK_KERNEL)
        kiln_sim_client_end(operation->client);
    if (!operation->borrows)
        kiln_sim_work_free(&operation->work); // events and streams keep operations for long
    operation->work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_EMPTY};
    pthread_mutex_lock(&kiln_sim_engine.lock);
    kiln_sim_inside = operation->outer;
    kiln_sim_engine.running--;
    operation->end_ms = stream->clock_ms = begin + took;
    stream->first = operation->next;
    if (!stream->first)
        stream->end = &stream->first;
    operation->stream = NULL;
    __atomic_store_n(&operation->done, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&kiln_sim_engine.done);
    if ((stream->first || stream->is_stopping) && stream->has_worker)
        pthread_cond_signal(&stream->wake);
    return error;
}

// Executes an operation whose error no caller receives now.
static void execute_and_record_error(struct kiln_sim_hip_stream *stream,
                                     kiln_sim_operation_t *operation)
{
    const int device = stream->device->ordinal; // the stream may be freed with its last operation
    kiln_sim_client_act(operation->client);
    if (execute_operation(stream, operation))
        kiln_sim_engine_record_async_error(device, kiln_sim_hip_failure());
    kiln_sim_client_act(NULL);
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    kiln_sim_operation_release(operation);
    pthread_mutex_lock(&kiln_sim_engine.lock);
}

void *kiln_sim_engine_work(void *argument)
{
    struct kiln_sim_hip_stream *stream = argument;
    kiln_sim_device_set(stream->device->ordinal);
    pthread_mutex_lock(&kiln_sim_engine.lock);
    for (;;) {
        kiln_sim_operation_t *first = stream->first;
        if (kiln_sim_engine.stopped || (!first && stream->is_stopping))
            break;
        if (!first || first->by_caller || first->begun) {
            pthread_cond_wait(&stream->wake, &kiln_sim_engine.lock);
            continue;
        }
        if (!is_ready(first)) {
            kiln_sim_engine_wait_done();
            continue;
        }
        execute_and_record_error(stream, first);
    }
    stream->has_ended = true;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    return NULL;
}

// ---- helping a stream's thread

// Whether the work executes no code of the program and waits for nothing.
static bool may_help(const kiln_sim_operation_t *operation)
{
    const kiln_sim_work_kind_t kind = operation->work.kind;
    return kind == KILN_SIM_WORK_KERNEL || kind == KILN_SIM_WORK_COPY ||
           kind == KILN_SIM_WORK_FILL || kind == KILN_SIM_WORK_EMPTY;
}

// Executes the first operation of the queue, as the stream's thread would. Requires the lock. False
// if this thread may not execute anything there.
static bool help(struct kiln_sim_hip_stream *stream)
{
    kiln_sim_operation_t *first = stream ? stream->first : NULL;
    if (!first || first->by_caller || first->begun || kiln_sim_engine.stopped || !may_help(first) ||
        !is_ready(first))
        return false;
    const int current = kiln_sim_device()->ordinal;
    const double taken = taken_ms;
    const kiln_sim_hip_error_state_t saved = kiln_sim_hip_save_error_state();
    kiln_sim_device_set(stream->device->ordinal);
    execute_and_record_error(stream, first);
    kiln_sim_device_set(current);
    kiln_sim_hip_restore_error_state(&saved);
    taken_ms = taken;
    return true;
}

// Waits until some operation has been executed, here or elsewhere, while the caller waits for
// `operation`. Requires the lock. Executing one on this thread avoids waking the stream's thread
// and being woken by it, which takes several times as long as a small launch. Only operations that
// precede the given one and do not delay the host are executed.
void kiln_sim_engine_wait_for(const kiln_sim_operation_t *operation)
{
    if (operation->done || help(operation->stream))
        return;
    for (size_t i = 0; !operation->begun && i < operation->after_count; i++) {
        if (help(operation->after[i]->stream))
            return;
    }
    kiln_sim_engine_wait_done();
}

// ---- enqueuing

// Makes room in an operation for `room` operations that it waits for.
static bool reserve_after(kiln_sim_operation_t *operation, size_t room)
{
    return KILN_ARRAY_RESERVE(&operation->after, &operation->after_capacity, room);
}

static bool add_after(kiln_sim_operation_t *operation, kiln_sim_operation_t *other)
{
    if (!other || (kiln_sim_operation_done(other) && other->end_ms <= operation->not_before))
        return true;
    if (!reserve_after(operation, operation->after_count + 1))
        return false;
    kiln_sim_operation_hold(other);
    operation->after[operation->after_count++] = other;
    return true;
}

// The null stream and the blocking streams of its device wait for each other.
static bool add_null_rules(struct kiln_sim_hip_stream *stream, kiln_sim_operation_t *operation)
{
    struct kiln_sim_hip_stream *null = stream->device->null_stream;
    bool good = true;
    if (stream != null)
        return stream->flags & 1 || !null || add_after(operation, null->last);
    struct kiln_sim_hip_stream *const lists[] = {kiln_sim_engine.streams, kiln_sim_engine.ended};
    for (unsigned i = 0; i < 2; i++) {
        for (struct kiln_sim_hip_stream *at = lists[i]; good && at; at = at->next) {
            if (at != stream && at->device == stream->device && !(at->flags & 1))
                good = add_after(operation, at->last);
        }
    }
    return good;
}

static bool start_worker(struct kiln_sim_hip_stream *stream)
{
    if (!stream->has_worker)
        stream->has_worker =
            pthread_create(&stream->worker, NULL, kiln_sim_engine_work, stream) == 0;
    else
        pthread_cond_signal(&stream->wake);
    return stream->has_worker;
}

hipError_t kiln_sim_engine_prepare(hipStream_t handle, const kiln_sim_work_t *given,
                                   kiln_sim_wait_t wait, kiln_sim_operation_t **out)
{
    *out = NULL;
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    if (stream->device->broken.code)
        return kiln_sim_hip_error(&stream->device->broken);
    if (stream == stream->device->null_stream && kiln_sim_capture_forbids(stream->device))
        return kiln_sim_hip_fail(HIP_CAPTURE_IMPLICIT, NULL);
    kiln_sim_operation_t *made = calloc(1, sizeof *made);
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    // Work that a host function of the program enqueues is executed after that function has
    // returned, unless the function waits for it.
    made->borrows = wait == KILN_SIM_WAITED || (!kiln_sim_inside && !kiln_sim_engine_is_async());
    kiln_sim_error_t wrong = {0};
    if (made->borrows) {
        made->work = *given;
    } else if (!kiln_sim_work_check(stream->device, given, &wrong) ||
               !kiln_sim_work_copy(&made->work, given, &wrong)) {
        free(made);
        return kiln_sim_hip_error(&wrong);
    }
    made->references = 1;
    made->overrides = kiln_sim_hip_overrides_hold();
    made->by_caller = made->borrows;
    made->stream = stream;
    made->stream_id = stream->id;
    made->graph = kiln_sim_activity_graph;
    made->call = kiln_sim_call;
    made->thread = (long)gettid();
    *out = made;
    return 0;
}

bool kiln_sim_engine_reserve(kiln_sim_operation_t *made)
{
    size_t room = 1;
    pthread_mutex_lock(&kiln_sim_engine.lock);
    struct kiln_sim_hip_stream *const lists[] = {kiln_sim_engine.streams, kiln_sim_engine.ended};
    for (unsigned i = 0; i < 2; i++) {
        for (const struct kiln_sim_hip_stream *at = lists[i]; at; at = at->next)
            room++;
    }
    const bool needs_worker = !made->by_caller && !made->stream->is_stopping;
    const bool good = reserve_after(made, room) && (!needs_worker || start_worker(made->stream));
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    return good;
}

void kiln_sim_engine_number(kiln_sim_operation_t *made, size_t number)
{
    made->work.call.number = number;
}

hipError_t kiln_sim_engine_commit(kiln_sim_operation_t *made, kiln_sim_operation_t *const *after,
                                  size_t after_count, kiln_sim_operation_t **out)
{
    struct kiln_sim_hip_stream *stream = made->stream;
    pthread_mutex_lock(&kiln_sim_engine.lock);
    if (stream->is_stopping) { // a host function has destroyed it since the call found it
        pthread_mutex_unlock(&kiln_sim_engine.lock);
        kiln_sim_operation_release(made);
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "invalid stream");
    }
    kiln_sim_engine_subscribe(stream->device->ordinal);
    made->not_before = kiln_sim_engine.host_ms;
    made->number = ++kiln_sim_engine.given;
    bool good = add_null_rules(stream, made);
    for (size_t i = 0; good && i < after_count; i++)
        good = add_after(made, after[i]);
    const bool is_late = kiln_sim_engine.stopped &&
                         (stream->first || !is_ready(made)); // nothing executes what precedes it
    const bool would_deadlock =
        good && made->by_caller && kiln_sim_inside && kiln_sim_engine_needs_caller(stream, made);
    if (!good || is_late || would_deadlock || (!made->by_caller && !start_worker(stream))) {
        pthread_mutex_unlock(&kiln_sim_engine.lock);
        kiln_sim_operation_release(made);
        return would_deadlock ? kiln_sim_engine_waits_for_itself()
               : is_late
                   ? kiln_sim_hip_fail(HIP_DEINITIALIZED,
                                       "the library is being unloaded before earlier work is done")
                   : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY,
                                       "out of host memory or threads for a stream");
    }
    made->references = 3; // of the queue, of stream->last, and of the caller
    if (made->work.kind == KILN_SIM_WORK_KERNEL)
        kiln_sim_client_begin(made->client = kiln_sim_client());
    *stream->end = made;
    stream->end = &made->next;
    kiln_sim_operation_t *before = stream->last;
    stream->last = made;
    hipError_t error = 0;
    if (made->by_caller) {
        if (kiln_sim_inside)
            kiln_sim_inside->waits_for = made;
        while (stream->first != made || !is_ready(made))
            kiln_sim_engine_wait_for(made);
        if (kiln_sim_inside)
            kiln_sim_inside->waits_for = NULL;
        const int current = kiln_sim_device()->ordinal;
        kiln_sim_device_set(stream->device->ordinal);
        error = execute_operation(stream, made);
        kiln_sim_device_set(current);
        const double host_ms = kiln_sim_engine.host_ms, end_ms = made->end_ms;
        if (host_ms < end_ms)
            kiln_sim_engine.host_ms = end_ms;
        pthread_mutex_unlock(&kiln_sim_engine.lock);
        kiln_sim_activity_wait("its own work", host_ms, end_ms);
        kiln_sim_operation_release(made);
    } else {
        pthread_mutex_unlock(&kiln_sim_engine.lock);
    }
    kiln_sim_operation_release(before);
    if (out)
        *out = made;
    else
        kiln_sim_operation_release(made);
    return error;
}

hipError_t kiln_sim_engine_enqueue(hipStream_t handle, const kiln_sim_work_t *given,
                                   kiln_sim_wait_t wait, kiln_sim_operation_t *const *after,
                                   size_t after_count, kiln_sim_operation_t **out)
{
    if (out)
        *out = NULL;
    kiln_sim_capture_t *capture = kiln_sim_stream_capture(handle);
    if (capture)
        return kiln_sim_capture_work(capture, given);
    kiln_sim_operation_t *made;
    hipError_t error = kiln_sim_engine_prepare(handle, given, wait, &made);
    if (error)
        return error;
    kiln_sim_device_t *device = made->stream->device;
    error = kiln_sim_engine_commit(made, after, after_count, out);
    // A call that waits for its own work has also waited for the work before it.
    return !error && wait == KILN_SIM_WAITED ? kiln_sim_engine_async_error(device) : error;
}

// ---- whether calls wait

bool kiln_sim_engine_is_async(void)
{
    pthread_mutex_lock(&kiln_sim_engine.lock);
    bool async =
        kiln_sim_hip_overrides_async(!kiln_sim_engine.blocking) && !kiln_sim_engine.stopped;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    return async;
}

bool kiln_sim_engine_is_running(void)
{
    pthread_mutex_lock(&kiln_sim_engine.lock);
    bool is_running = !kiln_sim_engine.stopped;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    return is_running;
}

void kiln_sim_engine_set_async(bool async)
{
    pthread_mutex_lock(&kiln_sim_engine.lock);
    kiln_sim_engine.blocking = !async;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
}
