; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [InstCombine] isKnownExactCastIntToFP ignores the range of half
;
; An integer with enough trailing zeros has few significant bits, so its conversion to half is
; considered exact. 2^31 is beyond half's range: fpext (uitofp i32 2^31 to half) to double is an
; infinity, and becomes 2147483648.
; Expected: the fold checks that the largest value is finite in the intermediate type.
; RUN: opt -passes=instcombine -S %s | FileCheck %s
; CHECK: uitofp i32 %s to double

define double @f(i32 %x) {
  %s = shl i32 %x, 31
  %h = uitofp i32 %s to half
  %d = fpext half %h to double
  ret double %d
}
