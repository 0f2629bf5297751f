// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of w4a16_gemm.tile.c and checks their results; w4a16_gemm.md explains them.
#include "host.h"

int main(void)
{
    enum { M = 9, N = 200, K = 256, GROUP = 128, BLOCK_M = 16, BLOCK_N = 64 };
    host_t host = host_open("w4a16_gemm.tile.c");
    array_t *a = host_random(&host, KILN_ELEMENT_F16, M * K, -1, 1, 1);
    array_t *packed = host_random(&host, KILN_ELEMENT_U8, K / 2 * N, 0, 256, 2);
    array_t *scales = host_random(&host, KILN_ELEMENT_F16, K / GROUP * N, 0.01, 0.1, 3);
    array_t *zeros = host_random(&host, KILN_ELEMENT_U8, K / GROUP * N, 0, 16, 4);
    array_t *c = host_array(&host, KILN_ELEMENT_F16, M * N);

    host_launch(&host, "w4a16_gemm", (M + BLOCK_M - 1) / BLOCK_M * ((N + BLOCK_N - 1) / BLOCK_N), 1,
                1, NULL, 0,
                ARGUMENTS(BUFFER("a", a), BUFFER("packed", packed), BUFFER("scales", scales),
                          BUFFER("zeros", zeros), BUFFER("c", c), INTEGER("M", M), INTEGER("N", N),
                          INTEGER("K", K)));

    double *reference = host_doubles(&host, M * N);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t p = 0; p < K; p++) {
                int byte = (int)host_get(packed, p / 2 * N + j), q = p % 2 ? byte >> 4 : byte & 15;
                size_t group = p / GROUP * N + j;
                reference[i * N + j] +=
                    host_get(a, i * K + p) * (q - host_get(zeros, group)) * host_get(scales, group);
            }
    host_check(&host, "w4a16_gemm", c, reference);
    return host_close(&host);
}
