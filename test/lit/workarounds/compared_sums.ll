; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [SLSR] Compile time grows with the square of the number of sums that have a term in common
;
; StraightLineStrengthReduce looks for a basis of each sum among all earlier ones with the same
; base, and subtracts their other terms by ScalarEvolution: 2000 sums of one value take 9 seconds,
; 4000 more than 20. Sums of 256 terms (running sums) take 6 seconds for 256 of them.
; Expected: the number of candidates that are compared with each sum has a bound.
; RUN: %python %S/Inputs/compared_sums.py 100 > %t.few.ll
; RUN: %python %S/Inputs/compared_sums.py 4000 > %t.many.ll
; RUN: (ulimit -t 5; opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -passes=slsr -disable-output < %t.few.ll; \
; RUN:   echo "few: $?") | FileCheck %s
; RUN: (ulimit -t 5; opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -passes=slsr -disable-output < %t.many.ll; \
; RUN:   echo "many: $?") | FileCheck %s --check-prefix=MANY
; CHECK: few: 0
; MANY: many: {{[1-9]}}
