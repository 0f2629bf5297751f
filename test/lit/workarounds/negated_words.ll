; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] fneg of a vector of f32 that is the bitcast of selected i32 negates the last element only
;
; performFNegCombine moves the negation of a bitcast into the last word of its source, where it becomes
; a source modifier of v_cndmask. That is right for a double, whose sign is in that word, but the type is
; not tested: for <2 x float> the first element stays as it is. The same for <2 x double> from <4 x i32>,
; and for an xor with the sign bits that is folded to an fneg.
; Expected: both elements are negated.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: v_cndmask_b32_e32 v0, 1, v{{[0-9]+}}, vcc
; CHECK: v_cndmask_b32_e64 v1, v{{[0-9]+}}, -v{{[0-9]+}}, vcc

define <2 x float> @f(i1 %c, <2 x i32> %x) {
  %s = select i1 %c, <2 x i32> %x, <2 x i32> splat (i32 1)
  %b = bitcast <2 x i32> %s to <2 x float>
  %n = fneg <2 x float> %b
  ret <2 x float> %n
}
