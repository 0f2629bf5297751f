; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] SIInsertWaitcnts drops the wait of a release fence at a loop's head
;
; On entry nothing is outstanding, so the fence's wait is removed before the pass visits the back
; edge, along which the store to LDS is outstanding at s_barrier.
; Tests of the same bug: llvm/llvm-project#220356.
; Expected: s_waitcnt lgkmcnt(0) before s_barrier.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: =>This Inner Loop Header
; CHECK-NOT: s_waitcnt
; CHECK: s_barrier
; CHECK-NEXT: ds_write_b32
; CHECK-NEXT: s_cbranch

define amdgpu_kernel void @f(ptr addrspace(3) %p, i32 %n) "amdgpu-flat-work-group-size"="128,128" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  store i32 %i, ptr addrspace(3) %p
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}
