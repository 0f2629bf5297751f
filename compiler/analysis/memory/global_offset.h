// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares pointer expressions: whether they are equal, whether they never are, and whether a
// tensor of pointers contains an address twice.
//
// Note that a result holds for one execution of both expressions with the same input values. A
// value that a loop recomputes is not the same value.
#ifndef KILN_GLOBAL_OFFSET_H
#define KILN_GLOBAL_OFFSET_H

#include <stdbool.h>

#include <mlir-c/IR.h>

// Whether both are the same expression of the same values, up to layouts.
bool kiln_offset_equal(MlirValue a, MlirValue b);

// Whether no element of a has the address of an element of b: both add the same values to the same
// pointer, and otherwise only numbers from disjoint ranges. False if unknown.
bool kiln_offsets_differ(MlirValue a, MlirValue b);

// The same if `earlier` was computed in an earlier iteration of `loop`, an scf.for, than `now`:
// besides values from outside the loop both add a multiple of its induction variable, or are
// advanced by the loop, by more per iteration than their extent.
bool kiln_offsets_differ_across_iterations(MlirValue earlier, MlirValue now, MlirOperation loop);

// Whether all elements of a tensor of pointers have different addresses. False if unknown.
bool kiln_offset_is_injective(MlirValue pointers);

#endif
