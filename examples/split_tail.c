// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernel of split_tail.tile.c and checks its results; split_tail.md explains it.
#include "host.h"

enum { M = 190, N = 170, BLOCK = 64, PROGRAMS = 7 }; // 9 tiles, of which two are split

static void multiply(host_t *host, int K)
{
    const int depth = K > 0 ? K : 1; // of the buffers
    array_t *a = host_random(host, KILN_ELEMENT_F16, (size_t)(M * depth), -1, 1, 1);
    array_t *b = host_random(host, KILN_ELEMENT_F16, (size_t)(depth * N), -1, 1, 2);
    array_t *c = host_random(host, KILN_ELEMENT_F16, M * N, -1, 1, 3);
    array_t *parts = host_array(host, KILN_ELEMENT_F32, PROGRAMS * BLOCK * BLOCK);
    array_t *arrived = host_array(host, KILN_ELEMENT_I32, PROGRAMS);

    for (int launch = 0; launch < 2; launch++) { // the first one leaves the counters zero
        host_launch(host, "split_tail", PROGRAMS, 1, 1,
                    SETTINGS({"BLOCK_M", "64"}, {"BLOCK_N", "64"}, {"BLOCK_K", "32"},
                             {"GROUP_M", "2"}, {"PROGRAMS", "7"}),
                    ARGUMENTS(BUFFER("a", a), BUFFER("b", b), BUFFER("c", c),
                              BUFFER("parts", parts), BUFFER("arrived", arrived), INTEGER("M", M),
                              INTEGER("N", N), INTEGER("K", K)));
        host_check(host, "split_tail", c, host_product(host, a, b, M, N, (size_t)K));
    }
}

int main(void)
{
    host_t host = host_open("split_tail.tile.c");
    multiply(&host, 200); // each of the two tiles in three parts
    multiply(&host, 0);   // zeros
    return host_close(&host);
}
