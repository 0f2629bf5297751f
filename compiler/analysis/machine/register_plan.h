// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel uses the registers, decided once from its tiles and options: LLVM's limits, the
// register allocator, and where matrix instructions keep their accumulators.
//
// A wave has 256 architectural registers, and 256 accumulation registers if few enough waves share
// a SIMD. A tile that would fill all of them twice does not fit; LLVM's allocator would search for
// minutes.
//
// Tensors of pointers are kept as offsets from one base, mostly of half the size. In code with
// matrix instructions, where a longer compilation pays off, they are not counted; in other code
// they are, because LLVM takes seconds to compile tiles of that many pointers.
#ifndef KILN_REGISTER_PLAN_H
#define KILN_REGISTER_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include <mlir-c/IR.h>

#include "kiln/status.h"

typedef struct kiln_register_plan {
    // Inputs of the decision, in 32-bit registers of a lane.
    uint64_t largest_tile; // the tile that decides
    uint64_t largest_sum;  // largest accumulator, operands counted half
    unsigned loops;        // estimate for the loop with a dot that needs the most

    // Decisions. If a tile exceeds the registers, values are computed where they are used,
    // long-lived values go to scratch memory, and LLVM's fast register allocator is used.
    bool exceeds_registers;
    bool sums_begin_in_vgprs;  // first try accumulators only in architectural registers …
    bool sums_may_be_anywhere; // … and if that spills, in all registers
} kiln_register_plan_t;

// Plans a ttg module with `num_warps` waves that should leave room for `waves_per_eu` waves on a
// SIMD (0: no preference).
kiln_status_t kiln_plan_registers(MlirModule module, int num_warps, int waves_per_eu,
                                  kiln_register_plan_t *out);

#endif
