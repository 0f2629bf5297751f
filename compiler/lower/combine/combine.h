// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code shared by reductions and scans: the region that combines two elements, tuples of one element
// of each operand, and the exchange between waves through LDS.
//
// Note that no step may assume that the operation is commutative, unless kiln_reduction_commutes()
// proves it: the operand that comes first along the axis is the first argument.
#ifndef KILN_LOWER_COMBINE_H
#define KILN_LOWER_COMBINE_H

#include "analysis/plan/combine.h"
#include "lower/tile.h"

typedef LLVMValueRef kiln_tuple_t[KILN_MAX_COMBINED];

// into := region(first, second), for one element of every operand.
kiln_status_t kiln_combine(kiln_lowering_t *l, MlirOperation op, LLVMValueRef *first,
                           LLVMValueRef *second, LLVMValueRef *into);

// The element that leaves every other one unchanged, bit by bit, as first or second argument; NULL
// if a scan's region is not known to have one.
LLVMValueRef kiln_neutral_element(MlirOperation op, LLVMTypeRef type);

// Converts an operand to another layout in the form of `source`: sums stay sums.
kiln_status_t kiln_convert_operand(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source,
                                   const kiln_layout_t *from, const kiln_layout_t *to,
                                   kiln_tile_t **out);

// Passes own[operand][register of write] to loaded[operand][register of read] through the
// operation's scratch, which no wave may still be using. Both have the operands' element types.
kiln_status_t kiln_exchange_between_waves(kiln_lowering_t *l, const kiln_wave_exchange_t *exchange,
                                          LLVMValueRef **own, LLVMValueRef **loaded);

#endif
