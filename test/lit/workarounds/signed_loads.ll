; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; [AMDGPU] A sign-extended buffer load of 16 bits is moved past a store to the same place
;
; performSignExtendInRegCombine (SIISelLowering.cpp) combines a BUFFER_LOAD_USHORT and the
; extension of its result into a BUFFER_LOAD_SHORT. The new node takes the chain of the old one, but
; nothing takes the chain of the new one: the nodes that follow the load still depend on the old
; one, which is then dead. So the load may be scheduled after stores, fences and barriers of its
; block. The same happens with 8 bits.
; Expected: buffer_load_sshort before buffer_store_short.
; RUN: llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx942 < %s | FileCheck %s
; CHECK: buffer_store_short
; CHECK: buffer_load_sshort

define amdgpu_kernel void @f(ptr addrspace(8) inreg %r, ptr addrspace(1) inreg %q, i32 inreg %o) {
  %v = call i16 @llvm.amdgcn.raw.ptr.buffer.load.i16(ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
  call void @llvm.amdgcn.raw.ptr.buffer.store.i16(i16 7, ptr addrspace(8) %r, i32 %o, i32 0, i32 0)
  %w = sext i16 %v to i32
  store i32 %w, ptr addrspace(1) %q
  ret void
}
