// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of attention.tile.c and checks their results; attention.md explains them.
#include <math.h>

#include "host.h"

enum { BATCH = 2, HEADS = 4, KV_HEADS = 2, D = 64, BLOCK_M = 64 };

static void expect(const array_t *q, const array_t *k, const array_t *v, size_t queries,
                   size_t keys, double scale, int causal, double *out, double *sums)
{
    for (size_t row = 0; row < BATCH * HEADS * queries; row++) {
        size_t head = row / queries,
               shared = head / HEADS * KV_HEADS + head % HEADS / (HEADS / KV_HEADS);
        size_t seen = causal ? row % queries + 1 + keys - queries : keys;
        double total = 0;
        for (size_t n = 0; n < seen; n++) {
            double score = 0;
            for (size_t d = 0; d < D; d++)
                score +=
                    host_get(q, row * D + d) * host_get(k, (shared * keys + n) * D + d) * scale;
            total += exp(score);
            for (size_t d = 0; d < D; d++)
                out[row * D + d] += exp(score) * host_get(v, (shared * keys + n) * D + d);
        }
        for (size_t d = 0; d < D; d++)
            out[row * D + d] /= total;
        sums[row] = log2(total);
    }
}

static void run(host_t *host, const char *what, size_t queries, size_t keys, int causal)
{
    const double scale = 1 / sqrt(D);
    array_t *q = host_random(host, KILN_ELEMENT_F16, BATCH * HEADS * queries * D, -2, 2, 1);
    array_t *k = host_random(host, KILN_ELEMENT_F16, BATCH * KV_HEADS * keys * D, -2, 2, 2);
    array_t *v = host_random(host, KILN_ELEMENT_F16, BATCH * KV_HEADS * keys * D, -1, 1, 3);
    array_t *out = host_array(host, KILN_ELEMENT_F16, q->count);
    array_t *sums = host_array(host, KILN_ELEMENT_F32, BATCH * HEADS * queries);
    double *reference = host_doubles(host, out->count),
           *reference_sums = host_doubles(host, sums->count);
    expect(q, k, v, queries, keys, scale, causal, reference, reference_sums);

    host_launch(host, "attention", (unsigned)((queries + BLOCK_M - 1) / BLOCK_M), BATCH * HEADS, 1,
                SETTINGS({"CAUSAL", causal ? "true" : "false"}),
                ARGUMENTS(BUFFER("q", q), BUFFER("k", k), BUFFER("v", v), BUFFER("out", out),
                          BUFFER("sums", sums), INTEGER("heads", HEADS),
                          INTEGER("kv_heads", KV_HEADS), INTEGER("queries", (int64_t)queries),
                          INTEGER("keys", (int64_t)keys), REAL("scale", scale)));
    host_check(host, what, out, reference);
    host_check(host, "  sums", sums, reference_sums);
}

int main(void)
{
    host_t host = host_open("attention.tile.c");
    run(&host, "attention", 70, 150, 0);
    run(&host, "causal", 100, 100, 1);
    run(&host, "causal, keys of before", 20, 90, 1);
    return host_close(&host);
}
