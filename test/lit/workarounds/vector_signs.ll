; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [SLPVectorizer] the minimum bit width of uitofp's operand drops sign extensions
;
; Two uitofp of sign-extended i64 are vectorized as uitofp of the i32 that were loaded. The value
; -1 is 2^64 - 1 to uitofp i64 and 2^32 - 1 to uitofp i32.
; Expected: operands of uitofp keep their width unless they are known not to be negative.
; RUN: opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -passes=slp-vectorizer -S %s | FileCheck %s
; CHECK-NOT: sext
; CHECK: uitofp <2 x i32>

define <2 x float> @f(ptr addrspace(1) %p) {
  %a = load i32, ptr addrspace(1) %p
  %p1 = getelementptr i32, ptr addrspace(1) %p, i64 1
  %b = load i32, ptr addrspace(1) %p1
  %x = sext i32 %a to i64
  %y = sext i32 %b to i64
  %u = uitofp i64 %x to float
  %v = uitofp i64 %y to float
  %u1 = fmul float %u, 2.0
  %v1 = fmul float %v, 2.0
  %r = insertelement <2 x float> poison, float %u1, i64 0
  %q = insertelement <2 x float> %r, float %v1, i64 1
  ret <2 x float> %q
}
