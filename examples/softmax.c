// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of softmax.tile.c and checks their results; softmax.md explains them.
#include <math.h>

#include "host.h"

// Softmax of each row of `in`, whose rows are `stride` apart.
static double *softmax(host_t *host, const array_t *in, size_t rows, size_t columns, size_t stride)
{
    double *out = host_doubles(host, rows * stride);
    for (size_t r = 0; r < rows; r++) {
        double top = -INFINITY, sum = 0;
        for (size_t c = 0; c < columns; c++)
            top = fmax(top, host_get(in, r * stride + c));
        for (size_t c = 0; c < columns; c++)
            sum += out[r * stride + c] = exp(host_get(in, r * stride + c) - top);
        for (size_t c = 0; c < columns; c++)
            out[r * stride + c] /= sum;
    }
    return out;
}

static void run(host_t *host, const char *kernel, size_t columns)
{
    enum { ROWS = 6 };
    size_t stride = columns + 8;
    array_t *in = host_random(host, KILN_ELEMENT_F16, ROWS * stride, -8, 8, 1),
            *out = host_array(host, KILN_ELEMENT_F16, ROWS * stride);
    double *reference = softmax(host, in, ROWS, columns, stride);

    host_launch(
        host, kernel, ROWS, 1, 1, SETTINGS({"BLOCK", "1024"}),
        ARGUMENTS(BUFFER("out", out), BUFFER("in", in), INTEGER("out_stride", (int64_t)stride),
                  INTEGER("in_stride", (int64_t)stride), INTEGER("columns", (int64_t)columns)));
    host_check(host, kernel, out, reference);
}

int main(void)
{
    host_t host = host_open("softmax.tile.c");
    run(&host, "softmax", 781);
    host_use(&host, "online_softmax.tile.c");
    run(&host, "online_softmax", 781);
    run(&host, "online_softmax", 5000);
    return host_close(&host);
}
