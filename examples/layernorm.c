// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of layernorm.tile.c and checks their results; layernorm.md explains them.
#include <math.h>

#include "host.h"

int main(void)
{
    enum { ROWS = 5, COLUMNS = 1700 };
    const double eps = 1e-5;
    host_t host = host_open("layernorm.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_F16, ROWS * COLUMNS, 2, 4,
                              1), // the mean is far from 0
        *weight = host_random(&host, KILN_ELEMENT_F16, COLUMNS, -1, 1, 2),
            *bias = host_random(&host, KILN_ELEMENT_F16, COLUMNS, -1, 1, 3),
            *out = host_array(&host, KILN_ELEMENT_F16, ROWS * COLUMNS);

    host_launch(&host, "layernorm", ROWS, 1, 1, SETTINGS({"BLOCK", "512"}),
                ARGUMENTS(BUFFER("out", out), BUFFER("in", in), BUFFER("weight", weight),
                          BUFFER("bias", bias), INTEGER("stride", COLUMNS),
                          INTEGER("columns", COLUMNS), REAL("eps", eps)));

    double *reference = host_doubles(&host, ROWS * COLUMNS);
    for (size_t r = 0; r < ROWS; r++) {
        double mean = 0, variance = 0;
        for (size_t c = 0; c < COLUMNS; c++)
            mean += host_get(in, r * COLUMNS + c) / COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++)
            variance += pow(host_get(in, r * COLUMNS + c) - mean, 2) / COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++)
            reference[r * COLUMNS + c] = (host_get(in, r * COLUMNS + c) - mean) /
                                             sqrt(variance + eps) * host_get(weight, c) +
                                         host_get(bias, c);
    }
    host_check(&host, "layernorm", out, reference);
    return host_close(&host);
}
