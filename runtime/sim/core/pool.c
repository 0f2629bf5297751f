// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/gws.h"

static struct {
    kiln_sim_thread_t *threads; // the calling thread's state, then the workers'
    size_t capacity;
    pthread_t *workers; // one less
    size_t started;

    pthread_mutex_t lock; // of what follows
    pthread_cond_t wake, idle;
    uint64_t number; // of the latest launch
    size_t wanted;   // workers that may join it; 0 where it is over
    size_t joined, working;
    bool quit;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .idle = PTHREAD_COND_INITIALIZER};

static void *worker_main(void *argument)
{
    const size_t own = (size_t)(uintptr_t)argument; // from 0
    uint64_t seen = 0;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!pool.quit && (pool.number == seen || own >= pool.wanted))
            pthread_cond_wait(&pool.wake, &pool.lock);
        if (pool.quit)
            break;
        seen = pool.number;
        pool.joined++;
        pool.working++;
        pthread_mutex_unlock(&pool.lock);
        kiln_sim_thread_run(&pool.threads[own + 1]);
        pthread_mutex_lock(&pool.lock);
        if (--pool.working == 0)
            pthread_cond_signal(&pool.idle);
    }
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

// A forked child has none of the threads.
static void after_fork(void)
{
    pool.started = pool.wanted = pool.working = 0;
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.idle, NULL);
}

static bool reserve(size_t count)
{
    if (pool.capacity)
        return count <= pool.capacity;
    pthread_atfork(NULL, NULL, after_fork);
    pool.threads = calloc(count, sizeof *pool.threads);
    pool.workers = calloc(count, sizeof *pool.workers);
    pool.capacity = pool.threads && pool.workers ? count : 0;
    return pool.capacity > 0;
}

kiln_sim_thread_t *kiln_sim_pool_prepare(kiln_sim_launch_t *launch, size_t count, size_t instructions)
{
    // The number of threads is an option of the process, so the states never have to move.
    if (!reserve(launch->options->threads > count ? launch->options->threads : count))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        kiln_sim_thread_t *thread = &pool.threads[i];
        if (!kiln_sim_thread_reserve(thread, instructions))
            return NULL;
        memset(thread->counts, 0, thread->count_capacity * sizeof *thread->counts);
        memset(&thread->dynamic, 0, sizeof thread->dynamic);
        memset(thread->ticks, 0, sizeof thread->ticks);
        memset(thread->recent, 0, sizeof thread->recent); // memory may have been freed
        thread->launch = launch;
        thread->image = launch->image;
    }
    return pool.threads;
}

void kiln_sim_pool_run(kiln_sim_launch_t *launch, size_t count)
{
    pthread_mutex_lock(&pool.lock);
    while (pool.started + 1 < count) {
        if (pthread_create(&pool.workers[pool.started], NULL, worker_main, (void *)(uintptr_t)pool.started) != 0)
            break; // fewer threads do the same work
        pool.started++;
    }
    const size_t wanted = pool.started + 1 < count ? pool.started : count - 1;
    launch->gws_threads = (unsigned)wanted + 1;
    pool.number++;
    pool.wanted = wanted;
    pool.joined = 0;
    if (wanted)
        pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    kiln_sim_thread_run(&pool.threads[0]);
    pthread_mutex_lock(&pool.lock);
    pool.wanted = 0;
    kiln_sim_gws_leave(launch, (unsigned)(wanted - pool.joined));
    while (pool.working)
        pthread_cond_wait(&pool.idle, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

// The library goes, or the process ends. Threads that are in the middle of a launch are left alone.
__attribute__((destructor)) static void close_pool(void)
{
    pthread_mutex_lock(&pool.lock);
    const bool idle = pool.working == 0;
    const size_t started = pool.started;
    pool.quit = true;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    for (size_t i = 0; idle && i < started; i++)
        pthread_join(pool.workers[i], NULL);
}
