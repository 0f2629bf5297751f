; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [InstCombine] Equal elements of a vector are computed separately if a phi carries them
;
; In each iteration all elements of %q are equal, but each of them is shifted and converted.
; Expected: one shift and one conversion.
; RUN: opt -passes=instcombine,gvn -S < %s | llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 | FileCheck %s
; CHECK: =>This Inner Loop Header
; CHECK-COUNT-2: v_cvt_f32_u32
; CHECK: s_cbranch

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @f(ptr addrspace(1) %p, ptr addrspace(3) %o, i32 %n, i32 %s) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %first = load i32, ptr addrspace(1) %p
  %f0 = insertelement <2 x i32> poison, i32 %first, i32 0
  %f1 = insertelement <2 x i32> %f0, i32 %first, i32 1
  %s0 = insertelement <2 x i32> poison, i32 %s, i32 0
  %s1 = insertelement <2 x i32> %s0, i32 %s, i32 1
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %q = phi <2 x i32> [ %f1, %entry ], [ %n1, %loop ]
  %i1 = add i32 %i, 1
  %lane = add i32 %i1, %id
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %lane
  %next = load i32, ptr addrspace(1) %at
  %n0 = insertelement <2 x i32> poison, i32 %next, i32 0
  %n1 = insertelement <2 x i32> %n0, i32 %next, i32 1
  %shifted = lshr <2 x i32> %q, %s1
  %numbers = uitofp <2 x i32> %shifted to <2 x float>
  store volatile <2 x float> %numbers, ptr addrspace(3) %o
  %done = icmp eq i32 %i1, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}
