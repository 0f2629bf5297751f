; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] performAddCarrySubCarryCombine folds an addition into a carry chain whose carry is used
;
; uaddo_carry (x + y), 0, c becomes uaddo_carry x, y, c: the same sum, but the carry also counts the
; overflow of x + y. Here x + y is the upper half of a product. The same goes for differences.
; Fixed in LLVM 23 (llvm/llvm-project#204362).
; Expected: the upper half is added before the carry chain, which then adds 0.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK-LABEL: sum:
; CHECK: v_add_co_u32_e32 v0, vcc, 1, v
; CHECK: v_addc_co_u32_e32 v1, vcc, v{{[0-9]+}}, v{{[0-9]+}}, vcc
; CHECK-LABEL: difference:
; CHECK: v_sub_co_u32_e32 v{{[0-9]+}}, vcc,
; CHECK: v_subb_co_u32_e32 v1, vcc, v0, v1, vcc

define { i64, i1 } @sum(i64 %a, i64 %b) {
  %x = mul i64 %a, %b
  %s = call { i64, i1 } @llvm.uadd.with.overflow.i64(i64 %x, i64 1)
  ret { i64, i1 } %s
}

define { i64, i1 } @difference(i32 %a, i32 %b, i32 %lo, i32 %y) {
  %hi = sub i32 %a, %b
  %h = zext i32 %hi to i64
  %hs = shl i64 %h, 32
  %l = zext i32 %lo to i64
  %x = or i64 %hs, %l
  %z = zext i32 %y to i64
  %s = call { i64, i1 } @llvm.usub.with.overflow.i64(i64 %x, i64 %z)
  ret { i64, i1 } %s
}
