; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [InstCombine] isKnownExactCastIntToFP ignores that uitofp (fptosi x) reads negative numbers
;
; fptosi of a half has at most 17 significant bits, so the conversion back to float is
; considered exact. Through uitofp a negative result has up to 32 significant bits:
; fpext (uitofp i32 (fptosi half -666) to float) to double is 4294966528, not 4294966630.
; Expected: uitofp i32 to float stays; or the fold requires a source that is not negative.
; RUN: opt -passes=instcombine -S %s | FileCheck %s
; CHECK: uitofp i32 %s to double

define double @f(half %x) {
  %s = fptosi half %x to i32
  %h = uitofp i32 %s to float
  %d = fpext float %h to double
  ret double %d
}
