// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier that orders global memory waits for LDS only: the waves of a workgroup share an L1 that
// takes their accesses in order.
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=other_waves -o - | FileCheck %s
//
// It waits for stores, too, if an atomic operation on a tile may release what other waves stored to
// other workgroups: the wave that executes it does not wait for them.
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info --kernel=releases -o - \
// RUN:   | FileCheck %s --check-prefix=RELEASES
// RUN: sed 's/atomic_rmw exch, release/atomic_rmw exch, acq_rel/' %s | kiln compile - --from=ttg --emit=asm --passes= \
// RUN:   --no-line-info --kernel=releases -o - | FileCheck %s --check-prefix=RELEASES
// RUN: sed 's/atomic_rmw exch, release/atomic_rmw exch, relaxed/' %s | kiln compile - --from=ttg --emit=asm --passes= \
// RUN:   --no-line-info --kernel=releases -o - | FileCheck %s --check-prefix=RELAXED

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: other_waves:
  // CHECK: _store_dword
  // CHECK-NOT: vmcnt
  // CHECK: s_barrier
  // CHECK: _load_dword
  // CHECK: s_waitcnt vmcnt(0)
  // CHECK-NEXT: _store_dword
  tt.func public @other_waves(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %c64 = arith.constant dense<64> : tensor<256xi32, #blocked>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %j = arith.xori %i, %c64 : tensor<256xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
    tt.store %p, %i : tensor<256x!tt.ptr<i32>, #blocked>
    ttg.barrier local|global_read|global_write
    %q = tt.addptr %xs, %j : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
    %v = tt.load %q : tensor<256x!tt.ptr<i32>, #blocked>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
    %r = tt.addptr %ys, %i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
    tt.store %r, %v : tensor<256x!tt.ptr<i32>, #blocked>
    tt.return
  }
  // RELEASES-LABEL: releases:
  // RELEASES: _store_dword
  // RELEASES: s_waitcnt vmcnt(0)
  // RELEASES: s_barrier
  // RELEASES: _atomic_swap
  // RELAXED-LABEL: releases:
  // RELAXED: _store_dword
  // RELAXED-NOT: vmcnt
  // RELAXED: s_barrier
  // RELAXED: _atomic_swap
  tt.func public @releases(%x: !tt.ptr<i32>, %flags: !tt.ptr<i32>) {
    %one = arith.constant dense<1> : tensor<64xi32, #blocked>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<256x!tt.ptr<i32>, #blocked>, tensor<256xi32, #blocked>
    tt.store %p, %i : tensor<256x!tt.ptr<i32>, #blocked>
    gpu.barrier
    %j = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #blocked>
    %fs = tt.splat %flags : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #blocked>
    %f = tt.addptr %fs, %j : tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi32, #blocked>
    %old = tt.atomic_rmw exch, release, gpu, %f, %one : (tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi32, #blocked>) -> tensor<64xi32, #blocked>
    tt.return
  }
}
