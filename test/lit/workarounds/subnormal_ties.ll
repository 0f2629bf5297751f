; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] Subnormal f64 quotients in the middle of two numbers are rounded to the wrong one
;
; The last step of the division, v_div_fmas_f64, undoes the scaling of the numerator and rounds once,
; to the fewer bits of a subnormal number. It corrects an estimate of the quotient, n * (1 / d), that
; may be off by one unit of 53 bits, by the remainder times an inverse that is rounded itself. The sum
; is then not exactly the quotient, and where the quotient is a tie, it lies on one side of it:
; 9 * 2^-1074 / 6 gives 2^-1074, not 2^-1073. The f32 division corrects the estimate once more before
; its last step, and is right. Whether v_div_fmas rounds once on the machine is not documented.
; Expected: a v_fma_f64 that corrects the estimate, and another for its remainder.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: v_mul_f64
; CHECK: v_fma_f64
; CHECK-NOT: v_fma_f64
; CHECK: v_div_fmas_f64

define double @f(double %n, double %d) {
  %q = fdiv double %n, %d
  ret double %q
}
