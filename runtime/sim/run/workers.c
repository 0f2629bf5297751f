// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host threads that wait for launches and run their workgroups (run/workers.h).
#include "run/workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/gws.h"

typedef struct worker {
    pthread_t thread;
    kiln_sim_workers_t *all;
    size_t own; // its number, from 0
} worker_t;

struct kiln_sim_workers {
    kiln_sim_thread_t *threads; // the calling thread's state, then the workers'
    size_t capacity;
    worker_t *workers; // one less
    size_t started;
    pid_t process; // that started the threads: a forked child has none of them

    pthread_mutex_t lock; // protects everything below
    pthread_cond_t wake, idle;
    uint64_t number; // of the latest launch
    size_t wanted;   // workers that may join it; 0 when it is over
    size_t joined, working;
    bool quit;
};

static void *worker_main(void *argument)
{
    worker_t *worker = argument;
    kiln_sim_workers_t *w = worker->all;
    uint64_t seen = 0;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (!w->quit && (w->number == seen || worker->own >= w->wanted))
            pthread_cond_wait(&w->wake, &w->lock);
        if (w->quit)
            break;
        seen = w->number;
        w->joined++;
        w->working++;
        pthread_mutex_unlock(&w->lock);
        kiln_sim_thread_run(&w->threads[worker->own + 1]);
        pthread_mutex_lock(&w->lock);
        if (--w->working == 0)
            pthread_cond_signal(&w->idle);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

kiln_sim_workers_t *kiln_sim_workers_create(size_t count)
{
    kiln_sim_workers_t *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->capacity = count;
    w->threads = calloc(count, sizeof *w->threads);
    w->workers = calloc(count, sizeof *w->workers);
    w->process = getpid();
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    pthread_cond_init(&w->idle, NULL);
    if (w->threads && w->workers)
        return w;
    kiln_sim_workers_destroy(w);
    return NULL;
}

size_t kiln_sim_workers_room(const kiln_sim_workers_t *w)
{
    return w->capacity;
}

// In a forked child of the process that started the threads, they do not exist, and locks may be
// held by threads that do not exist.
static void forget_parent(kiln_sim_workers_t *w)
{
    if (w->process == getpid())
        return;
    w->process = getpid();
    w->started = w->wanted = w->working = 0;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    pthread_cond_init(&w->idle, NULL);
}

void kiln_sim_workers_quiesce(kiln_sim_workers_t *w)
{
    forget_parent(w);
    pthread_mutex_lock(&w->lock);
    const bool idle = w->working == 0;
    w->quit = idle;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; idle && i < w->started; i++)
        pthread_join(w->workers[i].thread, NULL);
    if (idle)
        w->started = 0;
    w->quit = false;
}

void kiln_sim_workers_destroy(kiln_sim_workers_t *w)
{
    if (!w)
        return;
    kiln_sim_workers_quiesce(w);
    for (size_t i = 0; w->threads && i < w->capacity; i++)
        kiln_sim_thread_free(&w->threads[i]);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->wake);
    pthread_cond_destroy(&w->idle);
    free(w->threads);
    free(w->workers);
    free(w);
}

kiln_sim_thread_t *kiln_sim_workers_prepare(kiln_sim_workers_t *w, kiln_sim_launch_t *launch,
                                            size_t count, size_t instructions)
{
    for (size_t i = 0; i < count; i++) {
        kiln_sim_thread_t *thread = &w->threads[i];
        if (!kiln_sim_thread_reserve(thread, instructions))
            return NULL;
        memset(thread->counts, 0, thread->count_capacity * sizeof *thread->counts);
        memset(thread->totals, 0, thread->count_capacity * sizeof *thread->totals);
        thread->priced = thread->known = thread->equal_turns = 0;
        thread->all = thread->slowest = (kiln_sim_work_t){0};
        memset(&thread->dynamic, 0, sizeof thread->dynamic);
        memset(thread->ticks, 0, sizeof thread->ticks);
        thread->waited = 0;
        memset(thread->recent, 0, sizeof thread->recent); // memory may have been freed
        thread->launch = launch;
        thread->image = launch->image;
    }
    return w->threads;
}

void kiln_sim_workers_run(kiln_sim_workers_t *w, kiln_sim_launch_t *launch, size_t count)
{
    forget_parent(w);
    pthread_mutex_lock(&w->lock);
    while (w->started + 1 < count) {
        worker_t *worker = &w->workers[w->started];
        *worker = (worker_t){.all = w, .own = w->started};
        if (pthread_create(&worker->thread, NULL, worker_main, worker) != 0)
            break; // run with fewer threads
        w->started++;
    }
    const size_t wanted = w->started + 1 < count ? w->started : count - 1;
    launch->gws_threads = (unsigned)wanted + 1;
    if (wanted + 1 < count)
        launch->threads = (unsigned)wanted + 1; // which share the limit of resident workgroups
    w->number++;
    w->wanted = wanted;
    w->joined = 0;
    if (wanted)
        pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    kiln_sim_thread_run(&w->threads[0]);
    pthread_mutex_lock(&w->lock);
    w->wanted = 0;
    kiln_sim_gws_leave(launch, (unsigned)(wanted - w->joined));
    while (w->working)
        pthread_cond_wait(&w->idle, &w->lock);
    pthread_mutex_unlock(&w->lock);
}
