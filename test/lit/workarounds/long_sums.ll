; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] A 128-bit difference loses the borrow between its scalar low half and its vector high
; half
;
; The low half of x * -16 is uniform here (x | INT64_MAX has a uniform low dword), so its borrow is
; computed in SCC and never reaches VCC, which the high half reads undefined.
; Fixed in LLVM 23 (llvm/llvm-project#204502, #204694).
; Expected: VCC is written before the first v_subb_co_u32 reads it.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK-LABEL: f:
; CHECK-NOT: vcc
; CHECK: v_subb_co_u32_e32 v{{[0-9]+}}, vcc, 0, v{{[0-9]+}}, vcc

define i128 @f(i64 %x) {
  %o = or i64 %x, 9223372036854775807
  %s = sext i64 %o to i128
  %p = mul i128 %s, -16
  ret i128 %p
}
