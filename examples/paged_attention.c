// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of paged_attention.tile.c and checks their results; paged_attention.md explains
// them.
#include <math.h>

#include "host.h"

enum {
    SEQUENCES = 3,
    HEADS = 8,
    KV_HEADS = 2,
    D = 128,
    PAGE = 32,
    PAGES = 20,
    PAGES_OF_ROW = 6,
    SPLITS = 8
};
static const size_t lengths[SEQUENCES] = {1, 100, 187};

static size_t cache_at(const array_t *table, size_t sequence, size_t token, size_t head, size_t d)
{
    size_t page = (size_t)host_get(table, sequence * PAGES_OF_ROW + token / PAGE);
    return ((page * PAGE + token % PAGE) * KV_HEADS + head) * D + d;
}

int main(void)
{
    const double scale = 1 / sqrt(D), k_scale = 0.5, v_scale = 0.25;
    host_t host = host_open("paged_attention.tile.c");
    array_t *q = host_random(&host, KILN_ELEMENT_F16, SEQUENCES * HEADS * D, -2, 2, 1);
    array_t *k = host_random(&host, KILN_ELEMENT_F8E4M3FNUZ, PAGES * PAGE * KV_HEADS * D, -4, 4, 2);
    array_t *v = host_random(&host, KILN_ELEMENT_F8E4M3FNUZ, PAGES * PAGE * KV_HEADS * D, -4, 4, 3);
    array_t *out = host_array(&host, KILN_ELEMENT_F16, SEQUENCES * HEADS * D);
    array_t *table = host_array(&host, KILN_ELEMENT_I32, SEQUENCES * PAGES_OF_ROW);
    array_t *length = host_array(&host, KILN_ELEMENT_I32, SEQUENCES);
    for (size_t i = 0; i < SEQUENCES * PAGES_OF_ROW; i++)
        host_set(table, i, (double)(i * 7 % PAGES)); // pages are scattered
    for (size_t i = 0; i < SEQUENCES; i++)
        host_set(length, i, (double)lengths[i]);
    host_upload(table);
    host_upload(length);

    host_launch(&host, "paged_attention", SEQUENCES, KV_HEADS, 1, NULL, 0,
                ARGUMENTS(BUFFER("q", q), BUFFER("k_cache", k), BUFFER("v_cache", v),
                          BUFFER("out", out), BUFFER("table", table), BUFFER("lengths", length),
                          INTEGER("heads", HEADS), INTEGER("kv_heads", KV_HEADS),
                          INTEGER("pages_of_row", PAGES_OF_ROW), REAL("scale", scale),
                          REAL("k_scale", k_scale), REAL("v_scale", v_scale)));

    double *reference = host_doubles(&host, out->count);
    for (size_t row = 0; row < SEQUENCES * HEADS; row++) {
        size_t sequence = row / HEADS, head = row % HEADS / (HEADS / KV_HEADS);
        double total = 0;
        for (size_t n = 0; n < lengths[sequence]; n++) {
            double score = 0;
            for (size_t d = 0; d < D; d++)
                score += host_get(q, row * D + d) *
                         host_get(k, cache_at(table, sequence, n, head, d)) * k_scale * scale;
            total += exp(score);
            for (size_t d = 0; d < D; d++)
                reference[row * D + d] +=
                    exp(score) * host_get(v, cache_at(table, sequence, n, head, d)) * v_scale;
        }
        for (size_t d = 0; d < D; d++)
            reference[row * D + d] /= total;
    }
    host_check(&host, "paged_attention", out, reference);

    // Most programs of the first sequence, of one token, have none.
    array_t *parts = host_array(&host, KILN_ELEMENT_F32, SPLITS * SEQUENCES * HEADS * D);
    array_t *sums = host_array(&host, KILN_ELEMENT_F32, SPLITS * SEQUENCES * HEADS);
    array_t *combined = host_array(&host, KILN_ELEMENT_F16, SEQUENCES * HEADS * D);
    host_launch(&host, "paged_attention_parts", SEQUENCES, KV_HEADS, SPLITS, NULL, 0,
                ARGUMENTS(BUFFER("q", q), BUFFER("k_cache", k), BUFFER("v_cache", v),
                          BUFFER("parts", parts), BUFFER("sums", sums), BUFFER("table", table),
                          BUFFER("lengths", length), INTEGER("heads", HEADS),
                          INTEGER("kv_heads", KV_HEADS), INTEGER("pages_of_row", PAGES_OF_ROW),
                          REAL("scale", scale), REAL("k_scale", k_scale),
                          REAL("v_scale", v_scale)));
    host_launch(&host, "paged_attention_sum", SEQUENCES * HEADS, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("parts", parts), BUFFER("sums", sums), BUFFER("out", combined),
                          INTEGER("rows", SEQUENCES * HEADS)));
    host_check(&host, "paged_attention_sum", combined, reference);
    return host_close(&host);
}
