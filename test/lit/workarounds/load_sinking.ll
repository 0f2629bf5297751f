; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [MachineSink] A load is moved past a fence and s_barrier
;
; The load is used in one branch only, so MachineSink moves it there. It looks for stores between,
; and a fence or a barrier does not count as one. Another wave may write the address after the
; barrier. llvm/llvm-project#181708.
; Expected: ds_read_b32 in front of s_barrier.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: s_barrier
; CHECK: ds_read_b32

define amdgpu_kernel void @f(ptr addrspace(3) %p, ptr addrspace(1) %q, i1 %c) {
entry:
  %v = load i32, ptr addrspace(3) %p
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  br i1 %c, label %then, label %end
then:
  store i32 %v, ptr addrspace(1) %q
  br label %end
end:
  ret void
}
