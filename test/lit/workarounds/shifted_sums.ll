; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] v_lshl_add_u64 is not formed where the shifted value has several uses
;
; Expected: two v_lshl_add_u64 with a shift of 2, and no v_lshlrev_b64.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: v_lshlrev_b64 v[{{[0-9:]+}}], 2,
; CHECK-DAG: v_lshl_add_u64 v[{{[0-9:]+}}], v[{{[0-9:]+}}], 0, v[{{[0-9:]+}}]
; CHECK-DAG: v_lshl_add_u64 v[{{[0-9:]+}}], v[{{[0-9:]+}}], 0, v[{{[0-9:]+}}]

define <2 x i64> @f(i64 %x, i64 %y, i64 %i) {
  %b = shl i64 %i, 2
  %p = add i64 %x, %b
  %q = add i64 %y, %b
  %r = insertelement <2 x i64> poison, i64 %p, i64 0
  %s = insertelement <2 x i64> %r, i64 %q, i64 1
  ret <2 x i64> %s
}
