// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers are computed before a branch on a mask, so that the branches of other masks can use
// them, too: a thread's two accesses here differ by a constant, and each has its own mask.
// RUN: %kiln compile %s --from=ttg --emit=llvm --passes= --no-line-info -o - | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: define {{.*}}@stores(
  // CHECK: %[[ROW:.*]] = getelementptr i8, ptr addrspace(1) %arg0, i64
  // CHECK-NEXT: %[[POINTER:.*]] = getelementptr i8, ptr addrspace(1) %[[ROW]], i64
  // CHECK: br i1
  // CHECK: %[[FIRST:.*]] = getelementptr i8, ptr addrspace(1) %[[POINTER]], i64 -8192
  // CHECK-NEXT: store <4 x i32> %{{.*}}, ptr addrspace(1) %[[FIRST]]
  // CHECK: br i1
  // CHECK: %[[SECOND:.*]] = getelementptr i8, ptr addrspace(1) %[[POINTER]], i64 -4096
  // CHECK-NEXT: store <4 x i32> %{{.*}}, ptr addrspace(1) %[[SECOND]]
  tt.func public @stores(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %far: i64 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #b>
    %ns = tt.splat %n : i32 -> tensor<2048xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<2048xi32, #b>
    %before = arith.constant dense<-2048> : tensor<2048xi32, #b>
    %o = arith.addi %i, %before : tensor<2048xi32, #b>
    %row = tt.addptr %x, %far : !tt.ptr<i32>, i64
    %xs = tt.splat %row : !tt.ptr<i32> -> tensor<2048x!tt.ptr<i32>, #b>
    %p = tt.addptr %xs, %i : tensor<2048x!tt.ptr<i32>, #b>, tensor<2048xi32, #b>
    %q = tt.addptr %p, %before : tensor<2048x!tt.ptr<i32>, #b>, tensor<2048xi32, #b>
    tt.store %q, %o, %m : tensor<2048x!tt.ptr<i32>, #b>
    tt.return
  }
}
