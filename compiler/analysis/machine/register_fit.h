// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predicts what LLVM does with the registers that a loop needs (loop_registers.h).
#ifndef KILN_REGISTER_FIT_H
#define KILN_REGISTER_FIT_H

#include <stdint.h>

// Registers of a lane. Those beyond the architectural ones are moved to accumulation registers and
// back; what exceeds the share of a wave, if a single workgroup or the waves asked for are on the
// compute unit, is stored to memory and loaded again.
typedef struct kiln_register_fit {
    unsigned taken, moved, spilled;
} kiln_register_fit_t;

// For a loop that needs `early` registers if dots' operands are read early, and `late` if they are
// read late, as LLVM does where the architectural registers then suffice. `waves_per_simd`: that
// the program asks for (waves_per_eu), or 0.
kiln_register_fit_t kiln_register_fit(unsigned early, unsigned late, int num_warps,
                                      int waves_per_simd);

// Cycles of a step in which a wave of each SIMD stores and loads its spilled registers.
int64_t kiln_spill_cycles(const kiln_register_fit_t *fit);

#endif
