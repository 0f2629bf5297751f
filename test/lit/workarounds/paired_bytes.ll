; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] Bytes that become a pair of f16 are converted one by one
;
; The low and the high half of a byte become a <2 x half>.
; Expected: v_perm_b32 puts the byte into both halves, v_and_or_b32 masks it and adds exponents of
; numbers whose unit is one, and v_pk_add_f16 subtracts these numbers.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK-LABEL: f:
; CHECK-COUNT-2: v_cvt_f16_f32
; CHECK: s_setpc_b64

define <2 x half> @f(i32 %w) {
  %byte = lshr i32 %w, 16
  %low = and i32 %byte, 15
  %shifted = lshr i32 %w, 20
  %high = and i32 %shifted, 15
  %f0 = uitofp i32 %low to half
  %f1 = uitofp i32 %high to half
  %v0 = insertelement <2 x half> poison, half %f0, i32 0
  %v1 = insertelement <2 x half> %v0, half %f1, i32 1
  ret <2 x half> %v1
}
