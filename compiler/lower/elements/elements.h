// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise operations, register by register, and conversions of floats of all widths.
//
// Note that registers with the same operands share one result, so an emitter must not count its
// calls.
#ifndef KILN_LOWER_ELEMENTS_H
#define KILN_LOWER_ELEMENTS_H

#include "lower/tile.h"

typedef LLVMValueRef (*kiln_lower_emitter_t)(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                             LLVMValueRef *args); // NULL: not supported
// Computes result register by register; scalar operands are used for all registers. Registers with
// the same operand values share one result.
void kiln_lower_map_registers(kiln_lowering_t *l, MlirOperation op, kiln_tile_t **operands,
                              unsigned count, kiln_tile_t *result, kiln_lower_emitter_t emit);
// addi, subi, muli by a uniform value, and shli by a constant keep the form of sums. False if they
// cannot with these operands.
bool kiln_lower_sums(kiln_lowering_t *l, kiln_op_t kind, kiln_tile_t *a, kiln_tile_t *b,
                     kiln_tile_t *result); // sums.c
LLVMValueRef kiln_lower_reciprocal_root(kiln_lowering_t *l, LLVMValueRef x);
LLVMValueRef kiln_lower_extern_call(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                    LLVMValueRef *args); // extern.c

// Floats (convert_fp.c, float8.c)
LLVMValueRef kiln_lower_widen_float(kiln_lowering_t *l, LLVMValueRef value,
                                    MlirType type); // 8- and 16-bit floats to f32
bool kiln_lower_widen_in_words(
    kiln_lowering_t *l, kiln_tile_t *from,
    kiln_tile_t *result); // 8-bit floats to f16, bf16 or f32 (float8.c); false: unsupported
bool kiln_lower_narrow_in_words(
    kiln_lowering_t *l, MlirOperation op, kiln_tile_t *from,
    kiln_tile_t *result); // to 8-bit floats by one instruction; false: unsupported
bool kiln_lower_registers_differ(kiln_lowering_t *l,
                                 kiln_tile_t *tile); // false: equal values or constants (float8.c)
LLVMValueRef
kiln_lower_narrow_float(kiln_lowering_t *l, LLVMValueRef value,
                        MlirType type); // f32 or f64 to the bits of an 8-bit float, nearest even
LLVMValueRef kiln_lower_convert_float(kiln_lowering_t *l, MlirOperation op, LLVMTypeRef type,
                                      LLVMValueRef *args); // convert_fp.c
uint64_t kiln_float8_bits(MlirType type,
                          double value); // the bits of a constant of an 8-bit float type

#endif
