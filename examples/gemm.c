// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of gemm.tile.c and checks their results; gemm.md explains them.
#include "host.h"

int main(void)
{
    enum { M = 200, N = 150, K = 100, BLOCK = 64 };
    host_t host = host_open("gemm.tile.c");
    array_t *a = host_random(&host, KILN_ELEMENT_F16, M * K, -1, 1, 1);
    array_t *b = host_random(&host, KILN_ELEMENT_F16, K * N, -1, 1, 2);
    array_t *c = host_array(&host, KILN_ELEMENT_F16, M * N);

    unsigned programs = (M + BLOCK - 1) / BLOCK * ((N + BLOCK - 1) / BLOCK);
    host_launch(&host, "gemm", programs, 1, 1,
                SETTINGS({"BLOCK_K", "32"}, {"BLOCK_M", "64"}, {"BLOCK_N", "64"}, {"GROUP_M", "2"},
                         {"num_stages", "2"}),
                ARGUMENTS(BUFFER("a", a), BUFFER("b", b), BUFFER("c", c), INTEGER("M", M),
                          INTEGER("N", N), INTEGER("K", K), INTEGER("lda", K), INTEGER("ldb", N),
                          INTEGER("ldc", N)));

    host_check(&host, "gemm", c, host_product(&host, a, b, M, N, K));
    return host_close(&host);
}
