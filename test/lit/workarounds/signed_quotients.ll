; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] The quotient of two sign-extended i16 is truncated to 16 bits
;
; -32768 / -1 is 32768 in i32. The expansion by floats sign-extends the quotient from 16 bits.
; Fixed in LLVM 23 (llvm/llvm-project#203436, and #204469 for i64 divided in i32).
; Expected: no v_bfe_i32 of the quotient.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: v_rcp_iflag_f32
; CHECK: v_bfe_i32 v0, v0, 0, 16
; CHECK-NEXT: s_setpc_b64

define i32 @f(i16 %a, i16 %b) {
  %x = sext i16 %a to i32
  %y = sext i16 %b to i32
  %q = sdiv i32 %x, %y
  ret i32 %q
}
