// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of attention_backward.tile.c and checks their results; attention_backward.md
// explains them.
#include <math.h>

#include "host.h"

enum { HEADS = 2, QUERIES = 70, KEYS = 100, D = 64, BLOCK = 64 };
enum { GRADIENTS_BLOCK = 128, SCALE_BLOCK = 1024 }; // the kernels' defaults

typedef struct expected {
    double *out, *sums, *dq, *dk, *dv;
} expected_t;

static double product(const array_t *a, size_t i, const array_t *b, size_t j)
{
    double sum = 0;
    for (size_t d = 0; d < D; d++)
        sum += host_get(a, i * D + d) * host_get(b, j * D + d);
    return sum;
}

static void differentiate(const array_t *q, const array_t *k, const array_t *v, const array_t *dout,
                          double scale, int causal, expected_t *e)
{
    for (size_t row = 0; row < HEADS * QUERIES; row++) {
        size_t first = row / QUERIES * KEYS,
               seen = causal ? row % QUERIES + 1 + KEYS - QUERIES : KEYS;
        double p[KEYS], total = 0, delta = 0;
        for (size_t n = 0; n < seen; n++)
            total += p[n] = exp(product(q, row, k, first + n) * scale);
        e->sums[row] = log2(total);
        for (size_t n = 0; n < seen; n++) {
            p[n] /= total;
            for (size_t d = 0; d < D; d++)
                e->out[row * D + d] += p[n] * host_get(v, (first + n) * D + d);
        }
        for (size_t d = 0; d < D; d++)
            delta += e->out[row * D + d] * host_get(dout, row * D + d);
        for (size_t n = 0; n < seen; n++) {
            double ds = p[n] * (product(dout, row, v, first + n) - delta) * scale;
            for (size_t d = 0; d < D; d++) {
                e->dv[(first + n) * D + d] += p[n] * host_get(dout, row * D + d);
                e->dq[row * D + d] += ds * host_get(k, (first + n) * D + d);
                e->dk[(first + n) * D + d] += ds * host_get(q, row * D + d);
            }
        }
    }
}

static void run(host_t *host, int causal)
{
    const double scale = 1 / sqrt(D);
    const char *seen = causal ? "true" : "false";
    array_t *q = host_random(host, KILN_ELEMENT_F16, HEADS * QUERIES * D, -2, 2, 1);
    array_t *k = host_random(host, KILN_ELEMENT_F16, HEADS * KEYS * D, -2, 2, 2);
    array_t *v = host_random(host, KILN_ELEMENT_F16, HEADS * KEYS * D, -1, 1, 3);
    array_t *dout = host_random(host, KILN_ELEMENT_F16, HEADS * QUERIES * D, -1, 1, 4);
    array_t *out = host_array(host, KILN_ELEMENT_F16, q->count),
            *dq = host_array(host, KILN_ELEMENT_F16, q->count);
    array_t *dk = host_array(host, KILN_ELEMENT_F16, k->count),
            *dv = host_array(host, KILN_ELEMENT_F16, k->count);
    array_t *sums = host_array(host, KILN_ELEMENT_F32, HEADS * QUERIES);
    array_t *delta = host_array(host, KILN_ELEMENT_F32, HEADS * QUERIES);
    expected_t e = {host_doubles(host, q->count), host_doubles(host, sums->count),
                    host_doubles(host, q->count), host_doubles(host, k->count),
                    host_doubles(host, k->count)};
    differentiate(q, k, v, dout, scale, causal, &e);
    for (size_t i = 0; i < out->count; i++) // results of the forward pass
        host_set(out, i, e.out[i]);
    for (size_t i = 0; i < sums->count; i++)
        host_set(sums, i, e.sums[i]);
    host_upload(out);
    host_upload(sums);

    unsigned query_blocks = (QUERIES + BLOCK - 1) / BLOCK, key_blocks = (KEYS + BLOCK - 1) / BLOCK;
    host_launch(host, "attention_delta", query_blocks, HEADS, 1, NULL, 0,
                ARGUMENTS(BUFFER("out", out), BUFFER("dout", dout), BUFFER("delta", delta),
                          INTEGER("queries", QUERIES)));
    host_launch(host, "attention_keys", key_blocks, HEADS, 1, SETTINGS({"CAUSAL", seen}),
                ARGUMENTS(BUFFER("q", q), BUFFER("k", k), BUFFER("v", v), BUFFER("dout", dout),
                          BUFFER("sums", sums), BUFFER("delta", delta), BUFFER("dk", dk),
                          BUFFER("dv", dv), INTEGER("queries", QUERIES), INTEGER("keys", KEYS),
                          REAL("scale", scale)));
    host_launch(host, "attention_queries", query_blocks, HEADS, 1, SETTINGS({"CAUSAL", seen}),
                ARGUMENTS(BUFFER("q", q), BUFFER("k", k), BUFFER("v", v), BUFFER("dout", dout),
                          BUFFER("sums", sums), BUFFER("delta", delta), BUFFER("dq", dq),
                          INTEGER("queries", QUERIES), INTEGER("keys", KEYS),
                          REAL("scale", scale)));
    host_check(host, causal ? "dq, causal" : "dq", dq, e.dq);
    host_check(host, causal ? "dk, causal" : "dk", dk, e.dk);
    host_check(host, causal ? "dv, causal" : "dv", dv, e.dv);

    // The same by a single kernel that adds to dq, which needs zeros before and the scale after.
    array_t *dq_sums = host_array(host, KILN_ELEMENT_F32, q->count);
    array_t *dq_2 = host_array(host, KILN_ELEMENT_F16, q->count);
    array_t *dk_2 = host_array(host, KILN_ELEMENT_F16, k->count),
            *dv_2 = host_array(host, KILN_ELEMENT_F16, k->count);
    unsigned wide_blocks = (KEYS + GRADIENTS_BLOCK - 1) / GRADIENTS_BLOCK,
             scale_blocks = (HEADS * QUERIES * D + SCALE_BLOCK - 1) / SCALE_BLOCK;
    host_launch(host, "attention_gradients", wide_blocks, HEADS, 1, SETTINGS({"CAUSAL", seen}),
                ARGUMENTS(BUFFER("q", q), BUFFER("k", k), BUFFER("v", v), BUFFER("dout", dout),
                          BUFFER("sums", sums), BUFFER("delta", delta), BUFFER("dq_sums", dq_sums),
                          BUFFER("dk", dk_2), BUFFER("dv", dv_2), INTEGER("queries", QUERIES),
                          INTEGER("keys", KEYS), REAL("scale", scale)));
    host_launch(host, "attention_scale", scale_blocks, 1, 1, NULL, 0,
                ARGUMENTS(BUFFER("dq_sums", dq_sums), BUFFER("dq", dq_2),
                          INTEGER("count", HEADS * QUERIES * D), REAL("scale", scale)));
    host_check(host, causal ? "dq by atomics, causal" : "dq by atomics", dq_2, e.dq);
    host_check(host, causal ? "dk beside it, causal" : "dk beside it", dk_2, e.dk);
    host_check(host, causal ? "dv beside it, causal" : "dv beside it", dv_2, e.dv);
}

int main(void)
{
    host_t host = host_open("attention_backward.tile.c");
    run(&host, 0);
    run(&host, 1);
    return host_close(&host);
}
