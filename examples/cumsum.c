// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of cumsum.tile.c and checks their results; cumsum.md explains them.
#include "host.h"

int main(void)
{
    enum {
        ROWS = 3,
        COLUMNS = 2500,
        COUNT = ROWS * COLUMNS,
        BLOCK = 1024,
        BLOCKS = (COUNT + BLOCK - 1) / BLOCK
    };
    host_t host = host_open("cumsum.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_F32, COUNT, 0, 1, 1);
    array_t *out = host_array(&host, KILN_ELEMENT_F32, COUNT),
            *sums = host_array(&host, KILN_ELEMENT_F32, BLOCKS);
    array_t *totals = host_array(&host, KILN_ELEMENT_F32,
                                 BLOCKS); // separate from sums: arguments must not alias
    double *rows = host_doubles(&host, COUNT), *whole = host_doubles(&host, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        rows[i] = host_get(in, i) + (i % COLUMNS ? rows[i - 1] : 0);
        whole[i] = host_get(in, i) + (i ? whole[i - 1] : 0);
    }

    host_launch(&host, "row_cumsum", ROWS, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("out", out), BUFFER("in", in), INTEGER("columns", COLUMNS)));
    host_check(&host, "rows", out, rows);

    host_launch(&host, "block_sums", BLOCKS, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("sums", sums), BUFFER("in", in), INTEGER("count", COUNT)));
    host_launch(&host, "row_cumsum", 1, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("out", totals), BUFFER("in", sums), INTEGER("columns", BLOCKS)));
    host_launch(&host, "block_cumsum", BLOCKS, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("out", out), BUFFER("in", in), BUFFER("sums", totals),
                          INTEGER("count", COUNT)));
    host_check(&host, "one long row", out, whole);
    return host_close(&host);
}
