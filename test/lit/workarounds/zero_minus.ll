; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] +0 - x is selected as -x in operands with modifiers
;
; AMDGPUDAGToDAGISel::SelectVOP3ModsImpl folds fsub of a zero of either sign into the negation of the user's
; operand. The user does canonicalize the operand, so subnormal numbers and NaNs are no problem, but for
; x = +0 the difference is +0, and the operand -0: 1 / (0 - x) is -inf. Also if (-x) + 0 or fma(x, -1, 0)
; become such a difference. Only fsub -0.0, x, which is fneg x, or one with nsz may be folded.
; Expected: v_sub_f32 0, v0, then v_mul_f32 without a negation.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK-LABEL: difference:
; CHECK: v_mul_f32_e64 v0, -v0, v1
; CHECK-LABEL: sum:
; CHECK: v_mul_f32_e64 v0, -v0, v1
; CHECK-LABEL: fused:
; CHECK: v_mul_f32_e64 v0, -v0, v1

define float @difference(float %x, float %y) {
  %d = fsub float 0.0, %x
  %r = fmul float %d, %y
  ret float %r
}

define float @sum(float %x, float %y) {
  %n = fneg float %x
  %d = fadd float %n, 0.0
  %r = fmul float %d, %y
  ret float %r
}

define float @fused(float %x, float %y) {
  %d = call float @llvm.fma.f32(float %x, float -1.0, float 0.0)
  %r = fmul float %d, %y
  ret float %r
}
