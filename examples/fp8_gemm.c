// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of fp8_gemm.tile.c and checks their results; fp8_gemm.md explains them.
#include "host.h"

int main(void)
{
    enum { M = 70, N = 200, K = 300, SCALED = 128, STEPS = (K + SCALED - 1) / SCALED, BLOCK = 64 };
    host_t host = host_open("fp8_gemm.tile.c");
    array_t *a = host_random(&host, KILN_ELEMENT_F8E4M3FNUZ, M * K, -8, 8, 1);
    array_t *b = host_random(&host, KILN_ELEMENT_F8E4M3FNUZ, N * K, -8, 8, 2);
    array_t *a_scale = host_random(&host, KILN_ELEMENT_F32, M * STEPS, 0.01, 0.1, 3);
    array_t *b_scale =
        host_random(&host, KILN_ELEMENT_F32, (N + SCALED - 1) / SCALED * STEPS, 0.01, 0.1, 4);
    array_t *c = host_array(&host, KILN_ELEMENT_BF16, M * N);

    host_launch(&host, "fp8_gemm", (M + BLOCK - 1) / BLOCK * ((N + BLOCK - 1) / BLOCK), 1, 1,
                SETTINGS({"BLOCK_M", "64"}, {"BLOCK_N", "64"}),
                ARGUMENTS(BUFFER("a", a), BUFFER("b", b), BUFFER("c", c),
                          BUFFER("a_scale", a_scale), BUFFER("b_scale", b_scale), INTEGER("M", M),
                          INTEGER("N", N), INTEGER("K", K)));

    double *reference = host_doubles(&host, M * N);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t p = 0; p < K; p++)
                reference[i * N + j] +=
                    host_get(a, i * K + p) * host_get(a_scale, i * STEPS + p / SCALED) *
                    host_get(b, j * K + p) * host_get(b_scale, j / SCALED * STEPS + p / SCALED);
    host_check(&host, "fp8_gemm", c, reference);
    return host_close(&host);
}
