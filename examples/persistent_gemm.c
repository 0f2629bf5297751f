// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of persistent_gemm.tile.c and checks their results; persistent_gemm.md explains
// them.
#include "host.h"

int main(void)
{
    enum { M = 190, N = 170, K = 64, PROGRAMS = 5 }; // 9 tiles of 64 x 64
    host_t host = host_open("persistent_gemm.tile.c");
    array_t *a = host_random(&host, KILN_ELEMENT_F16, M * K, -1, 1, 1);
    array_t *b = host_random(&host, KILN_ELEMENT_F16, K * N, -1, 1, 2);
    array_t *c = host_array(&host, KILN_ELEMENT_F16, M * N);

    host_launch(&host, "persistent_gemm", PROGRAMS, 1, 1,
                SETTINGS({"BLOCK_M", "64"}, {"BLOCK_N", "64"}, {"GROUP_M", "2"}),
                ARGUMENTS(BUFFER("a", a), BUFFER("b", b), BUFFER("c", c), INTEGER("M", M),
                          INTEGER("N", N), INTEGER("K", K)));
    host_check(&host, "persistent_gemm", c, host_product(&host, a, b, M, N, K));
    return host_close(&host);
}
