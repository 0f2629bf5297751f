// One wave on a SIMD or two: code that needs more than 256 registers outside of its loops spills
// some, so that a second wave works while the first one waits; code that needs them in its loop
// keeps them.
//
// Without promises about its arguments and without version_strides, gemm has a branch in its loop for strides
// that are not aligned. Spilled registers are no mistake here, so nothing warns of them.
// RUN: %kiln compile %examples/gemm.tile.c -D BLOCK_M=128 -D BLOCK_N=128 -D BLOCK_K=64 --num-warps=4 --disable-pass=version_strides \
// RUN:   -Werror -o %t.two
// RUN: %kiln inspect %t.two | FileCheck %s --check-prefix=TWO
// TWO: vector registers 256
// TWO-NEXT: accumulation registers 0
// TWO: vector registers spilled {{[1-9]}}
// TWO: waves per SIMD 2
//
// A request for one wave is obeyed, and so is one for two.
// RUN: %kiln compile %examples/gemm.tile.c -D BLOCK_M=128 -D BLOCK_N=128 -D BLOCK_K=64 --num-warps=4 --waves-per-eu=1 -o %t.one
// RUN: %kiln inspect %t.one | FileCheck %s --check-prefix=ONE
// RUN: %kiln compile %examples/attention.tile.c -D CAUSAL=false -D D=128 -D BLOCK_M=128 -D BLOCK_N=64 --num-warps=4 --waves-per-eu=2 -o %t.asked
// RUN: %kiln inspect %t.asked | FileCheck %s --check-prefix=TWO
//
// Attention would reload registers in its loop.
// RUN: %kiln compile %examples/attention.tile.c -D CAUSAL=false -D D=128 -D BLOCK_M=128 -D BLOCK_N=64 --num-warps=4 -Werror -o %t.loop
// RUN: %kiln inspect %t.loop | FileCheck %s --check-prefix=ONE
// ONE: vector registers spilled 0
// ONE: waves per SIMD 1
//
// The assembly text is that of the code object.
// RUN: %kiln compile %examples/gemm.tile.c -D BLOCK_M=128 -D BLOCK_N=128 -D BLOCK_K=64 --num-warps=4 --disable-pass=version_strides \
// RUN:   --emit=asm -o - | FileCheck %s --check-prefix=TWO-TEXT
// RUN: %kiln compile %examples/attention.tile.c -D CAUSAL=false -D D=128 -D BLOCK_M=128 -D BLOCK_N=64 --num-warps=4 --emit=asm -o - | FileCheck %s --check-prefix=ONE-TEXT
// TWO-TEXT: .vgpr_count: 256
// TWO-TEXT: .vgpr_spill_count: {{[1-9]}}
// ONE-TEXT: .vgpr_spill_count: 0
//
// A few registers too many for a third wave are spilled outside of the loop.
// RUN: %kiln compile %examples/gemm.tile.c -D BLOCK_M=128 -D BLOCK_N=64 -D BLOCK_K=128 --num-stages=1 --matrix-instr-nonkdim=16 --arg a=*f16:16:2g --arg b=*f16:16:2g --arg c=*f16:16:2g --arg M=i32:16 --arg N=i32:16 --arg K=i32:16 --arg lda=i32:16 --arg ldb=i32:16 --arg ldc=i32:16 -Werror -o %t.three
// RUN: %kiln inspect %t.three | FileCheck %s --check-prefix=THREE
// THREE: vector registers 168
// THREE: vector registers spilled {{[1-8]$}}
// THREE: waves per SIMD 3
//
// Workgroups of eight waves are placed whole, so registers for two of them are those for four waves on
// a SIMD. A loop that is estimated to need more keeps one.
// RUN: %kiln compile %examples/gemm.tile.c -D BLOCK_M=128 -D BLOCK_N=128 -D BLOCK_K=64 --num-warps=8 -Werror -o %t.groups
// RUN: %kiln inspect %t.groups | FileCheck %s --check-prefix=GROUPS
// RUN: %kiln compile %examples/gemm.tile.c -D BLOCK_M=128 -D BLOCK_N=256 -D BLOCK_K=64 --num-warps=8 -Werror -o %t.group
// RUN: %kiln inspect %t.group | FileCheck %s --check-prefix=GROUP
// GROUPS: vector registers 128
// GROUPS: vector registers spilled {{[1-9]}}
// GROUPS: waves per SIMD 4
// GROUP: vector registers spilled 0
// GROUP: waves per SIMD 2
