// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of mla_decode.tile.c and checks their results; mla_decode.md explains them.
#include <math.h>

#include "host.h"

enum { SEQUENCES = 3, HEADS = 80, BLOCK_M = 64, LATENT = 512, WIDTH = 576 };
enum { BLOCKS = (HEADS + BLOCK_M - 1) / BLOCK_M, TOKENS = 200, TOKENS_OF_ROW = 190 };
static const size_t lengths[SEQUENCES] = {1, 100, 187};

int main(void)
{
    const double scale = 1 / sqrt(192);
    host_t host = host_open("mla_decode.tile.c");
    array_t *q = host_random(&host, KILN_ELEMENT_BF16, SEQUENCES * HEADS * WIDTH, -2, 2, 1);
    array_t *cache = host_random(&host, KILN_ELEMENT_BF16, TOKENS * WIDTH, -2, 2, 2);
    array_t *out = host_array(&host, KILN_ELEMENT_BF16, SEQUENCES * HEADS * LATENT);
    array_t *table = host_array(&host, KILN_ELEMENT_I32, SEQUENCES * TOKENS_OF_ROW);
    array_t *length = host_array(&host, KILN_ELEMENT_I32, SEQUENCES);
    for (size_t i = 0; i < SEQUENCES * TOKENS_OF_ROW; i++)
        host_set(table, i, (double)(i * 7 % TOKENS)); // tokens are scattered
    for (size_t i = 0; i < SEQUENCES; i++)
        host_set(length, i, (double)lengths[i]);
    host_upload(table);
    host_upload(length);

    double *reference = host_doubles(&host, out->count);
    for (size_t row = 0; row < SEQUENCES * HEADS; row++) {
        const size_t sequence = row / HEADS;
        double total = 0;
        for (size_t n = 0; n < lengths[sequence]; n++) {
            const size_t at = (size_t)host_get(table, sequence * TOKENS_OF_ROW + n) * WIDTH;
            double score = 0;
            for (size_t d = 0; d < WIDTH; d++)
                score += host_get(q, row * WIDTH + d) * host_get(cache, at + d) * scale;
            total += exp(score);
            for (size_t d = 0; d < LATENT; d++)
                reference[row * LATENT + d] += exp(score) * host_get(cache, at + d);
        }
        for (size_t d = 0; d < LATENT; d++)
            reference[row * LATENT + d] /= total;
    }

    // A program for each sequence writes the result itself. With SPLITS, most programs of the first
    // sequence, of one token, have none.
    array_t *combined = host_array(&host, KILN_ELEMENT_BF16, SEQUENCES * HEADS * LATENT);
    array_t *parts = host_array(&host, KILN_ELEMENT_F32, 4 * SEQUENCES * HEADS * LATENT);
    array_t *sums = host_array(&host, KILN_ELEMENT_F32, 4 * SEQUENCES * HEADS);
    const char *const splits[] = {"1", "4"};
    for (int i = 0; i < 2; i++)
        host_launch(&host, "mla_decode", SEQUENCES, BLOCKS, i == 0 ? 1 : 4,
                    SETTINGS({"SPLITS", splits[i]}, {"matrix_instr_nonkdim", "16"}),
                    ARGUMENTS(BUFFER("q", q), BUFFER("cache", cache), BUFFER("out", out),
                              BUFFER("parts", parts), BUFFER("sums", sums), BUFFER("table", table),
                              BUFFER("lengths", length), INTEGER("heads", HEADS),
                              INTEGER("tokens_of_row", TOKENS_OF_ROW), REAL("scale", scale)));
    host_launch(&host, "mla_decode_sum", SEQUENCES * HEADS, 1, 1, SETTINGS({"SPLITS", "4"}),
                ARGUMENTS(BUFFER("parts", parts), BUFFER("sums", sums), BUFFER("out", combined),
                          INTEGER("rows", SEQUENCES * HEADS)));
    host_check(&host, "mla_decode", out, reference);
    host_check(&host, "mla_decode_sum", combined, reference);
    return host_close(&host);
}
