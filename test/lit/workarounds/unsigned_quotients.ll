; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] LowerDIVREM24 counts sign bits of an unsigned operand as leading zeros
;
; 4294967295 / (u64)(i64)x is divided in 32 bits where the upper half of x is zero. There
; x's low half has 17 copies of its sign, and the quotient is computed in 15 bits.
; Fixed in LLVM 23 (llvm/llvm-project#196418).
; Expected: no v_and_b32 of the quotient with 0x7fff.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: v_rcp_iflag_f32
; CHECK: v_and_b32_e32 v0, 0x7fff, v0

define i64 @f(i16 %b) {
  %y = sext i16 %b to i64
  %q = udiv i64 4294967295, %y
  ret i64 %q
}
