// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of welford.tile.c and checks their results; welford.md explains them.
#include <math.h>

#include "host.h"

int main(void)
{
    enum { ROWS = 4, COLUMNS = 3000 };
    host_t host = host_open("welford.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_F16, ROWS * COLUMNS, 100, 101,
                              1); // little variance, mean far from 0
    array_t *means = host_array(&host, KILN_ELEMENT_F32, ROWS),
            *variances = host_array(&host, KILN_ELEMENT_F32, ROWS);

    host_launch(&host, "welford", ROWS, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("means", means), BUFFER("variances", variances), BUFFER("in", in),
                          INTEGER("columns", COLUMNS)));

    double *mean = host_doubles(&host, ROWS), *variance = host_doubles(&host, ROWS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        mean[i / COLUMNS] += host_get(in, i) / COLUMNS;
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        variance[i / COLUMNS] += pow(host_get(in, i) - mean[i / COLUMNS], 2) / COLUMNS;
    host_check(&host, "mean", means, mean);
    host_check(&host, "variance", variances, variance);
    return host_close(&host);
}
