; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [InstCombine] fptrunc (fmul (fpext bfloat), (fpext bfloat)) to half is done in half
;
; Where a result is truncated to half, InstCombine does the operation in half if half's precision
; suffices for the operands. It compares the number of significant bits only: a bfloat has fewer
; than a half, but a larger range. fmul (bfloat 2^20), (bfloat 0) is 0 and becomes inf * 0 = NaN.
; Expected: the operation stays in float unless the operands' exponents fit half, too.
; RUN: opt -passes=instcombine -S %s | FileCheck %s
; CHECK: fmul half

define half @f(bfloat %x, bfloat %y) {
  %a = fpext bfloat %x to float
  %b = fpext bfloat %y to float
  %m = fmul float %a, %b
  %t = fptrunc float %m to half
  ret half %t
}
