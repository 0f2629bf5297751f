// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a dot takes of the machine.
#ifndef KILN_DOT_MEASURE_H
#define KILN_DOT_MEASURE_H

#include "builder/ir.h"

// Registers are 32-bit, of a lane.
typedef struct kiln_dot_measure {
    int64_t instructions;
    int64_t cycles;      // that its matrix instructions occupy a wave's matrix unit
    int64_t read_cycles; // that LDS needs for its operands, read by one wave of each SIMD
    int64_t k, min_k;    // its K; the smallest one that fills the lanes of its operands
    unsigned operand_registers;
} kiln_dot_measure_t;

// Returns false for a dot without matrix instructions, or of another rank than 2.
bool kiln_dot_measure(MlirOperation dot, int waves, kiln_dot_measure_t *out);

#endif
