; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] The zeros of an accumulator are materialized once for each path, register by register
;
; The four zeros are live into the loop and, where it is not entered, into the block after it.
; Expected: two v_mov_b64 in the entry block.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK-COUNT-8: v_mov_b32_e32 v{{[0-9]+}}, 0

declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)

define amdgpu_kernel void @f(ptr addrspace(1) %p, ptr addrspace(1) %o, i32 %n) "amdgpu-agpr-alloc"="0" {
entry:
  %some = icmp sgt i32 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %s = phi <4 x float> [ zeroinitializer, %entry ], [ %t, %loop ]
  %at = getelementptr <4 x half>, ptr addrspace(1) %p, i32 %i
  %a = load <4 x half>, ptr addrspace(1) %at
  %t = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %a, <4 x float> %s, i32 0, i32 0, i32 0)
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %loop, label %end
end:
  %r = phi <4 x float> [ zeroinitializer, %entry ], [ %t, %loop ]
  store <4 x float> %r, ptr addrspace(1) %o
  ret void
}
