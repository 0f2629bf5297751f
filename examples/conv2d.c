// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of conv2d.tile.c and checks their results; conv2d.md explains them.
#include "host.h"

enum { IMAGES = 2, H = 11, W = 13, C = 40, F = 72, R = 3, S = 3, STRIDE = 2, PAD = 1 };
enum { OUT_H = (H + 2 * PAD - R) / STRIDE + 1, OUT_W = (W + 2 * PAD - S) / STRIDE + 1, BLOCK = 64 };

static double at(const array_t *in, const array_t *weight, size_t n, size_t y, size_t x, size_t f)
{
    double sum = 0;
    for (size_t r = 0; r < R; r++)
        for (size_t s = 0; s < S; s++) {
            size_t row = y * STRIDE + r - PAD,
                   column = x * STRIDE + s - PAD; // negative values wrap around and exceed all
                                                  // sizes
            for (size_t c = 0; c < C && row < H && column < W; c++)
                sum += host_get(in, ((n * H + row) * W + column) * C + c) *
                       host_get(weight, ((f * R + r) * S + s) * C + c);
        }
    return sum;
}

int main(void)
{
    host_t host = host_open("conv2d.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_F16, IMAGES * H * W * C, -1, 1, 1);
    array_t *weight = host_random(&host, KILN_ELEMENT_F16, F * R * S * C, -1, 1, 2);
    array_t *out = host_array(&host, KILN_ELEMENT_F16, IMAGES * OUT_H * OUT_W * F);

    unsigned programs = (IMAGES * OUT_H * OUT_W + BLOCK - 1) / BLOCK * ((F + BLOCK - 1) / BLOCK);
    host_launch(&host, "conv2d", programs, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("in", in), BUFFER("weight", weight), BUFFER("out", out),
                          INTEGER("images", IMAGES), INTEGER("height", H), INTEGER("width", W),
                          INTEGER("channels", C), INTEGER("out_height", OUT_H),
                          INTEGER("out_width", OUT_W), INTEGER("filters", F),
                          INTEGER("stride", STRIDE), INTEGER("pad", PAD)));

    double *reference = host_doubles(&host, IMAGES * OUT_H * OUT_W * F);
    for (size_t i = 0; i < IMAGES * OUT_H * OUT_W * F; i++)
        reference[i] =
            at(in, weight, i / F / OUT_W / OUT_H, i / F / OUT_W % OUT_H, i / F % OUT_W, i % F);
    host_check(&host, "conv2d", out, reference);
    return host_close(&host);
}
