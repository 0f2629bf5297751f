; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] v_dot4_u32_u8 is made of a sum that is not a dot product
;
; a * b + (c * d >> 7) of bytes becomes a dot product of (a, c) and (b, d) plus 7.
; llvm/llvm-project#198412, #216015.
; Expected: the shift stays.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: v_dot4_u32_u8 v0, v0, v1, 7

define i32 @f(i8 %a0, i8 %b0, i8 %a1, i8 %b1) {
  %a = zext i8 %a0 to i32
  %b = zext i8 %b0 to i32
  %c = zext i8 %a1 to i32
  %d = zext i8 %b1 to i32
  %m = mul nuw nsw i32 %a, %b
  %n = mul nuw nsw i32 %c, %d
  %s = lshr i32 %n, 7
  %r = add nuw nsw i32 %m, %s
  ret i32 %r
}
