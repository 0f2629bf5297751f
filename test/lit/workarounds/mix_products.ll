; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] A product that is -0 and is rounded to f16 becomes +0
;
; fptrunc (fmul x, y) is selected as v_fma_mixlo_f16 x, y, 0, or v_fma_mixhi_f16, which add +0 to the
; product: -0 + +0 is +0. Fixed after LLVM 23 (llvm/llvm-project#214544).
; Expected: the addend is -0, neg_lo:[0,0,1].
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK-LABEL: lower:
; CHECK: v_fma_mixlo_f16 v0, v0, v1, 0{{$}}
; CHECK-LABEL: upper:
; CHECK: v_fma_mixhi_f16 v2, v0, v1, 0{{$}}
; CHECK-LABEL: extended:
; CHECK: v_fma_mixlo_f16 v0, v0, v1, 0 op_sel_hi:[1,1,0]{{$}}

define half @lower(float %x, float %y) {
  %m = fmul float %x, %y
  %r = fptrunc float %m to half
  ret half %r
}

define <2 x half> @upper(float %x, float %y, half %lower) {
  %m = fmul float %x, %y
  %h = fptrunc float %m to half
  %l = insertelement <2 x half> poison, half %lower, i32 0
  %r = insertelement <2 x half> %l, half %h, i32 1
  ret <2 x half> %r
}

define half @extended(half %x, half %y) {
  %a = fpext half %x to float
  %b = fpext half %y to float
  %m = fmul float %a, %b
  %r = fptrunc float %m to half
  ret half %r
}
