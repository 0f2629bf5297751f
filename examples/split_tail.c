// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernel of split_tail.tile.c and checks its results; split_tail.md explains it.
#include "host.h"

int main(void)
{
    enum { M = 190, N = 170, K = 200, BLOCK = 64, PROGRAMS = 7 }; // 9 tiles; two split in three
    host_t host = host_open("split_tail.tile.c");
    array_t *a = host_random(&host, KILN_ELEMENT_F16, M * K, -1, 1, 1);
    array_t *b = host_random(&host, KILN_ELEMENT_F16, K * N, -1, 1, 2);
    array_t *c = host_array(&host, KILN_ELEMENT_F16, M * N);
    array_t *parts = host_array(&host, KILN_ELEMENT_F32, PROGRAMS * BLOCK * BLOCK);
    array_t *arrived = host_array(&host, KILN_ELEMENT_I32, PROGRAMS);

    for (int launch = 0; launch < 2; launch++) { // the first one leaves the counters zero
        host_launch(&host, "split_tail", PROGRAMS, 1, 1,
                    SETTINGS({"BLOCK_M", "64"}, {"BLOCK_N", "64"}, {"BLOCK_K", "32"},
                             {"GROUP_M", "2"}, {"PROGRAMS", "7"}),
                    ARGUMENTS(BUFFER("a", a), BUFFER("b", b), BUFFER("c", c),
                              BUFFER("parts", parts), BUFFER("arrived", arrived), INTEGER("M", M),
                              INTEGER("N", N), INTEGER("K", K)));
        host_check(&host, "split_tail", c, host_product(&host, a, b, M, N, K));
    }
    return host_close(&host);
}
