; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] Division of 24-bit numbers by v_rcp_f32 is off by one for some operands
;
; v_rcp_f32 may be off by 1 ulp. For 24-bit operands (signed: above 23 bits, unsigned: above 22)
; the quotient that is corrected once can still be wrong, y / x with y = (0x7fffff / x) * x - 1.
; Fixed in LLVM 23 (llvm/llvm-project#201186, #202753). Invisible on a machine whose
; reciprocals are rounded correctly, such as Kiln's simulator.
; Expected: the integer expansion (v_mul_hi_u32), as for 32-bit operands.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: v_rcp_iflag_f32
; CHECK-NOT: v_mul_hi_u32
; CHECK: s_setpc_b64

define i32 @f(i32 %a, i32 %b) {
  %x = and i32 %a, 8388607
  %y = and i32 %b, 8388607
  %q = udiv i32 %x, %y
  ret i32 %q
}
