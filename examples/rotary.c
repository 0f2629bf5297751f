// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of rotary.tile.c and checks their results; rotary.md explains them.
#include <math.h>

#include "host.h"

int main(void)
{
    enum { TOKENS = 7, HEADS = 12, D = 64, POSITIONS = 50 };
    host_t host = host_open("rotary.tile.c");
    array_t *x = host_random(&host, KILN_ELEMENT_F16, TOKENS * HEADS * D, -1, 1, 1);
    array_t *cosines = host_array(&host, KILN_ELEMENT_F32, POSITIONS * D / 2);
    array_t *sines = host_array(&host, KILN_ELEMENT_F32, POSITIONS * D / 2);
    array_t *positions = host_random(&host, KILN_ELEMENT_I32, TOKENS, 0, POSITIONS, 2);
    for (size_t i = 0; i < POSITIONS * D / 2; i++) {
        double angle = (double)(i / (D / 2)) / pow(10000, (double)(i % (D / 2)) / (D / 2));
        host_set(cosines, i, cos(angle));
        host_set(sines, i, sin(angle));
    }
    host_upload(cosines);
    host_upload(sines);

    double *reference = host_doubles(&host, x->count);
    for (size_t row = 0; row < TOKENS * HEADS; row++)
        for (size_t i = 0; i < D / 2; i++) {
            double a = host_get(x, row * D + i), b = host_get(x, row * D + i + D / 2);
            double angle = host_get(positions, row / HEADS) / pow(10000, (double)i / (D / 2));
            reference[row * D + i] = a * cos(angle) - b * sin(angle);
            reference[row * D + i + D / 2] = b * cos(angle) + a * sin(angle);
        }

    host_launch(&host, "rotary", TOKENS, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("x", x), BUFFER("cosines", cosines), BUFFER("sines", sines),
                          BUFFER("positions", positions), INTEGER("heads", HEADS)));
    host_check(&host, "rotary", x, reference);
    return host_close(&host);
}
