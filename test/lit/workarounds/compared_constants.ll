; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] A selected constant is replaced by the value that is compared with it although that is a NaN
;
; performSelectCombine folds select (fcmp one x, K), y, K to select (fcmp one x, K), y, x, and its inverse
; with ueq, so that K is needed only once. If x is a NaN, the comparison is false, and the result must be K,
; but is x. Fixed after LLVM 23 (llvm/llvm-project#213029).
; Expected: v_cndmask_b32 selects between y and a register that holds K.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: v_cmp_lg_f32_e32 vcc, s0, v0
; CHECK: v_cndmask_b32_e32 v0, v0, v1, vcc

define float @f(float %x, float %y) {
  %c = fcmp one float %x, 3.0
  %s = select i1 %c, float %y, float 3.0
  ret float %s
}
