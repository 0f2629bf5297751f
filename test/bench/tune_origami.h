// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Origami's choice for a GEMM (pip: rocm-origami), asked of a Python that has it.
#ifndef KILN_BENCH_TUNE_ORIGAMI_H
#define KILN_BENCH_TUNE_ORIGAMI_H

#include "kiln/tune.h"
#include "tune_rows.h"

typedef struct tile {
    long m, n, k; // k 0: the kernel's own
} tile_t;

// The tile that Origami chooses among those of the candidates. False: the row is not a GEMM. Exits
// with a message if Origami cannot be asked.
bool bench_origami_choose(const char *python, const row_t *row,
                          const kiln_tune_candidate_t *candidates, size_t count, tile_t *out);

tile_t bench_origami_tile(const kiln_tune_candidate_t *candidate);

#endif
