// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of cross_entropy.tile.c and checks their results; cross_entropy.md explains
// them.
#include <math.h>

#include "host.h"

int main(void)
{
    enum { ROWS = 6, CLASSES = 3000 };
    const double scale = 0.5;
    host_t host = host_open("cross_entropy.tile.c");
    array_t *logits = host_random(&host, KILN_ELEMENT_F16, ROWS * CLASSES, -6, 6, 1);
    array_t *targets = host_random(&host, KILN_ELEMENT_I32, ROWS, 0, CLASSES, 2);
    array_t *losses = host_array(&host, KILN_ELEMENT_F32, ROWS);
    host_set(targets, 3, -1);
    host_upload(targets);

    double *loss = host_doubles(&host, ROWS), *gradient = host_doubles(&host, ROWS * CLASSES);
    for (size_t r = 0; r < ROWS; r++) {
        double total = 0;
        if (host_get(targets, r) < 0)
            continue;
        size_t target = r * CLASSES + (size_t)host_get(targets, r);
        for (size_t i = r * CLASSES; i < (r + 1) * CLASSES; i++)
            total += exp(host_get(logits, i));
        for (size_t i = r * CLASSES; i < (r + 1) * CLASSES; i++)
            gradient[i] = (exp(host_get(logits, i)) / total - (i == target)) * scale;
        loss[r] = log(total) - host_get(logits, target);
    }

    host_launch(&host, "cross_entropy", ROWS, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("logits", logits), BUFFER("targets", targets),
                          BUFFER("losses", losses), INTEGER("classes", CLASSES),
                          REAL("scale", scale)));
    host_check(&host, "loss", losses, loss);
    host_check(&host, "gradient", logits, gradient);
    return host_close(&host);
}
