; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [LSR] Reassociation takes time that grows with the cube of a sum's terms
;
; GenerateReassociations adds a formula for each pair of terms of an induction variable's start, and
; builds the sum of all other terms for each. Its caps (three levels, fewer from 16 terms on) leave
; the square of the terms times their number: 32 induction variables that start at sums of up to 256
; terms take more than 100 seconds, up to 64 terms 0.3. Expected: the effort for each use has a
; bound that does not depend on its terms.
; RUN: %python %S/Inputs/reduced_sums.py 32 > %t.short.ll
; RUN: %python %S/Inputs/reduced_sums.py 256 > %t.long.ll
; RUN: (ulimit -t 5; opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -passes='loop(loop-reduce)' \
; RUN:   -disable-output < %t.short.ll; echo "short: $?") | FileCheck %s
; RUN: (ulimit -t 5; opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -passes='loop(loop-reduce)' \
; RUN:   -disable-output < %t.long.ll; echo "long: $?") | FileCheck %s --check-prefix=LONG
; CHECK: short: 0
; LONG: long: {{[1-9]}}
