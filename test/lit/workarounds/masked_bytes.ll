; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] Bytes of a word that is masked are masked one by one
;
; The low halves of four bytes become floats. SimplifyDemandedBits looks through the mask of the word
; for each byte.
; Expected: one v_and_b32 with 0x0f0f0f0f, and v_cvt_f32_ubyte0 to 3.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK-LABEL: f:
; CHECK-DAG: v_and_b32_e32 v{{[0-9]+}}, 15, v
; CHECK-DAG: v_bfe_u32 v{{[0-9]+}}, v{{[0-9]+}}, 8, 4
; CHECK-DAG: v_bfe_u32 v{{[0-9]+}}, v{{[0-9]+}}, 16, 4
; CHECK: s_setpc_b64

define <4 x float> @f(i32 %w) {
  %low = and i32 %w, 252645135
  %s1 = lshr i32 %low, 8
  %s2 = lshr i32 %low, 16
  %b0 = and i32 %low, 255
  %b1 = and i32 %s1, 255
  %b2 = and i32 %s2, 255
  %b3 = lshr i32 %low, 24
  %f0 = uitofp i32 %b0 to float
  %f1 = uitofp i32 %b1 to float
  %f2 = uitofp i32 %b2 to float
  %f3 = uitofp i32 %b3 to float
  %v0 = insertelement <4 x float> poison, float %f0, i32 0
  %v1 = insertelement <4 x float> %v0, float %f1, i32 1
  %v2 = insertelement <4 x float> %v1, float %f2, i32 2
  %v3 = insertelement <4 x float> %v2, float %f3, i32 3
  ret <4 x float> %v3
}
