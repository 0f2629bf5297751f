// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of `kiln bench` as rows: of the sizes in a file (--sizes), as a table, CSV or JSON.
#ifndef KILN_CLI_BENCH_ROWS_H
#define KILN_CLI_BENCH_ROWS_H

#include <jansson.h>

#include "cli/tune/size_rows.h"

// A zeroed one has no rows and no columns of sizes.
typedef struct kiln_bench_rows {
    json_t *all; // what --json prints of each launch, with "sizes" and, if it failed, "exit_code"
    size_t failed;
    bool is_internal; // a failure is one of Kiln's own
} kiln_bench_rows_t;

// Adds a launch, or a sequence, which the caller keeps.
kiln_status_t kiln_bench_rows_add(kiln_bench_rows_t *rows, const json_t *launch);

// Gives the last row its sizes, after a launch that ended with this exit code. Without a row, adds
// one that says so. Names the line of a failure, which has been shown, on stderr.
kiln_status_t kiln_bench_rows_end(kiln_bench_rows_t *rows, const kiln_size_rows_t *sizes,
                                  size_t row, const char *path, int code);

// The exit code of all rows.
int kiln_bench_rows_code(const kiln_bench_rows_t *rows);

void kiln_bench_rows_print_csv(const kiln_bench_rows_t *rows, const kiln_size_rows_t *sizes);
void kiln_bench_rows_print_text(const kiln_bench_rows_t *rows, const kiln_size_rows_t *sizes);

void kiln_bench_rows_free(kiln_bench_rows_t *rows);

#endif
