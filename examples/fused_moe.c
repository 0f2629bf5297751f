// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of fused_moe.tile.c and checks their results; fused_moe.md explains them.
#include "host.h"

enum {
    TOKENS = 30,
    TOP_K = 2,
    SLOTS = TOKENS * TOP_K,
    EXPERTS = 5,
    N = 100,
    K = 80,
    BLOCK_M = 16,
    BLOCK_N = 64
};
enum { MAX = SLOTS + EXPERTS * (BLOCK_M - 1), BLOCKS = MAX / BLOCK_M };

static size_t expert_of(size_t slot)
{
    return (slot * 7 + slot / 3) % (EXPERTS - 1); // the last one gets nothing
}

int main(void)
{
    host_t host = host_open("fused_moe.tile.c");
    array_t *in = host_random(&host, KILN_ELEMENT_F16, TOKENS * K, -1, 1, 1);
    array_t *weight = host_random(&host, KILN_ELEMENT_F16, EXPERTS * N * K, -1, 1, 2);
    array_t *gate = host_random(&host, KILN_ELEMENT_F32, SLOTS, 0, 1, 3);
    array_t *out = host_array(&host, KILN_ELEMENT_F16, SLOTS * N);
    array_t *slots = host_array(&host, KILN_ELEMENT_I32, MAX),
            *experts = host_array(&host, KILN_ELEMENT_I32, BLOCKS);
    array_t *used = host_array(&host, KILN_ELEMENT_I32, 1);

    size_t count = 0;
    for (size_t expert = 0; expert < EXPERTS; expert++) {
        size_t begin = count;
        for (size_t slot = 0; slot < SLOTS; slot++)
            if (expert_of(slot) == expert)
                host_set(slots, count++, (double)slot);
        while (count % BLOCK_M)
            host_set(slots, count++, SLOTS);
        for (size_t block = begin / BLOCK_M; block < count / BLOCK_M; block++)
            host_set(experts, block, (double)expert);
    }
    host_set(used, 0, (double)count);
    host_upload(slots);
    host_upload(experts);
    host_upload(used);

    host_launch(&host, "fused_moe", BLOCKS * ((N + BLOCK_N - 1) / BLOCK_N), 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("in", in), BUFFER("weight", weight), BUFFER("out", out),
                          BUFFER("gate", gate), BUFFER("slots", slots), BUFFER("experts", experts),
                          BUFFER("used", used), INTEGER("slot_count", SLOTS), INTEGER("N", N),
                          INTEGER("K", K)));

    double *reference = host_doubles(&host, SLOTS * N);
    for (size_t i = 0; i < SLOTS * N; i++) {
        for (size_t p = 0; p < K; p++)
            reference[i] += host_get(in, i / N / TOP_K * K + p) *
                            host_get(weight, (expert_of(i / N) * N + i % N) * K + p);
        reference[i] *= host_get(gate, i / N);
    }
    host_check(&host, "fused_moe", out, reference);
    return host_close(&host);
}
