// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of dropout.tile.c and checks their results; dropout.md explains them.
#include "host.h"

// The first of the four numbers that Philox 4x32-10 computes from a counter and a key (Salmon et
// al., SC11).
static uint32_t philox(uint32_t counter, uint64_t seed)
{
    uint32_t c[4] = {counter, 0, 0, 0}, key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)b,
                            (uint32_t)(a >> 32) ^ c[3] ^ key[1], (uint32_t)a};
        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return c[0];
}

// A number in [0, 1), computed as Triton does: the sign is folded away, which leaves 31 bits.
static double uniform(uint32_t bits)
{
    int32_t folded = (int32_t)bits < 0 ? -(int32_t)bits - 1 : (int32_t)bits;
    return (double)((float)folded * 4.6566127342e-10f);
}

int main(void)
{
    enum { COUNT = 3000, BLOCK = 1024 };
    const double p = 0.25;
    const int64_t seed = 0x123456789ABC;
    host_t host = host_open("dropout.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_F16, COUNT, -1, 1, 1);
    array_t *out = host_array(&host, KILN_ELEMENT_F16, COUNT);

    host_launch(&host, "dropout", (COUNT + BLOCK - 1) / BLOCK, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("out", out), BUFFER("in", in), INTEGER("count", COUNT),
                          REAL("p", p), INTEGER("seed", seed)));

    double *reference = host_doubles(&host, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        reference[i] = uniform(philox(i, (uint64_t)seed)) >= p ? host_get(in, i) / (1 - p) : 0;
    host_check(&host, "dropout", out, reference);
    return host_close(&host);
}
