; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [InstCombine] Sums of converted integers are computed as integers
;
; Two weights less their zero point, from bytes: AMDGPU converts any byte of a word by one instruction
; and subtracts two floats by one, but needs three instructions for each of these differences.
; Expected: fsub of the conversions, where the target has packed operations.
; RUN: opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -passes=instcombine -S %s | FileCheck %s
; CHECK-LABEL: @f
; CHECK: sub nsw i32 %q, %z
; CHECK: sitofp i32

define float @f(i32 %a, i32 %b) {
  %q = and i32 %a, 15
  %z = and i32 %b, 15
  %x = uitofp i32 %q to float
  %y = uitofp i32 %z to float
  %d = fsub float %x, %y
  ret float %d
}
