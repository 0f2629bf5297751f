// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of rms_norm.tile.c and checks their results; rms_norm.md explains them.
#include <math.h>

#include "host.h"

int main(void)
{
    enum { ROWS = 9, COLUMNS = 2000 };
    const double eps = 1e-6;
    host_t host = host_open("rms_norm.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_F16, ROWS * COLUMNS, -1, 1, 1);
    array_t *residual = host_random(&host, KILN_ELEMENT_F16, ROWS * COLUMNS, -1, 1, 2);
    array_t *weight = host_random(&host, KILN_ELEMENT_F16, COLUMNS, -1, 1, 3);
    array_t *out = host_array(&host, KILN_ELEMENT_F16, ROWS * COLUMNS);

    double *sum = host_doubles(&host, ROWS * COLUMNS),
           *normal = host_doubles(&host, ROWS * COLUMNS);
    for (size_t r = 0; r < ROWS; r++) {
        double squares = 0;
        for (size_t i = r * COLUMNS; i < (r + 1) * COLUMNS; i++) {
            sum[i] = host_get(in, i) + host_get(residual, i);
            squares += sum[i] * sum[i];
        }
        for (size_t c = 0; c < COLUMNS; c++)
            normal[r * COLUMNS + c] =
                sum[r * COLUMNS + c] / sqrt(squares / COLUMNS + eps) * host_get(weight, c);
    }

    host_launch(&host, "rms_norm", ROWS, 1, 1, SETTINGS({"BLOCK", "2048"}),
                ARGUMENTS(BUFFER("out", out), BUFFER("residual", residual), BUFFER("in", in),
                          BUFFER("weight", weight), INTEGER("columns", COLUMNS), REAL("eps", eps)));
    host_check(&host, "rms_norm", out, normal);
    host_check(&host, "in + residual", residual, sum);
    return host_close(&host);
}
