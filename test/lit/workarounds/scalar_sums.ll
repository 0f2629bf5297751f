; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] Sums of shifted values that differ between lanes are computed from the first lane's value
;
; The patterns of S_LSHL[1-4]_ADD_U32 do not test that the result is uniform, so they are selected for divergent
; values, too. Where three or more such instructions gain from it, SIFixSGPRCopies reads the first lane of the vector
; register below them, as it counts on selection that the value is uniform. Since #167032, fixed in LLVM 23
; (llvm/llvm-project#198508).
; Expected: four v_lshl_add_u32, and no v_readfirstlane_b32.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: v_readfirstlane_b32 [[ROW:s[0-9]+]], v0
; CHECK: s_lshl3_add_u32 {{s[0-9]+}}, [[ROW]], s0

define i32 @f(i32 %row, i32 %lane, i32 inreg %x, i32 inreg %y) {
  %row8 = shl i32 %row, 3
  %a = add i32 %row8, %x
  %a2 = shl i32 %a, 1
  %b = add i32 %a2, %y
  %b4 = shl i32 %b, 2
  %c = add i32 %b4, %x
  %c16 = shl i32 %c, 4
  %d = add i32 %c16, %y
  %r = xor i32 %d, %lane
  ret i32 %r
}
