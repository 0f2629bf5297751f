// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of split_k.tile.c and checks their results; split_k.md explains them.
#include "host.h"

int main(void)
{
    enum { M = 16, N = 96, K = 1000, SPLIT_K = 4, BLOCK = 32, BLOCK_OF_SUM = 1024 };
    host_t host = host_open("split_k.tile.c");
    array_t *a = host_random(&host, KILN_ELEMENT_F16, M * K, -1, 1, 1);
    array_t *b = host_random(&host, KILN_ELEMENT_F16, K * N, -1, 1, 2);
    array_t *parts = host_array(&host, KILN_ELEMENT_F32, SPLIT_K * M * N),
            *c = host_array(&host, KILN_ELEMENT_F16, M * N);

    host_launch(&host, "split_k", (N + BLOCK - 1) / BLOCK, SPLIT_K, 1,
                SETTINGS({"BLOCK_M", "16"}, {"BLOCK_N", "32"}, {"SPLIT_K", "4"}),
                ARGUMENTS(BUFFER("a", a), BUFFER("b", b), BUFFER("parts", parts), INTEGER("M", M),
                          INTEGER("N", N), INTEGER("K", K)));
    host_launch(&host, "split_k_sum", (M * N + BLOCK_OF_SUM - 1) / BLOCK_OF_SUM, 1, 1,
                SETTINGS({"SPLIT_K", "4"}),
                ARGUMENTS(BUFFER("parts", parts), BUFFER("c", c), INTEGER("count", M * N)));
    host_check(&host, "split_k", c, host_product(&host, a, b, M, N, K));
    return host_close(&host);
}
