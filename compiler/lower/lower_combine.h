// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reductions and scans share: the region that combines two elements, tuples of one element of each operand, and
// what waves tell each other through LDS.
//
// The thing one gets wrong: no step may assume that the operation is commutative; what comes first along the axis is
// the first argument.
#ifndef KILN_LOWER_COMBINE_H
#define KILN_LOWER_COMBINE_H

#include "analysis/plan_combine.h"
#include "tile.h"

typedef LLVMValueRef kiln_tuple_t[KILN_MAX_COMBINED];

// into := region(first, second), for one element of every operand.
kiln_status_t kiln_combine(kiln_lowering_t *l, MlirOperation op, LLVMValueRef *first, LLVMValueRef *second,
                           LLVMValueRef *into);

// What changes nothing that it is combined with, first or second, to the bit; NULL where a scan's region isn't known to
// have such an element.
LLVMValueRef kiln_neutral_element(MlirOperation op, LLVMTypeRef type);

// An operand in another layout than its own, as `source` was: sums stay sums.
kiln_status_t kiln_convert_operand(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source, const kiln_layout_t *from,
                                   const kiln_layout_t *to, kiln_tile_t **out);

// own[operand][register of write] to loaded[operand][register of read]; all waves have left the operation's scratch.
// Both are as wide as the operands' elements.
kiln_status_t kiln_exchange_between_waves(kiln_lowering_t *l, const kiln_wave_exchange_t *exchange, LLVMValueRef **own,
                                          LLVMValueRef **loaded);

#endif
