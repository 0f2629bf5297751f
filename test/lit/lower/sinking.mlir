// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load of LDS whose result only a branch uses stays in front of the barrier, behind which other
// waves may write there (workarounds.def: load_sinking). The assembly that keeps it there clobbers
// nothing: LLVM compares clobbers with the names of all registers.
// RUN: kiln compile %s --from=ttg --emit=llvm --no-llvm-passes -o - | FileCheck %s --check-prefix=LLVM
// RUN: kiln compile %s --from=ttg --emit=asm -o - | FileCheck %s --check-prefix=ASM
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // LLVM-LABEL: define {{.*}}@branch(
  // LLVM: call void asm sideeffect "", ""()
  // LLVM: fence syncscope("workgroup") release
  // LLVM-NOT: asm {{.*}}memory
  // ASM-LABEL: branch:
  // ASM: ds_write_b32
  // ASM: s_barrier
  // ASM: ds_read_b32
  // ASM: s_barrier
  // ASM-NOT: ds_read
  // ASM: s_endpgm
  tt.func public @branch(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<f32> loc("y"), %n: i32 loc("n")) {
    %zero = arith.constant 0 : i32
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #blocked>
    %xp = tt.addptr %xs, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
    %v = tt.load %xp : tensor<256x!tt.ptr<f32>, #blocked>
    %buf = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !ttg.memdesc<256xf32, #shared, #smem, mutable>
    ttg.local_store %v, %buf : tensor<256xf32, #blocked> -> !ttg.memdesc<256xf32, #shared, #smem, mutable>
    ttg.barrier local
    %w = ttg.local_load %buf : !ttg.memdesc<256xf32, #shared, #smem, mutable> -> tensor<256xf32, #blocked>
    ttg.barrier local
    %c = arith.cmpi sgt, %n, %zero : i32
    scf.if %c {
      %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>, #blocked>
      %yp = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>, #blocked>, tensor<256xi32, #blocked>
      tt.store %yp, %w : tensor<256x!tt.ptr<f32>, #blocked>
    }
    tt.return
  }
}
