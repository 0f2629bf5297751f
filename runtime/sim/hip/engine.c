// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queues of operations and the threads that work them off.
//
// What a reader gets wrong: an operation stays at the head of its queue while it is done, so that whoever looks at the queue sees the stream
// busy; and what waited for it is woken only when it is away and its time is known.
#include "hip/engine.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hip/entry.h"

struct kiln_sim_operation {
    unsigned references;                  // atomic
    bool begun, done, by_caller, borrows; // borrows: the work is the caller's
    struct kiln_sim_hip_stream *stream;   // NULL where it is away from its queue
    struct kiln_sim_operation *next;
    struct kiln_sim_operation **after; // held; let go when it begins
    size_t after_count;
    uint64_t stream_id, number; // of its stream; in the order of giving
    double not_before, end_ms;
    kiln_sim_work_t work;
    kiln_sim_client_t *client; // of the thread that gave it
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t done; // some operation is
    unsigned running;
    bool stopped;
    bool blocking; // each call waits for its work
    double host_ms;
    uint64_t streams_made, given;
    struct kiln_sim_hip_stream *streams;
    struct {
        kiln_sim_error_t error;
    } late[KILN_SIM_DEVICES_MOST];
} engine = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static __thread double taken_ms;
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
    if (!operation->borrows)
        kiln_sim_work_free(&operation->work);
    free(operation);
}

bool kiln_sim_operation_done(const kiln_sim_operation_t *operation)
{
    return !operation || __atomic_load_n(&operation->done, __ATOMIC_ACQUIRE);
}

bool kiln_sim_operation_is_behind(const kiln_sim_operation_t *operation, const kiln_sim_operation_t *other)
{
    return operation && other && operation->stream_id == other->stream_id && operation->number > other->number;
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

// The lock is held.
static void wait_done(void)
{
    pthread_cond_wait(&engine.done, &engine.lock);
}

// The lock is held, the operation is first in its queue, and all that it waits for is done.
static hipError_t carry_out(struct kiln_sim_hip_stream *stream, kiln_sim_operation_t *operation)
{
    double begin = stream->clock_ms > operation->not_before ? stream->clock_ms : operation->not_before;
    for (size_t i = 0; i < operation->after_count; i++) {
        if (operation->after[i]->end_ms > begin)
            begin = operation->after[i]->end_ms;
    }
    operation->begun = true; // from here on nobody else looks at what it waited for
    engine.running++;
    pthread_mutex_unlock(&engine.lock);
    taken_ms = 0;
    hipError_t error = kiln_sim_work_run(&operation->work);
    const double took = taken_ms;
    for (size_t i = 0; i < operation->after_count; i++)
        kiln_sim_operation_release(operation->after[i]);
    free(operation->after);
    operation->after = NULL;
    operation->after_count = 0;
    if (operation->work.kind == KILN_SIM_WORK_KERNEL)
        kiln_sim_client_end(operation->client);
    if (!operation->borrows)
        kiln_sim_work_free(&operation->work); // events and streams keep operations for long
    operation->work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_EMPTY};
    pthread_mutex_lock(&engine.lock);
    engine.running--;
    operation->end_ms = stream->clock_ms = begin + took;
    stream->first = operation->next;
    if (!stream->first)
        stream->end = &stream->first;
    operation->stream = NULL;
    __atomic_store_n(&operation->done, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&engine.done);
    if (stream->first && stream->has_worker)
        pthread_cond_signal(&stream->wake);
    return error;
}

// The same for work of which nobody waits for an error now.
static void carry_out_later(struct kiln_sim_hip_stream *stream, kiln_sim_operation_t *operation)
{
    kiln_sim_client_act(operation->client);
    if (carry_out(stream, operation)) {
        kiln_sim_error_t *late = &engine.late[stream->device->ordinal].error;
        if (!late->code)
            *late = *kiln_sim_hip_failure();
    }
    kiln_sim_client_act(NULL);
    pthread_mutex_unlock(&engine.lock);
    kiln_sim_operation_release(operation);
    pthread_mutex_lock(&engine.lock);
}

static void *work(void *argument)
{
    struct kiln_sim_hip_stream *stream = argument;
    kiln_sim_device_set(stream->device->ordinal);
    pthread_mutex_lock(&engine.lock);
    for (;;) {
        kiln_sim_operation_t *first = stream->first;
        if (engine.stopped || (!first && stream->quits))
            break;
        if (!first || first->by_caller || first->begun) {
            pthread_cond_wait(&stream->wake, &engine.lock);
            continue;
        }
        if (!is_ready(first)) {
            wait_done();
            continue;
        }
        carry_out_later(stream, first);
    }
    pthread_mutex_unlock(&engine.lock);
    return NULL;
}

// ---- helping

// Work in which no code of the program runs, and that waits for nothing.
static bool may_help(const kiln_sim_operation_t *operation)
{
    const kiln_sim_work_kind_t kind = operation->work.kind;
    return kind == KILN_SIM_WORK_KERNEL || kind == KILN_SIM_WORK_COPY || kind == KILN_SIM_WORK_FILL ||
           kind == KILN_SIM_WORK_EMPTY;
}

// The lock is held. Does what is first in the queue, as the stream's thread would. False where there is nothing that may be done here.
static bool help(struct kiln_sim_hip_stream *stream)
{
    kiln_sim_operation_t *first = stream ? stream->first : NULL;
    if (!first || first->by_caller || first->begun || engine.stopped || !may_help(first) || !is_ready(first))
        return false;
    const int current = kiln_sim_device()->ordinal;
    const double taken = taken_ms;
    const kiln_sim_hip_said_t said = kiln_sim_hip_said();
    kiln_sim_device_set(stream->device->ordinal);
    carry_out_later(stream, first);
    kiln_sim_device_set(current);
    kiln_sim_hip_say_again(&said);
    taken_ms = taken;
    return true;
}

// The lock is held. An operation is waited for: until something has been done, here or elsewhere. To do it here saves waking up the stream's thread and being
// woken up by it, which takes several times as long as a small launch. Only what stands before the operation is done, nothing that would hold the host up.
static void wait_for(const kiln_sim_operation_t *operation)
{
    if (operation->done || help(operation->stream))
        return;
    for (size_t i = 0; !operation->begun && i < operation->after_count; i++) {
        if (help(operation->after[i]->stream))
            return;
    }
    wait_done();
}

// ---- giving

static bool add_after(kiln_sim_operation_t *operation, kiln_sim_operation_t *other)
{
    if (!other || (kiln_sim_operation_done(other) && other->end_ms <= operation->not_before))
        return true;
    kiln_sim_operation_t **list = realloc(operation->after, (operation->after_count + 1) * sizeof *list);
    if (!list)
        return false;
    kiln_sim_operation_hold(other);
    operation->after = list;
    operation->after[operation->after_count++] = other;
    return true;
}

// The null stream and those of its device that take part in it wait for each other.
static bool add_null_rules(struct kiln_sim_hip_stream *stream, kiln_sim_operation_t *operation)
{
    struct kiln_sim_hip_stream *null = stream->device->null_stream;
    bool good = true;
    if (stream != null)
        return stream->flags & 1 || !null || add_after(operation, null->last);
    for (struct kiln_sim_hip_stream *at = engine.streams; good && at; at = at->next) {
        if (at != stream && at->device == stream->device && !(at->flags & 1))
            good = add_after(operation, at->last);
    }
    return good;
}

static bool start_worker(struct kiln_sim_hip_stream *stream)
{
    if (!stream->has_worker)
        stream->has_worker = pthread_create(&stream->worker, NULL, work, stream) == 0;
    else
        pthread_cond_signal(&stream->wake);
    return stream->has_worker;
}

hipError_t kiln_sim_engine_give(hipStream_t handle, const kiln_sim_work_t *given, kiln_sim_wait_t wait,
                                kiln_sim_operation_t *const *after, size_t after_count, kiln_sim_operation_t **out)
{
    if (out)
        *out = NULL;
    kiln_sim_capture_t *capture = kiln_sim_stream_capture(handle);
    if (capture)
        return kiln_sim_capture_work(capture, given);
    struct kiln_sim_hip_stream *stream = kiln_sim_stream_find(handle);
    if (!stream)
        return kiln_sim_hip_fail(HIP_CONTEXT_DESTROYED, "there is no such stream");
    if (stream->device->broken.code)
        return kiln_sim_hip_error(&stream->device->broken);
    if (stream == stream->device->null_stream && kiln_sim_capture_forbids(stream->device))
        return kiln_sim_hip_fail(HIP_CAPTURE_IMPLICIT, NULL);
    kiln_sim_operation_t *made = calloc(1, sizeof *made);
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    made->borrows = wait == KILN_SIM_WAITED || !kiln_sim_engine_is_async();
    kiln_sim_error_t wrong = {0};
    if (made->borrows) {
        made->work = *given;
    } else if (!kiln_sim_work_check(stream->device, given, &wrong) || !kiln_sim_work_copy(&made->work, given, &wrong)) {
        free(made);
        return kiln_sim_hip_error(&wrong);
    }
    made->references = 3; // the queue's, stream->last, the caller's
    pthread_mutex_lock(&engine.lock);
    made->by_caller = made->borrows;
    made->not_before = engine.host_ms;
    made->stream = stream;
    made->stream_id = stream->id;
    made->number = ++engine.given;
    bool good = add_null_rules(stream, made);
    for (size_t i = 0; good && i < after_count; i++)
        good = add_after(made, after[i]);
    const bool is_late = engine.stopped && (stream->first || !is_ready(made)); // nobody does what stands before it
    if (!good || is_late || (!made->by_caller && !start_worker(stream))) {
        pthread_mutex_unlock(&engine.lock);
        made->references = 1;
        kiln_sim_operation_release(made);
        return is_late ? kiln_sim_hip_fail(HIP_DEINITIALIZED, "the library goes, and work before this one is not done")
                       : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, "out of host memory or threads for a stream");
    }
    if (made->work.kind == KILN_SIM_WORK_KERNEL)
        kiln_sim_client_begin(made->client = kiln_sim_client());
    *stream->end = made;
    stream->end = &made->next;
    kiln_sim_operation_t *before = stream->last;
    stream->last = made;
    hipError_t error = 0;
    if (made->by_caller) {
        while (stream->first != made || !is_ready(made))
            wait_for(made);
        const int current = kiln_sim_device()->ordinal;
        kiln_sim_device_set(stream->device->ordinal);
        error = carry_out(stream, made);
        kiln_sim_device_set(current);
        if (engine.host_ms < made->end_ms)
            engine.host_ms = made->end_ms;
        pthread_mutex_unlock(&engine.lock);
        kiln_sim_operation_release(made);
    } else {
        pthread_mutex_unlock(&engine.lock);
    }
    kiln_sim_operation_release(before);
    if (out)
        *out = made;
    else
        kiln_sim_operation_release(made);
    return error;
}

// ---- waiting

kiln_sim_operation_t *kiln_sim_engine_last(struct kiln_sim_hip_stream *stream)
{
    pthread_mutex_lock(&engine.lock);
    kiln_sim_operation_t *last = stream->last;
    kiln_sim_operation_hold(last);
    pthread_mutex_unlock(&engine.lock);
    return last;
}

void kiln_sim_operation_wait(kiln_sim_operation_t *operation)
{
    if (!operation)
        return;
    pthread_mutex_lock(&engine.lock);
    while (!operation->done && !engine.stopped)
        wait_for(operation);
    if (operation->end_ms > engine.host_ms)
        engine.host_ms = operation->end_ms;
    pthread_mutex_unlock(&engine.lock);
}

void kiln_sim_engine_set_late(kiln_sim_device_t *device, const kiln_sim_error_t *error)
{
    pthread_mutex_lock(&engine.lock);
    if (!engine.late[device->ordinal].error.code)
        engine.late[device->ordinal].error = *error;
    pthread_mutex_unlock(&engine.lock);
}

hipError_t kiln_sim_engine_late(kiln_sim_device_t *device)
{
    pthread_mutex_lock(&engine.lock);
    kiln_sim_error_t *late = &engine.late[device->ordinal].error;
    if (!late->code) {
        pthread_mutex_unlock(&engine.lock);
        return 0;
    }
    kiln_sim_error_t error = *late;
    late->code = 0;
    pthread_mutex_unlock(&engine.lock);
    return kiln_sim_hip_error(&error);
}

// The null stream ends when those end that it waits for.
hipError_t kiln_sim_engine_wait_stream(struct kiln_sim_hip_stream *stream)
{
    kiln_sim_operation_t *last = kiln_sim_engine_last(stream);
    kiln_sim_operation_wait(last);
    kiln_sim_operation_release(last);
    if (stream != stream->device->null_stream)
        return kiln_sim_engine_late(stream->device);
    pthread_mutex_lock(&engine.lock);
    for (struct kiln_sim_hip_stream *at = engine.streams; at;) {
        if (at->device != stream->device || at->flags & 1 || kiln_sim_operation_done(at->last) || engine.stopped) {
            if (at->device == stream->device && !(at->flags & 1) && at->last && at->last->end_ms > engine.host_ms)
                engine.host_ms = at->last->end_ms;
            at = at->next;
            continue;
        }
        wait_for(at->last);
        at = engine.streams; // any may be gone
    }
    pthread_mutex_unlock(&engine.lock);
    return kiln_sim_engine_late(stream->device);
}

void kiln_sim_engine_drain(kiln_sim_device_t *device)
{
    pthread_mutex_lock(&engine.lock);
    for (struct kiln_sim_hip_stream *at = engine.streams; at;) {
        if (at->device == device && !kiln_sim_operation_done(at->last) && !engine.stopped) {
            wait_for(at->last);
            at = engine.streams;
            continue;
        }
        if (at->device == device && at->last && at->last->end_ms > engine.host_ms)
            engine.host_ms = at->last->end_ms;
        at = at->next;
    }
    pthread_mutex_unlock(&engine.lock);
}

hipError_t kiln_sim_engine_wait_device(kiln_sim_device_t *device)
{
    kiln_sim_engine_drain(device);
    return kiln_sim_engine_late(device);
}

bool kiln_sim_engine_is_idle(struct kiln_sim_hip_stream *stream)
{
    pthread_mutex_lock(&engine.lock);
    bool idle = kiln_sim_operation_done(stream->last);
    for (struct kiln_sim_hip_stream *at = engine.streams; idle && stream == stream->device->null_stream && at;
         at = at->next)
        idle = at->device != stream->device || at->flags & 1 || kiln_sim_operation_done(at->last);
    pthread_mutex_unlock(&engine.lock);
    return idle;
}

bool kiln_sim_engine_is_async(void)
{
    pthread_mutex_lock(&engine.lock);
    bool async = !engine.blocking && !engine.stopped;
    pthread_mutex_unlock(&engine.lock);
    return async;
}

bool kiln_sim_engine_goes_on(void)
{
    pthread_mutex_lock(&engine.lock);
    bool goes_on = !engine.stopped;
    pthread_mutex_unlock(&engine.lock);
    return goes_on;
}

void kiln_sim_engine_set_async(bool async)
{
    pthread_mutex_lock(&engine.lock);
    engine.blocking = !async;
    pthread_mutex_unlock(&engine.lock);
}

// ---- streams

struct kiln_sim_hip_stream *kiln_sim_stream_make(kiln_sim_device_t *device, unsigned flags, int priority)
{
    struct kiln_sim_hip_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->flags = flags;
    stream->priority = priority;
    stream->device = device;
    stream->end = &stream->first;
    pthread_cond_init(&stream->wake, NULL);
    pthread_mutex_lock(&engine.lock);
    stream->id = ++engine.streams_made;
    stream->clock_ms = engine.host_ms;
    stream->next = engine.streams;
    engine.streams = stream;
    pthread_mutex_unlock(&engine.lock);
    return stream;
}

void kiln_sim_stream_end(struct kiln_sim_hip_stream *stream)
{
    pthread_mutex_lock(&engine.lock);
    while (stream->first && !engine.stopped)
        wait_done();
    for (struct kiln_sim_hip_stream **at = &engine.streams; *at; at = &(*at)->next) {
        if (*at == stream) {
            *at = stream->next;
            break;
        }
    }
    stream->quits = true;
    pthread_cond_signal(&stream->wake);
    pthread_cond_broadcast(&engine.done);
    pthread_mutex_unlock(&engine.lock);
    if (stream->has_worker && pthread_equal(stream->worker, pthread_self())) {
        pthread_detach(stream->worker); // a host function destroys its own stream: the little that is left stays
        return;
    }
    if (stream->has_worker)
        pthread_join(stream->worker, NULL);
    kiln_sim_operation_release(stream->last);
    pthread_cond_destroy(&stream->wake);
    free(stream);
}

void kiln_sim_engine_each(bool (*call)(struct kiln_sim_hip_stream *stream, void *data), void *data)
{
    pthread_mutex_lock(&engine.lock);
    for (struct kiln_sim_hip_stream *at = engine.streams; at && call(at, data); at = at->next)
        ;
    pthread_mutex_unlock(&engine.lock);
}

// What runs is given a moment to end.
void kiln_sim_engine_stop(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    pthread_mutex_lock(&engine.lock);
    engine.stopped = true;
    for (struct kiln_sim_hip_stream *at = engine.streams; at; at = at->next)
        pthread_cond_signal(&at->wake);
    pthread_cond_broadcast(&engine.done);
    while (engine.running && pthread_cond_timedwait(&engine.done, &engine.lock, &until) == 0)
        ;
    const bool rests = !engine.running;
    pthread_mutex_unlock(&engine.lock);
    for (struct kiln_sim_hip_stream *at = engine.streams; rests && at; at = at->next) {
        if (at->has_worker && !pthread_equal(at->worker, pthread_self()))
            pthread_join(at->worker, NULL);
    }
}
