// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation and end of streams, and unloading of the library.
//
// A stream that is destroyed first finishes its work. The program's code that a stream executes
// cannot wait for that. There the stream is only removed from the list, its thread ends when the
// queue is empty, and the next call that creates or ends a stream frees it.
//
// The child of a fork has the streams but none of their threads, and never executes the work that
// was in their queues.
#include <stdlib.h>
#include <time.h>

#include "hip_sim/entry.h"
#include "hip_sim/stream/engine_state.h"

// ---- forks: a child has none of the threads and executes none of their work

static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void before_fork(void)
{
    pthread_mutex_lock(&kiln_sim_engine.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&kiln_sim_engine.lock);
}

static bool is_inside(const kiln_sim_operation_t *operation)
{
    const kiln_sim_operation_t *mine = kiln_sim_inside;
    while (mine && mine != operation)
        mine = mine->outer;
    return mine;
}

// Lost work counts as done, so that no thread waits for it. It is not freed, because a thread that
// no longer exists may have been using it.
static void abandon_work(struct kiln_sim_hip_stream *stream)
{
    pthread_cond_init(&stream->wake, NULL);
    if (is_inside(stream->first))
        return; // this thread continues it
    stream->has_worker = false;
    for (kiln_sim_operation_t *at = stream->first; at; at = at->next) {
        if (at->work.kind == KILN_SIM_WORK_KERNEL)
            kiln_sim_client_lost(at->client);
        at->stream = NULL;
        at->done = true;
    }
    *stream->end = kiln_sim_engine.lost;
    kiln_sim_engine.lost = stream->first;
    stream->first = NULL;
    stream->end = &stream->first;
}

static void after_fork_in_child(void)
{
    pthread_cond_init(&kiln_sim_engine.done, NULL);
    kiln_sim_engine.running = 0;
    for (const kiln_sim_operation_t *mine = kiln_sim_inside; mine; mine = mine->outer)
        kiln_sim_engine.running++;
    for (struct kiln_sim_hip_stream *at = kiln_sim_engine.streams; at; at = at->next)
        abandon_work(at);
    for (struct kiln_sim_hip_stream *at = kiln_sim_engine.ended; at; at = at->next)
        abandon_work(at);
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    for (int i = 0; i < kiln_sim_device_count(); i++) {
        if (kiln_sim_device_at(i)->machine)
            kiln_sim_machine_forked(kiln_sim_device_at(i)->machine);
    }
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

// ---- streams

static void free_stream(struct kiln_sim_hip_stream *stream)
{
    if (stream->has_worker)
        pthread_join(stream->worker, NULL);
    kiln_sim_operation_release(stream->last);
    pthread_cond_destroy(&stream->wake);
    free(stream);
}

// Frees the ended streams that have finished.
static void free_ended(void)
{
    struct kiln_sim_hip_stream *free_ones = NULL;
    pthread_mutex_lock(&kiln_sim_engine.lock);
    for (struct kiln_sim_hip_stream **at = &kiln_sim_engine.ended; *at;) {
        struct kiln_sim_hip_stream *stream = *at;
        if (stream->has_worker ? !stream->has_ended : stream->first != NULL) {
            at = &stream->next;
            continue;
        }
        *at = stream->next;
        stream->next = free_ones;
        free_ones = stream;
    }
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    while (free_ones) {
        struct kiln_sim_hip_stream *next = free_ones->next;
        free_stream(free_ones);
        free_ones = next;
    }
}

struct kiln_sim_hip_stream *kiln_sim_stream_make(kiln_sim_device_t *device, unsigned flags,
                                                 int priority)
{
    pthread_once(&fork_once, watch_forks);
    free_ended();
    struct kiln_sim_hip_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->flags = flags;
    stream->priority = priority;
    stream->device = device;
    stream->end = &stream->first;
    pthread_cond_init(&stream->wake, NULL);
    pthread_mutex_lock(&kiln_sim_engine.lock);
    stream->id = ++kiln_sim_engine.streams_made;
    stream->clock_ms = kiln_sim_engine.host_ms;
    stream->next = kiln_sim_engine.streams;
    kiln_sim_engine.streams = stream;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    return stream;
}

void kiln_sim_stream_end(struct kiln_sim_hip_stream *stream)
{
    const bool may_wait = !kiln_sim_inside;
    pthread_mutex_lock(&kiln_sim_engine.lock);
    while (may_wait && stream->first && !kiln_sim_engine.stopped)
        kiln_sim_engine_wait_done();
    struct kiln_sim_hip_stream **at = &kiln_sim_engine.streams;
    while (*at && *at != stream)
        at = &(*at)->next;
    if (!*at) { // its own function has destroyed it meanwhile
        pthread_mutex_unlock(&kiln_sim_engine.lock);
        return;
    }
    *at = stream->next;
    stream->is_stopping = true;
    if (!may_wait) {
        stream->next = kiln_sim_engine.ended;
        kiln_sim_engine.ended = stream;
    }
    pthread_cond_signal(&stream->wake);
    pthread_cond_broadcast(&kiln_sim_engine.done);
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    if (may_wait)
        free_stream(stream);
    free_ended();
}

void kiln_sim_engine_each(bool (*call)(struct kiln_sim_hip_stream *stream, void *data), void *data)
{
    pthread_mutex_lock(&kiln_sim_engine.lock);
    for (struct kiln_sim_hip_stream *at = kiln_sim_engine.streams; at && call(at, data);
         at = at->next)
        ;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
}

// Waits a moment for running operations, except those that this thread itself executes.
void kiln_sim_engine_stop(void)
{
    struct timespec until;
    unsigned own = 0;
    for (const kiln_sim_operation_t *mine = kiln_sim_inside; mine; mine = mine->outer)
        own++;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 5;
    pthread_mutex_lock(&kiln_sim_engine.lock);
    kiln_sim_engine.stopped = true;
    for (struct kiln_sim_hip_stream *at = kiln_sim_engine.streams; at; at = at->next)
        pthread_cond_signal(&at->wake);
    for (struct kiln_sim_hip_stream *at = kiln_sim_engine.ended; at; at = at->next)
        pthread_cond_signal(&at->wake);
    pthread_cond_broadcast(&kiln_sim_engine.done);
    while (kiln_sim_engine.running > own &&
           pthread_cond_timedwait(&kiln_sim_engine.done, &kiln_sim_engine.lock, &until) == 0)
        ;
    const bool rests = kiln_sim_engine.running <= own;
    pthread_mutex_unlock(&kiln_sim_engine.lock);
    struct kiln_sim_hip_stream *const lists[] = {kiln_sim_engine.streams, kiln_sim_engine.ended};
    for (size_t i = 0; rests && i < 2; i++) {
        for (struct kiln_sim_hip_stream *at = lists[i]; at; at = at->next) {
            if (at->has_worker && !pthread_equal(at->worker, pthread_self())) {
                pthread_join(at->worker, NULL);
                at->has_worker = false;
            }
        }
    }
}
