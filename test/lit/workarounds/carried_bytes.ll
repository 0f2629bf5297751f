; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] A vector of bytes that crosses blocks takes a register for each byte
;
; The loaded dword of the next iteration is taken apart at the end of the block, so the load is
; waited for in the iteration that issues it.
; Expected: the phi is carried as one dword and taken apart where the bytes are used.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: =>This Inner Loop Header
; CHECK: global_load_dword v
; CHECK: s_waitcnt vmcnt(0)
; CHECK-NEXT: v_lshrrev_b32
; CHECK: s_cbranch

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @f(ptr addrspace(1) %p, ptr addrspace(3) %o, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %first = load <4 x i8>, ptr addrspace(1) %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %q = phi <4 x i8> [ %first, %entry ], [ %next, %loop ]
  %i1 = add i32 %i, 1
  %lane = add i32 %i1, %id
  %at = getelementptr <4 x i8>, ptr addrspace(1) %p, i32 %lane
  %next = load <4 x i8>, ptr addrspace(1) %at
  %b0 = extractelement <4 x i8> %q, i32 0
  %b3 = extractelement <4 x i8> %q, i32 3
  %s = mul i8 %b0, %b3
  store volatile i8 %s, ptr addrspace(3) %o
  %done = icmp eq i32 %i1, %n
  br i1 %done, label %end, label %loop
end:
  ret void
}
