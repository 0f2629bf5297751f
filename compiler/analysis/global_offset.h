// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pointers' expressions say of each other: that they are the same, that they never are, that a tensor of pointers
// names an element twice.
//
// The thing one gets wrong: an answer holds for one execution of both expressions with the same values behind them. What
// a loop makes anew is not the same value.
#ifndef KILN_GLOBAL_OFFSET_H
#define KILN_GLOBAL_OFFSET_H

#include <stdbool.h>

#include <mlir-c/IR.h>

// Are both, but for layouts, the same expression of the same values?
bool kiln_offset_equal(MlirValue a, MlirValue b);

// No element of a has the address of one of b: both add the same values to the same pointer, and what else they add are
// numbers of ranges that don't meet. False where that isn't known.
bool kiln_offsets_differ(MlirValue a, MlirValue b);

// The same where `earlier` was computed in an earlier iteration of `loop`, an scf.for, than `now`: beside values from
// outside of the loop both add a multiple of its induction variable, or are moved by the loop, farther each time than
// they reach.
bool kiln_offsets_differ_around(MlirValue earlier, MlirValue now, MlirOperation loop);

// May all elements of a tensor of pointers differ? False where a dimension of it is surely repeated.
bool kiln_offset_is_injective(MlirValue pointers);

#endif
