// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The problems of bench_tune.c (tune_problems.def), and how they are made ready for the tuner.
#ifndef KILN_BENCH_TUNE_ROWS_H
#define KILN_BENCH_TUNE_ROWS_H

#include "kiln/tune_runner.h"

enum { ROW_WORDS = 16, ROW_AXES = 10, ROW_VALUES = 8 };

typedef struct row {
    const char *name, *file, *grid; // grid NULL: the declared one
    const char *words[ROW_WORDS];
    struct {
        const char *name, *values[ROW_VALUES];
    } axes[ROW_AXES];
} row_t;

extern const row_t bench_rows[];
extern const size_t bench_row_count;

// Exits with a message if there is an error.
void bench_must(kiln_status_t status);

// Zeroed memory; exits if there is none.
void *bench_allocate(size_t count, size_t size);

// Calls `use` with the row's problem, which is valid until it returns. The problem knows of its
// arguments what a JIT would.
void bench_with_row(kiln_device_t *device, kiln_tune_store_t *store, const row_t *row,
                    void (*use)(const row_t *row, const kiln_tune_problem_t *problem, void *user),
                    void *user);

// The value of an axis in a configuration "NAME=V NAME=V"; 0 if there is none.
long bench_setting(const char *config, const char *name);

#endif
