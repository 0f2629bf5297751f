; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] AtomicOptimizer reassociates atomicrmw fadd of floats
;
; Lanes that add to one location are replaced by one addition of the lanes' number times the value, or of
; the sum of their values. If the location holds 2^24, lanes that add 1 leave 2^24 in any order, but
; their sum gives 2^24 + 64. llvm/llvm-project#223608.
; Expected: atomicrmw fadd as it is, without instructions that count lanes.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: s_bcnt1_i32_b64
; CHECK: v_cvt_f32_ubyte0
; CHECK: global_atomic_add_f32

define amdgpu_kernel void @f(ptr addrspace(1) %p) {
  %old = atomicrmw fadd ptr addrspace(1) %p, float 1.0 monotonic, !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0, !amdgpu.ignore.denormal.mode !0
  ret void
}
!0 = !{}
