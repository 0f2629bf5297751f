// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts threads, works on the calling thread too, and joins them.
#include "base/parallel.h"

#include <unistd.h>

size_t kiln_parallel_threads(size_t jobs, size_t count)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = jobs ? jobs : cores > 0 ? (size_t)cores : 1;
    if (wanted > count)
        wanted = count;
    return wanted < KILN_PARALLEL_MAX ? wanted : KILN_PARALLEL_MAX;
}

void kiln_threads_start(kiln_threads_t *threads, size_t count, void *(*work)(void *user),
                        void *user)
{
    threads->count = 0;
    while (threads->count < count && threads->count < KILN_PARALLEL_MAX &&
           pthread_create(&threads->all[threads->count], NULL, work, user) == 0)
        threads->count++;
}

void kiln_threads_join(kiln_threads_t *threads)
{
    for (size_t i = 0; i < threads->count; i++)
        pthread_join(threads->all[i], NULL);
    threads->count = 0;
}

void kiln_parallel(size_t jobs, size_t count, void *(*work)(void *user), void *user)
{
    kiln_threads_t others;
    const size_t wanted = kiln_parallel_threads(jobs, count);
    kiln_threads_start(&others, wanted ? wanted - 1 : 0, work, user);
    work(user);
    kiln_threads_join(&others);
}
