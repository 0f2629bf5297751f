// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reductions and scans share: the region that combines two elements, tuples of one element of each operand, and
// what waves tell each other through LDS.
//
// The thing one gets wrong: no step may assume that the operation is commutative; what comes first along the axis is
// the first argument.
#ifndef KILN_LOWER_COMBINE_H
#define KILN_LOWER_COMBINE_H

#include "lowering.h"

enum { KILN_MAX_COMBINED = 16 }; // operands

typedef LLVMValueRef kiln_tuple_t[KILN_MAX_COMBINED];

// into := region(first, second), for one element of every operand.
kiln_status_t kiln_combine(kiln_lowering_t *l, MlirOperation op, LLVMValueRef *first, LLVMValueRef *second,
                           LLVMValueRef *into);

// The set bits of `mask` as digits: bit i of `index` becomes its i-th, and back.
uint32_t kiln_spread_bits(uint32_t index, uint32_t mask);
uint32_t kiln_gather_bits(uint32_t value, uint32_t mask);

// An operand in another layout than its own, as `source` was: sums stay sums.
kiln_status_t kiln_convert_operand(kiln_lowering_t *l, MlirOperation op, kiln_tile_t *source, const kiln_layout_t *from,
                                   const kiln_layout_t *to, kiln_tile_t **out);

// Partial results of all operands of `op` that are written as `write` says and read as `read` says; both speak of the
// same elements, of rank 1.
typedef struct kiln_wave_exchange {
    MlirOperation op;
    kiln_layout_t write, read;
} kiln_wave_exchange_t;

// Bytes of LDS: at once, or, where they are many, one operand after the other as a conversion of layouts, which goes in
// rounds.
uint32_t kiln_wave_exchange_scratch(kiln_lowering_t *l, const kiln_wave_exchange_t *exchange);
// own[operand][register of write] to loaded[operand][register of read]; all waves have left the operation's scratch.
// Both are as wide as the operands' elements.
kiln_status_t kiln_exchange_between_waves(kiln_lowering_t *l, const kiln_wave_exchange_t *exchange, LLVMValueRef **own,
                                          LLVMValueRef **loaded);

#endif
