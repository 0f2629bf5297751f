// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates how many registers a loop with a dot needs, for passes that choose its order. Pointers
// are not counted, because a whole tile of them takes one register (lower/memory/pointer.c).
#ifndef KILN_LOOP_REGISTERS_H
#define KILN_LOOP_REGISTERS_H

#include <mlir-c/IR.h>

// Number of 32-bit registers of a lane that hold a tensor; 0 if the value is not a tensor, has no
// layout, or is an integer that lowered code computes where it is used.
unsigned kiln_value_registers(MlirValue value, int num_warps);

// Number of its elements that a lane holds; 0 for the same values.
unsigned kiln_value_elements(MlirValue value, int num_warps);

// Registers live in a loop besides dots' operands: accumulators, loads for the next iteration,
// addresses and counters.
unsigned kiln_loop_registers(MlirOperation loop, int num_warps);

// … besides these, the operands of dots that are defined outside the loop, and the largest operand
// that is defined in it: the least that the loop needs.
unsigned kiln_loop_registers_with_operands(MlirOperation loop, int num_warps);

// … all operands of dots: what LLVM takes, which reads the operands of one dot beside another.
unsigned kiln_loop_registers_read_early(MlirOperation loop, int num_warps);

#endif
