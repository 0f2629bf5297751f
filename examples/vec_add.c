// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of vec_add.tile.c and checks their results; vec_add.md explains them.

#include "host.h"

int main(void)
{
    enum { N = 1000, BLOCK = 256 }; // the last program's tile extends past the end
    host_t host = host_open("vec_add.tile.c");
    array_t *x = host_random(&host, KILN_ELEMENT_F32, N, -1, 1, 1),
            *y = host_random(&host, KILN_ELEMENT_F32, N, -1, 1, 2),
            *z = host_array(&host, KILN_ELEMENT_F32, N);

    host_launch(&host, "vec_add", (N + BLOCK - 1) / BLOCK, 1, 1, SETTINGS({"BLOCK", "256"}),
                ARGUMENTS(BUFFER("x", x), BUFFER("y", y), BUFFER("z", z), INTEGER("n", N)));

    double *sum = host_doubles(&host, N);
    for (size_t i = 0; i < N; i++)
        sum[i] = host_get(x, i) + host_get(y, i);
    host_check(&host, "vec_add", z, sum);
    return host_close(&host);
}
