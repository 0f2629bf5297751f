; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [StructurizeCFG] A value that is hoisted as free reaches paths that do not pass its block
;
; %x is moved to %entry. The phi before %then gets it for the edge from %entry, and replaces the phi
; of %end, also after %after and %then, where %x is right and %q comes out.
; llvm/llvm-project#183792 hoists nothing for phis of three values; this one has two.
; Expected: the fabs (v_and_b32 with 0x7fffffff) after the loop, too.
; RUN: opt -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 -passes=structurizecfg -S < %s | FileCheck %s
; CHECK: entry:
; CHECK: %[[X:.*]] = call double @llvm.fabs
; CHECK: Flow:
; CHECK: %[[V:.*]] = phi double [ %q, %after ], [ %[[X]], %entry ]
; CHECK: end:
; CHECK-NOT: phi
; CHECK: store double %[[V]]

define amdgpu_kernel void @f(ptr addrspace(1) %to, double %p, double %q, i1 %a, i1 %b, i1 %c) {
entry:
  br i1 %a, label %then, label %loop
loop:
  br i1 %c, label %loop, label %after
after:
  br i1 %b, label %then, label %end
then:
  %x = call double @llvm.fabs.f64(double %p)
  br label %end
end:
  %v = phi double [ %x, %then ], [ %q, %after ]
  store double %v, ptr addrspace(1) %to
  ret void
}
