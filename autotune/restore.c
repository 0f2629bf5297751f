// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Restores the buffers that a launch changes, before the next launch of a measurement.
//
// The first launch shows which buffers these are: equal launches from equal contents change the
// same ones. The other buffers are not written, since this would take time and move their data into
// other caches. With rotation (rotate.c) the copy of the last launch is restored, and the next one
// uses another copy.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "runner.h"

void kiln_runner_begin(kiln_tune_runner_t *runner)
{
    kiln_runner_saved_t *saved = &runner->saved;
    for (size_t i = 0; i < saved->own_count; i++)
        free(saved->own_initial[i]);
    free(saved->own_initial);
    free(saved->changes);
    *saved = (kiln_runner_saved_t){.state = KILN_RUNNER_FRESH};
    runner->rotation.current = 0;
}

// Keeps the contents of the candidate's own buffers, which were created for this launch.
static kiln_status_t save_own(kiln_tune_runner_t *runner)
{
    kiln_runner_saved_t *saved = &runner->saved;
    const size_t count = kiln_arguments_buffer_count(runner->own);
    saved->own_initial = calloc(count + 1, sizeof *saved->own_initial);
    if (!saved->own_initial)
        return kiln_status_out_of_memory();
    saved->own_count = count;
    for (size_t i = 0; i < count; i++)
        KILN_TRY(kiln_runner_keep(kiln_arguments_buffer(runner->own, i), &saved->own_initial[i]));
    return KILN_OK;
}

static const kiln_named_buffer_t *buffer_of(kiln_tune_runner_t *runner, size_t index,
                                            char ***out_initial)
{
    const size_t own = index - runner->buffer_count;
    const bool is_own = index >= runner->buffer_count;
    *out_initial = is_own ? &runner->saved.own_initial[own] : &runner->initial[index];
    return is_own ? kiln_arguments_buffer(runner->own, own)
                  : kiln_arguments_buffer(runner->arguments, index);
}

static kiln_status_t find_changes(kiln_tune_runner_t *runner, size_t count)
{
    char *now = NULL;
    kiln_status_t status = KILN_OK;
    if (!(runner->saved.changes = calloc(count + 1, sizeof *runner->saved.changes)))
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < count && !status; i++) {
        char **initial;
        const kiln_named_buffer_t *buffer = buffer_of(runner, i, &initial);
        if (!*initial && kiln_named_buffer_is_initial(buffer))
            continue;
        status = kiln_runner_initial(buffer, initial);
        if (!status)
            status = kiln_runner_read(buffer, &now);
        runner->saved.changes[i] = !status && memcmp(now, *initial, buffer->size) != 0;
    }
    free(now);
    return status;
}

kiln_status_t kiln_tune_runner_restore(void *user)
{
    KILN_REQUIRE(user);
    kiln_tune_runner_t *runner = user;
    kiln_runner_saved_t *saved = &runner->saved;
    if (saved->state == KILN_RUNNER_FRESH) {
        KILN_TRY(save_own(runner));
        saved->state = KILN_RUNNER_LAUNCHED;
        return KILN_OK;
    }
    const size_t count = runner->buffer_count + saved->own_count;
    if (saved->state == KILN_RUNNER_LAUNCHED)
        KILN_TRY(find_changes(runner, count));
    saved->state = KILN_RUNNER_COMPARED;
    KILN_TRY(kiln_runner_clean(runner));
    for (size_t i = runner->rotation.bytes ? runner->buffer_count : 0; i < count; i++) {
        char **initial;
        const kiln_named_buffer_t *buffer = buffer_of(runner, i, &initial);
        if (saved->changes[i])
            KILN_TRY(kiln_runner_reset(buffer, *initial));
    }
    KILN_TRY(kiln_runner_turn(runner));
    return kiln_runner_invalidate_code(runner);
}
