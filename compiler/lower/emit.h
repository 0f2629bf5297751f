// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small helpers over LLVM-C: constants, intrinsics, vectors, barriers, moves between lanes.
//
// Note that these functions emit at the builder's insertion point, except for linear maps, which
// are emitted in the entry block, or at the start of a version of the kernel.
#ifndef KILN_LOWER_EMIT_H
#define KILN_LOWER_EMIT_H

#include "lowering.h"

LLVMValueRef kiln_emit_i32(kiln_lowering_t *l, int64_t value);
LLVMValueRef kiln_emit_i64(kiln_lowering_t *l, int64_t value);
LLVMValueRef kiln_emit_i1(kiln_lowering_t *l, bool value);
// Calls an LLVM intrinsic; `overloads` are its overloaded types in order.
LLVMValueRef kiln_emit_intrinsic(kiln_lowering_t *l, const char *name, const LLVMTypeRef *overloads,
                                 unsigned overload_count, LLVMValueRef *args, unsigned arg_count);
LLVMValueRef kiln_emit_call(kiln_lowering_t *l, const char *symbol, LLVMTypeRef result,
                            LLVMValueRef *args, unsigned arg_count, bool pure);
LLVMValueRef kiln_emit_vector(kiln_lowering_t *l, LLVMTypeRef element, LLVMValueRef *values,
                              uint32_t count); // reuses a vector if these are its extracts
LLVMValueRef kiln_emit_extract(kiln_lowering_t *l, LLVMValueRef vector, uint32_t index);
LLVMValueRef kiln_emit_add(kiln_lowering_t *l, LLVMValueRef a,
                           LLVMValueRef b); // NULL counts as zero
LLVMValueRef
kiln_emit_uniform(kiln_lowering_t *l,
                  LLVMValueRef value); // readfirstlane for any type: makes a value uniform for LLVM
void kiln_emit_barrier(
    kiln_lowering_t *l); // a barrier; LDS accesses before it are visible after it
void kiln_emit_barriers(
    kiln_lowering_t *l,
    int rounds); // a barrier of the program for the waves that reach it, executed `rounds` times
void kiln_emit_wave_barrier(
    kiln_lowering_t *l); // s_barrier without fences, if there is more than one wave
void kiln_emit_rendezvous(
    kiln_lowering_t *l); // enough s_barriers for all waves to meet, even if they are barriers apart
// s_waitcnt of gfx9: vmcnt in bits 3-0 and 15-14, expcnt in 6-4, lgkmcnt in 11-8; all ones: no
// wait.
typedef enum kiln_wait { KILN_WAIT_LDS = 0xc07f, KILN_WAIT_MEMORY = 0x0070 } kiln_wait_t;
void kiln_emit_release_wait(kiln_lowering_t *l, kiln_wait_t what);
void kiln_emit_no_sinking(
    kiln_lowering_t *l); // before a barrier's first fence: keeps earlier loads above it
LLVMBasicBlockRef kiln_emit_block(kiln_lowering_t *l, const char *name); // appended to the function
unsigned kiln_llvm_bits(LLVMTypeRef type); // of an integer or float type; 64 for global pointers
LLVMValueRef kiln_emit_bits(kiln_lowering_t *l,
                            LLVMValueRef value); // bit cast to an integer of the same width
LLVMValueRef kiln_emit_from_bits(kiln_lowering_t *l, LLVMValueRef bits, LLVMTypeRef type);
bool kiln_llvm_const_int(LLVMValueRef value, int64_t *out);

// XOR over i of bit i of `source` times bases[i]: a linear map over F2 of lane or wave numbers.
// Emitted once, at l->positions. NULL for zero.
LLVMValueRef kiln_emit_linear(kiln_lowering_t *l, LLVMValueRef source, int bits,
                              const uint32_t *bases);

// Moves between lanes (layouts/lanes.c); values of any type
LLVMValueRef kiln_emit_gather_lane(kiln_lowering_t *l, LLVMValueRef value,
                                   LLVMValueRef source_lane); // each lane reads `value` of another
LLVMValueRef kiln_emit_xor_lane(kiln_lowering_t *l, LLVMValueRef value,
                                uint32_t mask); // of lane XOR mask
LLVMValueRef kiln_emit_dpp(kiln_lowering_t *l, LLVMValueRef value,
                           int control); // lanes without a source get zero
LLVMValueRef kiln_emit_read_lane(kiln_lowering_t *l, LLVMValueRef value,
                                 uint32_t lane); // one lane's, uniform

#endif
