// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of the results of Tile C: the same text is interpreted and, compiled, run on the
// simulator, and each time the test compares the buffers with its own numbers.
//
// Inputs are restored between the two runs, so a kernel may change them.
#ifndef KILN_TEST_RUN_BOTH_H
#define KILN_TEST_RUN_BOTH_H

#include "kiln/interp.h"
#include "run_kernel.h"

static inline void interpret(const kiln_source_t *source, const kiln_compile_options_t *options,
                             unsigned programs, const argument_t *arguments, size_t count,
                             void (*print)(const char *, void *))
{
    enum { LIMIT = 16 };
    kiln_session_t *session;
    kiln_interp_t *interp;
    kiln_interp_buffer_t buffers[LIMIT];
    uint64_t bits[LIMIT] = {0};
    size_t buffer_count = 0;
    kiln_interp_launch_t launch;
    assert_true(count <= LIMIT);
    expect_ok(kiln_session_create(&session));
    expect_ok(kiln_interp_create(session, source, options, &interp));
    for (size_t i = 0; i < count; i++) {
        if (arguments[i].is_scalar) {
            memcpy(&bits[i], arguments[i].data, arguments[i].size);
            continue;
        }
        bits[i] = (i + 1) << 32;
        buffers[buffer_count++] =
            (kiln_interp_buffer_t){"buffer", bits[i], arguments[i].data, arguments[i].size};
    }
    kiln_interp_launch_initialize(&launch);
    launch.grid[0] = programs;
    launch.arguments = bits;
    launch.argument_count = count;
    launch.buffers = buffers;
    launch.buffer_count = buffer_count;
    launch.print = print;
    expect_ok(kiln_interp_launch(interp, &launch));
    kiln_interp_release(interp);
    kiln_session_release(session);
}

// `check` is called after each run.
static inline void run_both(const char *text, unsigned programs, const argument_t *arguments,
                            size_t count, void (*check)(void))
{
    enum { LIMIT = 16 };
    kiln_source_t source = {KILN_STAGE_TILE, "test.tile.c", text, strlen(text)};
    kiln_compile_options_t options;
    void *kept[LIMIT];
    assert_true(count <= LIMIT);
    kiln_compile_options_initialize(&options);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(kept[i] = malloc(arguments[i].size));
        memcpy(kept[i], arguments[i].data, arguments[i].size);
    }
    interpret(&source, &options, programs, arguments, count, NULL);
    check();
    for (size_t i = 0; i < count; i++) {
        memcpy(arguments[i].data, kept[i], arguments[i].size);
        free(kept[i]);
    }
    run_kernel(&source, &options, programs, arguments, count);
    check();
}

#endif
