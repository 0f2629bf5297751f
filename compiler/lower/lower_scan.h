// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a scan goes: the layout that is scanned and which of its bits run along the axis (lower_scan_plan.c).
//
// The thing one gets wrong: registers of `run` and of `blocks` both lie along the axis, but lanes and warps lie between
// them.
#ifndef KILN_LOWER_SCAN_H
#define KILN_LOWER_SCAN_H

#include "lower_combine.h"

typedef struct kiln_scan {
    MlirOperation op;
    int operands;
    bool reverse, convert;
    kiln_layout_t given, layout;                // of the operands; the one that is scanned
    uint32_t run, blocks, lanes, warps, copies; // masks of bits along the axis; register bits that hold copies
    int warp_count, block_count;                // numbers of bits
    kiln_wave_exchange_t exchange;              // (elements off the axis, block, warp)
} kiln_scan_t;

kiln_status_t kiln_lower_plan_scan(kiln_lowering_t *l, MlirOperation op, kiln_scan_t *out);

#endif
