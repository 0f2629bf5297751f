// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that take work from one queue: for the duration of a call (kiln_parallel), or beside the
// caller until it joins them (kiln_threads_t).
//
// The simulator's threads outlive their work and wait for more: sim/run/workers.h,
// hip_sim/stream/engine.h.
#ifndef KILN_BASE_PARALLEL_H
#define KILN_BASE_PARALLEL_H

#include <pthread.h>
#include <stddef.h>

enum { KILN_PARALLEL_MAX = 256 };

// The number of threads that `jobs` requests for `count` items: `jobs`, or the number of cores if
// it is 0, but no more than `count` and KILN_PARALLEL_MAX.
size_t kiln_parallel_threads(size_t jobs, size_t count);

// Calls work(user) on kiln_parallel_threads(jobs, count) threads, including the calling one, and
// returns when all calls have returned. Each call takes items from a queue, which `user` protects,
// until it is empty. A thread that cannot be started only costs time.
void kiln_parallel(size_t jobs, size_t count, void *(*work)(void *user), void *user);

// Running threads. Zeroed: none.
typedef struct kiln_threads {
    pthread_t all[KILN_PARALLEL_MAX];
    size_t count;
} kiln_threads_t;

// Starts up to `count` threads, at most KILN_PARALLEL_MAX, that call work(user). Fewer are started,
// possibly none, if the system has no more: the caller then has to do their work.
void kiln_threads_start(kiln_threads_t *threads, size_t count, void *(*work)(void *user),
                        void *user);
// Waits until all calls have returned. `threads` then has none.
void kiln_threads_join(kiln_threads_t *threads);

#endif
