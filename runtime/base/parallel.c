// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts threads, works on the calling thread too, and joins them.
#include "base/parallel.h"

#include <pthread.h>
#include <unistd.h>

void kiln_parallel(size_t jobs, size_t count, void *(*work)(void *user), void *user)
{
    pthread_t threads[KILN_PARALLEL_MAX];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = jobs ? jobs : cores > 0 ? (size_t)cores : 1, started = 0;
    if (wanted > count)
        wanted = count;
    if (wanted > KILN_PARALLEL_MAX)
        wanted = KILN_PARALLEL_MAX;
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, user) == 0)
        started++;
    work(user);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}
