// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier that orders global memory waits for LDS only, as LLVM's memory model has it: the waves
// of a workgroup share an L1 that takes their accesses in order.
// RUN: kiln compile %s --from=ttg --emit=asm --passes= --no-line-info -o - | FileCheck %s

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
}
