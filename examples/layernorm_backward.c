// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of layernorm_backward.tile.c and checks their results; layernorm_backward.md
// explains them.
#include <math.h>
#include <stdlib.h>

#include "host.h"

enum { ROWS = 37, COLUMNS = 300, PARTS = 12, BLOCK_OF_REDUCE = 128 };
static const double EPS = 1e-5;

typedef struct expected {
    double out[ROWS * COLUMNS], dx[ROWS * COLUMNS], dweight[COLUMNS], dbias[COLUMNS];
} expected_t;

static void differentiate(const array_t *in, const array_t *weight, const array_t *bias,
                          const array_t *dy, expected_t *e)
{
    for (size_t r = 0; r < ROWS; r++) {
        double mean = 0, variance = 0, mean_g = 0, mean_gx = 0, x[COLUMNS], g[COLUMNS];
        for (size_t c = 0; c < COLUMNS; c++)
            mean += host_get(in, r * COLUMNS + c) / COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++)
            variance += pow(host_get(in, r * COLUMNS + c) - mean, 2) / COLUMNS;
        for (size_t c = 0; c < COLUMNS; c++) {
            double d = host_get(dy, r * COLUMNS + c);
            x[c] = (host_get(in, r * COLUMNS + c) - mean) / sqrt(variance + EPS);
            g[c] = d * host_get(weight, c);
            mean_g += g[c] / COLUMNS;
            mean_gx += g[c] * x[c] / COLUMNS;
            e->out[r * COLUMNS + c] = x[c] * host_get(weight, c) + host_get(bias, c);
            e->dweight[c] += d * x[c];
            e->dbias[c] += d;
        }
        for (size_t c = 0; c < COLUMNS; c++)
            e->dx[r * COLUMNS + c] = (g[c] - mean_g - x[c] * mean_gx) / sqrt(variance + EPS);
    }
}

int main(void)
{
    host_t host = host_open("layernorm_backward.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_F16, ROWS * COLUMNS, -2, 4, 1),
            *weight = host_random(&host, KILN_ELEMENT_F16, COLUMNS, -1, 1, 2),
            *bias = host_random(&host, KILN_ELEMENT_F16, COLUMNS, -1, 1, 3),
            *dy = host_random(&host, KILN_ELEMENT_F16, ROWS * COLUMNS, -1, 1, 4),
            *out = host_array(&host, KILN_ELEMENT_F16, ROWS * COLUMNS),
            *means = host_array(&host, KILN_ELEMENT_F32, ROWS),
            *scales = host_array(&host, KILN_ELEMENT_F32, ROWS),
            *dx = host_array(&host, KILN_ELEMENT_F16, ROWS * COLUMNS),
            *dweights = host_array(&host, KILN_ELEMENT_F32, PARTS * COLUMNS),
            *dbiases = host_array(&host, KILN_ELEMENT_F32, PARTS * COLUMNS),
            *dweight = host_array(&host, KILN_ELEMENT_F16, COLUMNS),
            *dbias = host_array(&host, KILN_ELEMENT_F16, COLUMNS);
    expected_t *expected = calloc(1, sizeof *expected);
    differentiate(in, weight, bias, dy, expected);

    host_launch(&host, "layernorm_train", ROWS, 1, 1, SETTINGS({"BLOCK", "512"}),
                ARGUMENTS(BUFFER("out", out), BUFFER("means", means), BUFFER("scales", scales),
                          BUFFER("in", in), BUFFER("weight", weight), BUFFER("bias", bias),
                          INTEGER("columns", COLUMNS), REAL("eps", EPS)));
    host_check(&host, "forward", out, expected->out);
    host_launch(&host, "layernorm_backward", ROWS, 1, 1, SETTINGS({"BLOCK", "512"}),
                ARGUMENTS(BUFFER("dx", dx), BUFFER("dweights", dweights),
                          BUFFER("dbiases", dbiases), BUFFER("dy", dy), BUFFER("in", in),
                          BUFFER("weight", weight), BUFFER("means", means),
                          BUFFER("scales", scales), INTEGER("columns", COLUMNS),
                          INTEGER("parts", PARTS)));
    host_check(&host, "gradient of the input", dx, expected->dx);
    host_launch(&host, "layernorm_reduce", (COLUMNS + BLOCK_OF_REDUCE - 1) / BLOCK_OF_REDUCE, 1, 1,
                NULL, 0,
                ARGUMENTS(BUFFER("dweight", dweight), BUFFER("dbias", dbias),
                          BUFFER("dweights", dweights), BUFFER("dbiases", dbiases),
                          INTEGER("columns", COLUMNS), INTEGER("parts", PARTS)));
    host_check(&host, "gradient of the weight", dweight, expected->dweight);
    host_check(&host, "gradient of the bias", dbias, expected->dbias);
    free(expected);
    return host_close(&host);
}
