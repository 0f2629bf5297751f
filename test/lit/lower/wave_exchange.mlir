// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Column sums of 8 waves: the totals of a wave are side by side in LDS, so that a thread reads its
// four columns' at once, the next lanes read the next ones, and the next wave's are 128 bytes on.
// If the totals of a column were side by side, lanes would be 128 bytes apart, all in one bank, and
// take eight times as long.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-line-info -o - | FileCheck %s

#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 8], order = [0, 1]}>
#sums = #ttg.slice<{dim = 1, parent = #columns}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @columns(
  // CHECK: call void @llvm.amdgcn.s.barrier()
  // CHECK: %[[FIRST:.*]] = getelementptr i8, ptr addrspace(3) @lds, i32 %{{.*}}
  // CHECK: load <4 x float>, ptr addrspace(3) %[[FIRST]], align 16
  // CHECK: %[[SECOND:.*]] = getelementptr i8, ptr addrspace(3) %[[FIRST]], i32 128
  // CHECK: load <4 x float>, ptr addrspace(3) %[[SECOND]], align 16
  // CHECK: %[[LAST:.*]] = getelementptr i8, ptr addrspace(3) %[[FIRST]], i32 896
  // CHECK: load <4 x float>, ptr addrspace(3) %[[LAST]], align 16
  tt.func public @columns(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #columns>
    %x = tt.load %s : tensor<32x64x!tt.ptr<f32>, #columns>
    %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %ab = arith.addf %a, %b : f32
      tt.reduce.return %ab : f32
    }) : (tensor<32x64xf32, #columns>) -> tensor<32xf32, #sums>
    %t = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #sums>
    tt.store %t, %sum : tensor<32x!tt.ptr<f32>, #sums>
    tt.return
  }
}
