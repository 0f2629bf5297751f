// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many registers a loop with a dot needs: an estimate for passes that choose its order. What is easily got wrong: pointers are
// not counted, for they are one register for a whole tile of them (lower/lower_pointer.c).
#ifndef KILN_LOOP_REGISTERS_H
#define KILN_LOOP_REGISTERS_H

#include <mlir-c/IR.h>

// 32-bit registers of a lane that hold a tensor; 0 for what is none, or has no layout.
unsigned kiln_value_registers(MlirValue value, int num_warps);

// What lives in a loop beside dots' operands: sums, what has been loaded for the next iteration, addresses and counters.
unsigned kiln_loop_registers(MlirOperation loop, int num_warps);

#endif
