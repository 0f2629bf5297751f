// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that share a queue: how many there are, that each item is taken once, and that started
// threads run beside their starter.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/parallel.h"

enum { ITEMS = 1000 };

typedef struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t next, callers, open; // `open`: items that may be taken
    bool ends;
    unsigned taken[ITEMS];
} queue_t;

static void queue_begin(queue_t *queue)
{
    *queue = (queue_t){.open = ITEMS, .ends = true};
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->changed, NULL);
}

static void queue_end(queue_t *queue)
{
    for (size_t i = 0; i < ITEMS; i++)
        assert_int_equal(queue->taken[i], 1);
    pthread_mutex_destroy(&queue->mutex);
    pthread_cond_destroy(&queue->changed);
}

// Takes items until there are none, or no more will be opened.
static void *take(void *user)
{
    queue_t *queue = user;
    pthread_mutex_lock(&queue->mutex);
    queue->callers++;
    while (queue->next < queue->open || !queue->ends) {
        if (queue->next < queue->open) {
            queue->taken[queue->next++]++;
            pthread_cond_broadcast(&queue->changed);
        } else {
            pthread_cond_wait(&queue->changed, &queue->mutex);
        }
    }
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

static void threads_are_counted(void **state)
{
    (void)state;
    const size_t cores = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    const size_t expected = cores < KILN_PARALLEL_MAX ? cores : KILN_PARALLEL_MAX;
    assert_int_equal(kiln_parallel_threads(0, SIZE_MAX), expected);
    assert_int_equal(kiln_parallel_threads(3, 10), 3);
    assert_int_equal(kiln_parallel_threads(3, 2), 2);
    assert_int_equal(kiln_parallel_threads(3, 0), 0);
    assert_int_equal(kiln_parallel_threads(SIZE_MAX, SIZE_MAX), KILN_PARALLEL_MAX);
}

static void each_item_is_taken_once(void **state)
{
    (void)state;
    static const size_t jobs[] = {1, 2, 7, KILN_PARALLEL_MAX + 1};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        queue_t queue;
        queue_begin(&queue);
        kiln_parallel(jobs[i], ITEMS, take, &queue);
        assert_in_range(queue.callers, 1, jobs[i]);
        queue_end(&queue);
    }
}

// Without items, the calling thread looks at the empty queue.
static void an_empty_queue_starts_no_thread(void **state)
{
    (void)state;
    queue_t queue = {
        .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .ends = true};
    kiln_parallel(4, 0, take, &queue);
    assert_int_equal(queue.callers, 1);
}

static void threads_run_beside_their_starter(void **state)
{
    (void)state;
    queue_t queue;
    kiln_threads_t threads;
    queue_begin(&queue);
    queue.open = 0;
    queue.ends = false;
    kiln_threads_start(&threads, 2, take, &queue);
    assert_int_equal(threads.count, 2);
    // They wait for items, which the starter opens one by one.
    pthread_mutex_lock(&queue.mutex);
    while (queue.open < ITEMS) {
        queue.open++;
        pthread_cond_broadcast(&queue.changed);
        while (queue.next < queue.open)
            pthread_cond_wait(&queue.changed, &queue.mutex);
    }
    queue.ends = true;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.mutex);
    kiln_threads_join(&threads);
    assert_int_equal(threads.count, 0);
    assert_int_equal(queue.callers, 2);
    queue_end(&queue);
}

static void no_threads_are_joined(void **state)
{
    (void)state;
    queue_t queue;
    kiln_threads_t threads = {.count = 0};
    kiln_threads_join(&threads);
    queue_begin(&queue);
    kiln_threads_start(&threads, 0, take, &queue);
    assert_int_equal(threads.count, 0);
    take(&queue);
    kiln_threads_join(&threads);
    queue_end(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_counted),
        cmocka_unit_test(each_item_is_taken_once),
        cmocka_unit_test(an_empty_queue_starts_no_thread),
        cmocka_unit_test(threads_run_beside_their_starter),
        cmocka_unit_test(no_threads_are_joined),
    };
    return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
