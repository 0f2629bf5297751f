// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that take turns on copies of the buffers, so that none finds its data in the caches.
//
// The copies have together at least twice the bytes of the Infinity Cache, so that a copy has been
// evicted when its turn comes again. Filling a large buffer between launches would evict it, too,
// but leave the caches full of changed lines, which the launch would have to write back. A copy
// that a launch has changed is restored after it, not before its own next turn, which would leave
// its data in the caches. Therefore there are two copies even of large buffers. The changed lines
// that this leaves are as many as the bytes of the buffers that a launch changes.
//
// Buffers that are made anew for each candidate do not rotate. The first launch of a candidate, and
// the one whose results are verified, use the buffers themselves.
#include <stdlib.h>

#include "base/gfx942.h"
#include "base/require.h"
#include "runner.h"

// Copies are this many bytes apart, or a multiple; the allocator's alignment is no smaller.
enum { ALIGNMENT = 256, MIN_COPIES = 2 };

static size_t stride_of(const kiln_named_buffer_t *buffer)
{
    return (buffer->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

kiln_status_t kiln_tune_runner_rotate(kiln_tune_runner_t *runner, uint64_t bytes)
{
    KILN_REQUIRE(runner);
    if (runner->rotation.count)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: the runner has been used already",
                                __func__);
    if (!kiln_arguments_device(runner->arguments))
        return kiln_status_make(KILN_STATUS_USAGE, "%s: the arguments have no device", __func__);
    runner->rotation.bytes = bytes ? bytes : UINT64_C(2) * KILN_GFX942_INFINITY_CACHE_BYTES;
    return KILN_OK;
}

void kiln_runner_rotation_free(kiln_tune_runner_t *runner)
{
    for (size_t i = 0; i < runner->buffer_count && runner->rotation.copies; i++)
        kiln_buffer_release(runner->rotation.copies[i]);
    free(runner->rotation.copies);
    runner->rotation = (kiln_runner_rotation_t){.bytes = runner->rotation.bytes};
}

static kiln_status_t make_copies(kiln_tune_runner_t *runner, size_t index)
{
    kiln_runner_rotation_t *rotation = &runner->rotation;
    const kiln_named_buffer_t *buffer = kiln_arguments_buffer(runner->arguments, index);
    const size_t stride = stride_of(buffer);
    if (buffer->size == 0)
        return KILN_OK;
    if (rotation->count > SIZE_MAX / stride)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "%zu copies of '%s', %zu bytes each, exceed the address space",
                                rotation->count, buffer->name, stride);
    KILN_TRY_NOTE(kiln_buffer_create(kiln_arguments_device(runner->arguments),
                                     stride * rotation->count, &rotation->copies[index]),
                  "for %zu copies of '%s', so that launches find cold caches", rotation->count,
                  buffer->name);
    kiln_buffer_t *copies = rotation->copies[index];
    KILN_TRY(kiln_runner_initial(buffer, &runner->initial[index]));
    KILN_TRY(kiln_buffer_write(copies, 0, runner->initial[index], buffer->size));
    // Small buffers have millions of copies: each step doubles those that have been written.
    for (size_t done = 1, more; done < rotation->count; done += more) {
        more = rotation->count - done < done ? rotation->count - done : done;
        KILN_TRY(kiln_buffer_copy(copies, done * stride, copies, 0, more * stride));
    }
    return KILN_OK;
}

static kiln_status_t make_all(kiln_tune_runner_t *runner)
{
    kiln_runner_rotation_t *rotation = &runner->rotation;
    uint64_t total = 0;
    for (size_t i = 0; i < runner->buffer_count; i++)
        total += stride_of(kiln_arguments_buffer(runner->arguments, i));
    const uint64_t wanted = total ? (rotation->bytes - 1) / total + 1 : MIN_COPIES;
    if (!(rotation->copies = calloc(runner->buffer_count + 1, sizeof *rotation->copies)))
        return kiln_status_out_of_memory();
    rotation->count = wanted > MIN_COPIES ? (size_t)wanted : MIN_COPIES;
    rotation->next = 1;
    for (size_t i = 0; i < runner->buffer_count; i++)
        KILN_TRY(make_copies(runner, i));
    return KILN_OK;
}

kiln_status_t kiln_runner_clean(kiln_tune_runner_t *runner)
{
    const kiln_runner_rotation_t *rotation = &runner->rotation;
    if (rotation->current == 0 || !runner->saved.changes)
        return KILN_OK;
    for (size_t i = 0; i < runner->buffer_count; i++) {
        const kiln_named_buffer_t *buffer = kiln_arguments_buffer(runner->arguments, i);
        if (runner->saved.changes[i])
            KILN_TRY(kiln_buffer_write(rotation->copies[i],
                                       (rotation->current - 1) * stride_of(buffer),
                                       runner->initial[i], buffer->size));
    }
    return KILN_OK;
}

// The address of a copy's byte (copy 0: the buffer's) that is that of copy `from`; others stay.
static uint64_t move(const kiln_tune_runner_t *runner, uint64_t address, size_t from, size_t to)
{
    for (size_t i = 0; i < runner->buffer_count; i++) {
        const kiln_named_buffer_t *buffer = kiln_arguments_buffer(runner->arguments, i);
        const kiln_buffer_t *copies = runner->rotation.copies[i];
        const size_t stride = stride_of(buffer);
        if (!copies)
            continue;
        const uint64_t all = kiln_buffer_address(copies),
                       old = from ? all + (from - 1) * stride : buffer->address,
                       now = to ? all + (to - 1) * stride : buffer->address;
        if (address - old < buffer->size)
            return now + (address - old);
    }
    return address;
}

static void move_pointers(kiln_tune_runner_t *runner, size_t from, size_t to)
{
    for (size_t i = 0; i < runner->launch_count; i++)
        for (size_t k = 0; k < runner->launches[i].value_count; k++)
            if (runner->launches[i].is_pointer[k])
                runner->launches[i].storage[k] =
                    move(runner, runner->launches[i].storage[k], from, to);
}

kiln_status_t kiln_runner_turn(kiln_tune_runner_t *runner)
{
    kiln_runner_rotation_t *rotation = &runner->rotation;
    if (rotation->bytes == 0)
        return KILN_OK;
    kiln_status_t status = rotation->count ? KILN_OK : make_all(runner);
    if (status) { // the next launch tries it again, and does not use what has been made
        kiln_runner_rotation_free(runner);
        return status;
    }
    move_pointers(runner, rotation->current, rotation->next);
    rotation->current = rotation->next;
    rotation->next = rotation->next % rotation->count + 1;
    return KILN_OK;
}

uint64_t kiln_tune_runner_address(const kiln_tune_runner_t *runner, uint64_t address)
{
    return runner && runner->rotation.current ? move(runner, address, 0, runner->rotation.current)
                                              : address;
}
