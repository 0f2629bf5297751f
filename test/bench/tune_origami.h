// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Origami (pip: rocm-origami), AMD's model that chooses the tile of a GEMM, beside Kiln's.
#ifndef KILN_BENCH_TUNE_ORIGAMI_H
#define KILN_BENCH_TUNE_ORIGAMI_H

#include "tune_rows.h"

// Prints for each GEMM whose name contains `part` what the choices cost on the clock: that of a
// guided search, the first one of the model, and Origami's tile, which `python` is asked for. A
// quick comparison does not search; ratios are then of the best choice of both models.
void bench_compare_origami(kiln_device_t *device, kiln_tune_store_t *store, const char *python,
                           const char *part, bool is_quick);

#endif
