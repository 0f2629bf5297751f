// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that is uniform in a warp may differ between warps: values that depend on the warp must
// be moved if a conversion gives elements to other warps. A splat needs no move.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info -o - | FileCheck %s

#warps = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [2, 1], order = [1, 0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 32], warpsPerCTA = [1, 2], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: define {{.*}}@count(
  // CHECK: store {{.*}} ptr addrspace(3)
  // CHECK: call void @llvm.amdgcn.s.barrier()
  // CHECK: load {{.*}} ptr addrspace(3)
  // CHECK-NOT: addrspace(3)
  // CHECK: ret void
  tt.func public @count(%x: !tt.ptr<i32>, %n: i32) {
    %w = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32, #ttg.slice<{dim = 1, parent = #warps}>>
    %ws = tt.expand_dims %w {axis = 1 : i32} : tensor<2xi32, #ttg.slice<{dim = 1, parent = #warps}>> -> tensor<2x1xi32, #warps>
    %wide = tt.broadcast %ws : tensor<2x1xi32, #warps> -> tensor<2x64xi32, #warps>
    %v = ttg.convert_layout %wide : tensor<2x64xi32, #warps> -> tensor<2x64xi32, #rows>
    %ns = tt.splat %n : i32 -> tensor<2x64xi32, #warps>
    %m = ttg.convert_layout %ns : tensor<2x64xi32, #warps> -> tensor<2x64xi32, #rows>
    %s = arith.addi %v, %m : tensor<2x64xi32, #rows>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<2x64x!tt.ptr<i32>, #rows>
    %p = tt.addptr %xs, %s : tensor<2x64x!tt.ptr<i32>, #rows>, tensor<2x64xi32, #rows>
    tt.store %p, %s : tensor<2x64x!tt.ptr<i32>, #rows>
    tt.return
  }
}
