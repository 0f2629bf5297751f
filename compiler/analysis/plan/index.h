// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How operations are executed whose elements have LDS addresses computed at run time: gathers,
// histograms, and atomics whose old values several threads hold.
//
// A tensor larger than LDS is processed window by window; every register then belongs to one
// window, which may require another layout.
#ifndef KILN_PLAN_INDEX_H
#define KILN_PLAN_INDEX_H

#include "layout/layout.h"

// tt.gather: the source is in LDS in row-major order, at once or window by window.
typedef struct kiln_gather_plan {
    kiln_layout_t given, rows; // of the source, and of its windows
    uint32_t element_bytes;    // in LDS
    uint32_t window;           // bytes; 0: at once
    uint32_t scratch;
} kiln_gather_plan_t;
kiln_status_t kiln_plan_gather(MlirOperation op, int num_warps, kiln_gather_plan_t *out);

// tt.histogram: 32-bit counters in LDS.
typedef struct kiln_histogram_plan {
    kiln_layout_t given, counters; // layouts of the result, and of the counters read from LDS
    bool convert;                  // they differ
    uint32_t bins, window, rounds;
    uint32_t scratch;
} kiln_histogram_plan_t;
enum { KILN_COUNTER_BYTES = 4 };
kiln_status_t kiln_plan_histogram(MlirOperation op, int num_warps, kiln_histogram_plan_t *out);

// tt.atomic_rmw, tt.atomic_cas, tt.atomic_poll: one thread performs the atomic of each element, and
// the others that hold it read the old value from LDS, at the element's own index.
typedef struct kiln_atomic_plan {
    bool shares;          // old values are used by threads other than those that fetch them
    kiln_layout_t places; // of the values; of all threads, for a scalar
    uint32_t scratch;
} kiln_atomic_plan_t;
kiln_status_t kiln_plan_atomic(MlirOperation op, int num_warps, kiln_atomic_plan_t *out);

// Whether gfx942 has an instruction that does the operation for two neighbours in a dword at once:
// additions of f16 or bf16 whose old values are unused. One element alone needs a loop around a
// compare-and-swap of the dword.
bool kiln_atomic_takes_pairs(MlirOperation op);

#endif
