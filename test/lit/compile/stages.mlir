// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilation can stop at every stage, and the manifest is written next to the code object.
//
// RUN: %kiln compile %s --from=tt --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: %kiln compile %s --from=tt --emit=asm | FileCheck %s --check-prefix=ASM
// RUN: %kiln compile %s --from=tt --num-warps=2 --kernel=copy -o %t.hsaco
// RUN: FileCheck %s --check-prefix=MANIFEST < %t.json
// RUN: llvm-readobj --notes %t.hsaco | FileCheck %s --check-prefix=NOTES
// RUN: %kiln compile - --from=tt < %s -o - > %t.stdout.hsaco && llvm-readobj -h %t.stdout.hsaco \
// RUN:   | FileCheck %s --check-prefix=ELF

// LLVM: target triple = "amdgcn-amd-amdhsa"
// LLVM: define protected amdgpu_kernel void @copy(
// LLVM: "amdgpu-flat-work-group-size"="64,64"

// ASM: .amdgcn_target "amdgcn-amd-amdhsa--gfx942"
// ASM: copy:
// ASM: s_endpgm

// MANIFEST: "name": "from"
// MANIFEST: "type": "*i32"
// MANIFEST: "name": "to"
// MANIFEST: "block_size": 128
// MANIFEST: "kernel": "copy"
// MANIFEST: "num_warps": 2
// MANIFEST: "occupancy": 8
// MANIFEST: "llvm":

// No hidden arguments if nothing reads them.
// NOTES: .kernarg_segment_size: 16
// NOTES: .max_flat_workgroup_size: 128
// NOTES: .name: copy
// NOTES: amdhsa.target: {{.*}}gfx942

// ELF: Flags [ (0x54C)
module {
  tt.func public @copy(%from: !tt.ptr<i32> loc("from"), %to: !tt.ptr<i32> loc("to")) {
    %v = tt.load %from : !tt.ptr<i32>
    tt.store %to, %v : !tt.ptr<i32>
    tt.return
  }
}
