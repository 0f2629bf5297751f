; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [InstCombine] fcmp olt (fptrunc float %x to bfloat), C compares with an infinity
;
; foldFCmpFpTrunc compares the untruncated operand with the mean of C and the next bfloat. For the
; largest bfloat the sum of the two overflows float, so the bound is an infinity: an %x that
; truncates to +inf compares as less than C.
; Expected: the bound is 0x1.FFp+127 (or the fold does not happen for this C).
; RUN: opt -passes=instcombine -S %s | FileCheck %s
; CHECK: fcmp one float %x, 0x7FF0000000000000

define i1 @f(float %x) {
  %t = fptrunc float %x to bfloat
  %c = fcmp olt bfloat %t, 0xR7F7F
  ret i1 %c
}
