// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the work of Tile C programs for the tests of kiln/work.h and kiln/tune_model.h.
#ifndef KILN_TEST_WORK_COUNT_H
#define KILN_TEST_WORK_COUNT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "expect_status.h"
#include "kiln/tune_model.h"

enum { MAX_ARGUMENTS = 16 };

static kiln_session_t *session;

typedef struct program {
    char *text;
    kiln_work_t *work;
    kiln_workload_t *load;
} program_t;

// Values of the arguments in the kernel's order: pointers become addresses that are multiples of
// 4096.
typedef struct value {
    bool is_pointer;
    int32_t integer;
} value_t;
#define P {true, 0}
#define I(n) {false, n}

static inline program_t count(const char *text, size_t length, const char *const *defines,
                              const unsigned grid[3], const value_t *values, size_t value_count)
{
    program_t program = {0};
    kiln_setting_t settings[8];
    kiln_compile_options_t options;
    kiln_work_launch_t launch;
    uint64_t cells[MAX_ARGUMENTS] = {0};
    void *args[MAX_ARGUMENTS];
    const kiln_source_t source = {KILN_STAGE_TILE, "example.tile.c", text, length};
    kiln_compile_options_initialize(&options);
    options.defines = settings;
    for (; defines && defines[2 * options.define_count]; options.define_count++)
        settings[options.define_count] = (kiln_setting_t){defines[2 * options.define_count],
                                                          defines[2 * options.define_count + 1]};
    expect_ok(kiln_work_create(session, &source, &options, &program.work));
    assert_int_equal(kiln_kernel_argument_count(kiln_work_kernel(program.work)), value_count);
    kiln_work_launch_initialize(&launch);
    memcpy(launch.grid, grid, sizeof launch.grid);
    for (size_t i = 0; i < value_count; i++) {
        if (values[i].is_pointer)
            cells[i] = (uint64_t)(i + 1) << 32;
        else
            memcpy(&cells[i], &values[i].integer, sizeof values[i].integer);
        args[i] = &cells[i];
    }
    launch.args = args;
    expect_ok(kiln_work_measure(program.work, &launch, &program.load));
    return program;
}

static inline program_t count_example(const char *name, const char *const *defines, unsigned x,
                                      unsigned y, const value_t *values, size_t value_count)
{
    char path[512], *text;
    size_t length;
    const unsigned grid[] = {x, y, 1};
    snprintf(path, sizeof path, KILN_SOURCE_DIR "/examples/%s.tile.c", name);
    expect_ok(kiln_file_read(path, &text, &length));
    program_t program = count(text, length, defines, grid, values, value_count);
    program.text = text;
    return program;
}

#define VALUES(values) values, sizeof(values) / sizeof *(values)

static inline void release(program_t *program)
{
    kiln_workload_release(program->load);
    kiln_work_release(program->work);
    free(program->text);
}

// gemm: M N K lda ldb ldc.
static inline program_t count_gemm(int m, int n, int k, const char *block_m, const char *block_n,
                                   const char *block_k)
{
    const char *const defines[] = {"BLOCK_M", block_m, "BLOCK_N", block_n,
                                   "BLOCK_K", block_k, NULL};
    const value_t values[] = {P, P, P, I(m), I(n), I(k), I(k), I(n), I(n)};
    const int rows = atoi(block_m), columns = atoi(block_n);
    return count_example("gemm", defines,
                         (unsigned)((m + rows - 1) / rows * ((n + columns - 1) / columns)), 1,
                         VALUES(values));
}

static inline int set_up(void **state)
{
    (void)state;
    return kiln_session_create(&session) != NULL;
}

static inline int tear_down(void **state)
{
    (void)state;
    kiln_session_release(session);
    return 0;
}

#endif
