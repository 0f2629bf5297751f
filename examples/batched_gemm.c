// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of batched_gemm.tile.c and checks their results; batched_gemm.md explains them.
#include "host.h"

enum { STACK = 3, M = 70, N = 50, K = 40, BLOCK = 32 };

// B[i] transposed: N rows of K.
static double *reference(host_t *host, const array_t *a, const array_t *b)
{
    double *c = host_doubles(host, STACK * M * N);
    for (size_t s = 0; s < STACK; s++)
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < N; j++)
                for (size_t p = 0; p < K; p++)
                    c[(s * M + i) * N + j] +=
                        host_get(a, (s * M + i) * K + p) * host_get(b, j * K + p);
    return c;
}

int main(void)
{
    host_t host = host_open("batched_gemm.tile.c");
    array_t *a = host_random(&host, KILN_ELEMENT_F16, STACK * M * K, -1, 1, 1);
    array_t *b = host_random(&host, KILN_ELEMENT_F16, N * K, -1, 1, 2); // one for the whole batch
    array_t *c = host_array(&host, KILN_ELEMENT_F16, STACK * M * N);

    host_launch(&host, "batched_gemm", (M + BLOCK - 1) / BLOCK * ((N + BLOCK - 1) / BLOCK), STACK,
                1, SETTINGS({"BLOCK_M", "32"}, {"BLOCK_N", "32"}, {"TRANSPOSED", "true"}),
                ARGUMENTS(BUFFER("a", a), BUFFER("b", b), BUFFER("c", c), INTEGER("M", M),
                          INTEGER("N", N), INTEGER("K", K), INTEGER("a_stack", M * K),
                          INTEGER("a_row", K), INTEGER("b_stack", 0), INTEGER("b_row", K),
                          INTEGER("c_stack", M * N), INTEGER("c_row", N)));
    host_check(&host, "batched_gemm", c, reference(&host, a, b));
    return host_close(&host);
}
