// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune_origami.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { FP8_TILE_K = 128 }; // of examples/fp8_gemm.tile.c

// How the kernels of tune_problems.def read their operands, in Origami's words.
static const struct kind {
    const char *file, *type, *out, *transpose_b;
} kinds[] = {{"gemm", "Half", "Half", "T"},
             {"int8_gemm", "Int8", "Half", "N"},
             {"fp8_gemm", "Float8_fnuz", "BFloat16", "N"}};

tile_t bench_origami_tile(const kiln_tune_candidate_t *candidate)
{
    const long k = bench_setting(candidate->config, "BLOCK_K");
    return (tile_t){bench_setting(candidate->config, "BLOCK_M"),
                    bench_setting(candidate->config, "BLOCK_N"), k ? k : FP8_TILE_K};
}

static bool is_same(tile_t a, tile_t b)
{
    return a.m == b.m && a.n == b.n && a.k == b.k;
}

bool bench_origami_choose(const char *python, const row_t *row,
                          const kiln_tune_candidate_t *candidates, size_t count, tile_t *out)
{
    const struct kind *kind = NULL;
    char *command;
    size_t size;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(row->file, kinds[i].file) == 0)
            kind = &kinds[i];
    if (!kind)
        return false;
    FILE *text = open_memstream(&command, &size);
    if (!text)
        bench_must(kiln_status_out_of_memory());
    fprintf(text, "'%s' " KILN_BENCH_DIR "/origami_choice.py %s %s %s", python, kind->type,
            kind->out, kind->transpose_b);
    for (int i = 0; i < 3; i++) // "M=1024"
        fprintf(text, " %s", row->words[i] + 2);
    for (size_t i = 0; i < count; i++) {
        const tile_t tile = bench_origami_tile(&candidates[i]);
        size_t first = 0;
        while (!is_same(bench_origami_tile(&candidates[first]), tile))
            first++;
        if (first == i)
            fprintf(text, " %ldx%ldx%ld", tile.m, tile.n, tile.k);
    }
    if (fclose(text) != 0)
        bench_must(kiln_status_out_of_memory());
    FILE *answer = popen(command, "r");
    const bool found = answer && fscanf(answer, "%ld %ld %ld", &out->m, &out->n, &out->k) == 3;
    if (!answer || pclose(answer) != 0 || !found) {
        fprintf(stderr, "bench_tune: Origami has no answer: %s\n", command);
        exit(1);
    }
    free(command);
    return true;
}
