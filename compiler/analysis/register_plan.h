// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel is to use the registers, decided once from its tiles and options: what LLVM is told, which allocator is
// taken, and where matrix instructions keep their sums.
//
// A wave has 256 architectural registers, and 256 more for accumulation where few enough waves share a SIMD. A tile that
// fills all of them twice can't be kept there; LLVM's allocator would search for minutes.
//
// The thing one gets wrong: pointers are offsets from one base, mostly of half the size. In code with matrix
// instructions, which is worth LLVM's time, they don't decide; elsewhere tiles of so many pointers take it seconds.
#ifndef KILN_REGISTER_PLAN_H
#define KILN_REGISTER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "kiln/status.h"

typedef struct kiln_register_plan {
    // What it goes by, in 32-bit registers of a lane.
    uint64_t largest_tile; // that decides
    uint64_t largest_sum;  // of what matrix instructions add up, operands counted half

    // What follows. Values are computed where they are wanted and what lives long goes to scratch memory, and code is
    // LLVM's quick allocator's.
    bool is_hopeless;
    bool sums_begin_in_vgprs;  // matrix sums are first tried in architectural registers alone …
    bool sums_may_be_anywhere; // … and where that spills, in all
} kiln_register_plan_t;

// Of a ttg module with `num_warps` waves, which are asked to leave room for `waves_per_eu` waves on a SIMD (0: no wish).
kiln_status_t kiln_plan_registers(MlirModule module, int num_warps, int waves_per_eu, kiln_register_plan_t *out);

#endif
