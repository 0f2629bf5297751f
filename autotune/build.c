// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles candidates on several threads. They run at most AHEAD candidates ahead of the last one
// that was taken, so that not all kernels of a large space are in memory at once.
#include "build.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/parallel.h"

enum { AHEAD = 64 };

typedef enum slot_state { SLOT_OPEN, SLOT_TAKEN, SLOT_DONE } slot_state_t;

typedef struct slot {
    kiln_tune_build_t build;
    slot_state_t state;
} slot_t;

struct kiln_tune_builder {
    const kiln_tune_problem_t *problem;
    const kiln_steps_t *steps;
    const kiln_tune_candidate_t *candidates;
    const bool *skipped;
    size_t count, next, taken; // candidates below `taken` have been taken
    slot_t *slots;             // index modulo AHEAD
    kiln_session_t *own;       // of the calling thread
    kiln_threads_t threads;    // none: the calling thread compiles what it takes
    bool stops;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

// Keeps the compiler's diagnostics until the calling thread can report them. Errors become the
// reason for a rejection.
typedef struct listener {
    char **diagnostics;
    kiln_status_t failure; // error of keeping a diagnostic
} listener_t;

static void keep_warning(const kiln_diagnostic_t *diagnostic, void *user)
{
    listener_t *listener = user;
    if (diagnostic->severity != KILN_SEVERITY_ERROR && !listener->failure)
        listener->failure = kiln_diagnostic_serialize(diagnostic, listener->diagnostics);
}

static void free_kernels(kiln_tune_build_t *build)
{
    for (size_t i = 0; i < build->count && build->kernels; i++)
        kiln_kernel_release(build->kernels[i]);
    free(build->kernels);
    build->kernels = NULL;
}

void kiln_tune_build_free(kiln_tune_build_t *build)
{
    free_kernels(build);
    kiln_status_free(build->failure);
    free(build->diagnostics);
    *build = (kiln_tune_build_t){0};
}

static kiln_status_t compile(kiln_session_t *session, const kiln_tune_builder_t *builder,
                             size_t step, const kiln_tune_candidate_t *candidate,
                             kiln_kernel_t **out_kernel)
{
    kiln_compile_options_t options;
    kiln_setting_t *defines;
    kiln_status_t status =
        kiln_steps_options(builder->steps, step, builder->problem, candidate, &options, &defines);
    if (!status)
        status = kiln_compile(session, &builder->steps->items[step].source, &options, out_kernel);
    free(defines);
    return status;
}

static kiln_status_t compile_all(kiln_session_t *session, const kiln_tune_builder_t *builder,
                                 const kiln_tune_candidate_t *candidate, kiln_tune_build_t *made)
{
    made->count = builder->steps->count;
    if (!(made->kernels = calloc(made->count, sizeof *made->kernels)))
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < made->count; i++)
        KILN_TRY(compile(session, builder, i, candidate, &made->kernels[i]));
    return KILN_OK;
}

static kiln_tune_build_t build(kiln_session_t **session, const kiln_tune_builder_t *builder,
                               size_t index)
{
    kiln_tune_build_t made = {0};
    listener_t listener = {.diagnostics = &made.diagnostics};
    const double begin = kiln_now_ms();
    if (!*session)
        made.failure = kiln_session_create(session);
    if (!made.failure) {
        if (builder->problem->diagnostic)
            kiln_session_set_diagnostic_handler(*session, keep_warning, &listener);
        made.failure = compile_all(*session, builder, &builder->candidates[index], &made);
    }
    made.compile_ms = kiln_now_ms() - begin;
    if (!made.failure)
        made.failure = listener.failure;
    else
        kiln_status_free(listener.failure);
    if (made.failure) // or only its warnings could not be kept
        free_kernels(&made);
    return made;
}

// Takes the next candidate to compile; false if there is none, or it is too far ahead.
static bool claim(kiln_tune_builder_t *builder, size_t *out_index)
{
    while (builder->next < builder->count && builder->skipped[builder->next])
        builder->next++;
    if (builder->next >= builder->count || builder->next >= builder->taken + AHEAD)
        return false;
    *out_index = builder->next++;
    builder->slots[*out_index % AHEAD].state = SLOT_TAKEN;
    return true;
}

static void *work(void *user)
{
    kiln_tune_builder_t *builder = user;
    kiln_session_t *session = NULL;
    pthread_mutex_lock(&builder->mutex);
    while (!builder->stops) {
        size_t index;
        if (!claim(builder, &index)) {
            if (builder->next >= builder->count)
                break;
            pthread_cond_wait(&builder->changed, &builder->mutex);
            continue;
        }
        pthread_mutex_unlock(&builder->mutex);
        const kiln_tune_build_t made = build(&session, builder, index);
        pthread_mutex_lock(&builder->mutex);
        builder->slots[index % AHEAD] = (slot_t){made, SLOT_DONE};
        pthread_cond_broadcast(&builder->changed);
    }
    pthread_mutex_unlock(&builder->mutex);
    kiln_session_release(session);
    return NULL;
}

kiln_status_t kiln_tune_builder_create(const kiln_tune_problem_t *problem,
                                       const kiln_steps_t *steps,
                                       const kiln_tune_candidate_t *candidates, const bool *skipped,
                                       size_t count, kiln_tune_builder_t **out_builder)
{
    kiln_tune_builder_t *builder = *out_builder = calloc(1, sizeof *builder);
    slot_t *slots = calloc(AHEAD, sizeof *slots);
    if (!builder || !slots) {
        free(builder);
        free(slots);
        *out_builder = NULL;
        return kiln_status_out_of_memory();
    }
    builder->problem = problem;
    builder->steps = steps;
    builder->candidates = candidates;
    builder->skipped = skipped;
    builder->count = count;
    builder->slots = slots;
    pthread_mutex_init(&builder->mutex, NULL);
    pthread_cond_init(&builder->changed, NULL);
    const size_t wanted =
        kiln_parallel_threads(problem->jobs > 0 ? (size_t)problem->jobs : 0, count);
    if (wanted > 1)
        kiln_threads_start(&builder->threads, wanted, work, builder);
    return KILN_OK;
}

kiln_status_t kiln_tune_builder_take(kiln_tune_builder_t *builder, size_t index,
                                     kiln_tune_build_t *out_build)
{
    slot_t *slot = &builder->slots[index % AHEAD];
    if (builder->threads.count == 0) {
        *out_build = build(&builder->own, builder, index);
    } else {
        pthread_mutex_lock(&builder->mutex);
        builder->taken = index; // those in between are skipped
        pthread_cond_broadcast(&builder->changed);
        while (slot->state != SLOT_DONE)
            pthread_cond_wait(&builder->changed, &builder->mutex);
        *out_build = slot->build;
        *slot = (slot_t){0};
        builder->taken = index + 1;
        pthread_cond_broadcast(&builder->changed);
        pthread_mutex_unlock(&builder->mutex);
    }
    kiln_status_t failure = out_build->failure;
    if (!kiln_tune_is_host_failure(failure))
        return KILN_OK;
    out_build->failure = KILN_OK;
    kiln_tune_build_free(out_build);
    return failure;
}

void kiln_tune_builder_release(kiln_tune_builder_t *builder)
{
    if (!builder)
        return;
    pthread_mutex_lock(&builder->mutex);
    builder->stops = true;
    pthread_cond_broadcast(&builder->changed);
    pthread_mutex_unlock(&builder->mutex);
    kiln_threads_join(&builder->threads);
    for (size_t i = 0; i < AHEAD; i++)
        kiln_tune_build_free(&builder->slots[i].build);
    kiln_session_release(builder->own);
    pthread_cond_destroy(&builder->changed);
    pthread_mutex_destroy(&builder->mutex);
    free(builder->slots);
    free(builder);
}
