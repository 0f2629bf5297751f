// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations outstanding at the end of a loop's body are waited for before a barrier or release at
// the body's begin, even if none was outstanding when the loop was entered: LLVM 22 drops a fence's
// own wait there.
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=lds -o - \
// RUN:   | FileCheck %s --check-prefix=LDS
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=release -o - \
// RUN:   | FileCheck %s --check-prefix=RELEASE

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#turned = #ttg.linear<{register = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // LDS-LABEL: lds:
  // LDS: .LBB0_1:
  // LDS-NOT: ds_
  // LDS: s_waitcnt lgkmcnt(0)
  // LDS-NEXT: s_barrier
  // LDS: ds_read_b32
  // LDS: ds_write_b32
  // LDS: s_cbranch_scc1 .LBB0_1
  tt.func public @lds(%x: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c9 = arith.constant 9 : i32
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %b = ttg.local_alloc : () -> !ttg.memdesc<256xi32, #shared, #smem, mutable>
    %sum = scf.for %k = %c0 to %c9 step %c1 iter_args(%a = %i) -> (tensor<256xi32, #blocked>) : i32 {
      %v = ttg.local_load %b : !ttg.memdesc<256xi32, #shared, #smem, mutable> -> tensor<256xi32, #turned>
      %n = ttg.convert_layout %v : tensor<256xi32, #turned> -> tensor<256xi32, #blocked>
      ttg.local_store %v, %b : tensor<256xi32, #turned> -> !ttg.memdesc<256xi32, #shared, #smem, mutable>
      scf.yield %n : tensor<256xi32, #blocked>
    }
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
    tt.store %p, %sum : tensor<256x!tt.ptr<i32>, #blocked>
    tt.return
  }
  // RELEASE-LABEL: release:
  // RELEASE: .LBB0_{{[0-9]+}}:
  // RELEASE: buffer_wbl2
  // RELEASE-NEXT: s_waitcnt vmcnt(0)
  // RELEASE: global_atomic_add
  tt.func public @release(%x: !tt.ptr<i32>, %flag: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c9 = arith.constant 9 : i32
    %true = arith.constant true
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
    scf.for %k = %c0 to %c9 step %c1 : i32 {
      %old = tt.atomic_rmw add, acq_rel, gpu, %flag, %c1, %true : (!tt.ptr<i32>, i32, i1) -> i32
      %v = tt.splat %k : i32 -> tensor<256xi32, #blocked>
      tt.store %p, %v : tensor<256x!tt.ptr<i32>, #blocked>
    }
    tt.return
  }
}
