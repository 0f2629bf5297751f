// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of histogram.tile.c and checks their results; histogram.md explains them.
#include "host.h"

int main(void)
{
    enum { COUNT = 10000, BLOCK = 4096 };
    host_t host = host_open("histogram.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_U8, COUNT, 0, 200, 1); // some bytes never occur
    array_t *counts = host_array(&host, KILN_ELEMENT_I32, 256);

    host_launch(&host, "byte_histogram", (COUNT + BLOCK - 1) / BLOCK, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("counts", counts), BUFFER("in", in), INTEGER("count", COUNT)));

    double *reference = host_doubles(&host, 256);
    for (size_t i = 0; i < COUNT; i++)
        reference[(size_t)host_get(in, i)]++;
    host_check(&host, "histogram", counts, reference);
    return host_close(&host);
}
