; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] Inline assembly gets a vector register for an operand with the constraint "s"
;
; Selection computes uniform products of floats and volatile loads in vector registers, and does not
; copy them to the scalar register that the assembly requires. The assembler rejects what needs a
; scalar register; other instructions read a register of another kind than was asked for.
; llvm/llvm-project#89971, #176330, #184910.
; Expected: v_readfirstlane_b32 before the use, as in `read`. Such a call before InstCombine does not
; help: it is dropped where the factors are uniform.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; RUN: opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -passes=instcombine -S < %s | FileCheck %s --check-prefix=DROPPED
; CHECK-LABEL: product:
; CHECK: v_mul_f32_e32 [[V:v[0-9]+]]
; CHECK: use [[V]]
; CHECK-LABEL: loaded:
; CHECK: global_load_dword [[V:v[0-9]+]]
; CHECK: use [[V]]
; CHECK-LABEL: read:
; CHECK: v_readfirstlane_b32 [[S:s[0-9]+]]
; CHECK: use [[S]]
; DROPPED-LABEL: void @read
; DROPPED-NOT: readfirstlane
; DROPPED: "s"(float %1)

define amdgpu_kernel void @product(float %a, float %b) {
  %m = fmul float %a, %b
  call void asm sideeffect "; use $0", "s"(float %m)
  ret void
}

define amdgpu_kernel void @loaded(ptr addrspace(1) %q) {
  %m = load volatile i32, ptr addrspace(1) %q
  call void asm sideeffect "; use $0", "s"(i32 %m)
  ret void
}

declare float @llvm.amdgcn.readfirstlane.f32(float)

define amdgpu_kernel void @read(float %a, float %b) {
  %m = fmul float %a, %b
  %u = call float @llvm.amdgcn.readfirstlane.f32(float %m)
  call void asm sideeffect "; use $0", "s"(float %u)
  ret void
}
