// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of int8_gemm.tile.c and checks their results; int8_gemm.md explains them.
#include "host.h"

int main(void)
{
    enum { M = 100, N = 80, K = 200, BLOCK = 64 };
    host_t host = host_open("int8_gemm.tile.c");
    array_t *a = host_random(&host, KILN_ELEMENT_I8, M * K, -128, 128, 1);
    array_t *b = host_random(&host, KILN_ELEMENT_I8, N * K, -128, 128, 2);
    array_t *a_scale = host_random(&host, KILN_ELEMENT_F32, M, 0.001, 0.002, 3);
    array_t *b_scale = host_random(&host, KILN_ELEMENT_F32, N, 0.01, 0.02, 4);
    array_t *c = host_array(&host, KILN_ELEMENT_F16, M * N);

    host_launch(&host, "int8_gemm", (M + BLOCK - 1) / BLOCK * ((N + BLOCK - 1) / BLOCK), 1, 1,
                SETTINGS({"BLOCK_M", "64"}, {"BLOCK_N", "64"}),
                ARGUMENTS(BUFFER("a", a), BUFFER("b", b), BUFFER("c", c),
                          BUFFER("a_scale", a_scale), BUFFER("b_scale", b_scale), INTEGER("M", M),
                          INTEGER("N", N), INTEGER("K", K)));

    double *reference = host_doubles(&host, M * N);
    for (size_t i = 0; i < M * N; i++) {
        for (size_t p = 0; p < K; p++)
            reference[i] += host_get(a, i / N * K + p) * host_get(b, i % N * K + p);
        reference[i] *= host_get(a_scale, i / N) * host_get(b_scale, i % N);
    }
    host_check(&host, "int8_gemm", c, reference);
    return host_close(&host);
}
