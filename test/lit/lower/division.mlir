// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer division by a masked-off element: the zero that stands for it must not let LLVM assume
// that the mask is true. Divisors that are known need nothing.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=divide -o - \
// RUN:   | FileCheck %s
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-line-info --kernel=divide -o - \
// RUN:   | FileCheck %s --check-prefix=MASKED
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-line-info --kernel=both -o - \
// RUN:   | FileCheck %s --check-prefix=BOTH

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: define {{.*}}@divide(
  // CHECK: %[[ONE:.*]] = call i32 @llvm.umax.i32(i32 %{{.*}}, i32 1)
  // CHECK: sdiv i32 %{{.*}}, %[[ONE]]
  // CHECK: srem i32 %{{.*}}, %
  // CHECK: udiv i32 %{{.*}}, 7
  // CHECK: urem i32 %{{.*}}, 7
  // The mask stays: a branch stands in front of the load.
  // MASKED-LABEL: define {{.*}}@divide(
  // MASKED: br i1
  // MASKED: load i32
  // MASKED: phi i32
  // MASKED: sdiv i32
  tt.func public @divide(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32) {
    %seven = arith.constant dense<7> : tensor<64xi32, #blocked>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #blocked>
    %ns = tt.splat %n : i32 -> tensor<64xi32, #blocked>
    %m = arith.cmpi slt, %i, %ns : tensor<64xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #blocked>
    %far = arith.muli %i, %ns : tensor<64xi32, #blocked>
    %p = tt.addptr %xs, %far : tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi32, #blocked>
    %d = tt.load %p, %m : tensor<64x!tt.ptr<i32>, #blocked>
    %q = arith.divsi %i, %d : tensor<64xi32, #blocked>
    %r = arith.remsi %q, %d : tensor<64xi32, #blocked>
    %u = arith.divui %r, %seven : tensor<64xi32, #blocked>
    %v = arith.remui %u, %seven : tensor<64xi32, #blocked>
    %w = arith.addi %q, %v : tensor<64xi32, #blocked>
    %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>, #blocked>
    %o = tt.addptr %outs, %i : tensor<64x!tt.ptr<i32>, #blocked>, tensor<64xi32, #blocked>
    tt.store %o, %w : tensor<64x!tt.ptr<i32>, #blocked>
    tt.return
  }

  // A remainder beside its quotient is what that leaves.
  // BOTH-LABEL: define {{.*}}@both(
  // BOTH: %[[QUOTIENT:.*]] = sdiv i32 %arg1
  // BOTH-NOT: srem
  // BOTH: %[[PRODUCT:.*]] = mul i32 %[[QUOTIENT]]
  // BOTH: sub i32 %arg1{{.*}}, %[[PRODUCT]]
  tt.func public @both(%out: !tt.ptr<i32>, %a: i32, %b: i32) {
    %one = arith.constant 1 : i32
    %q = arith.divsi %a, %b : i32
    %r = arith.remsi %a, %b : i32
    %next = tt.addptr %out, %one : !tt.ptr<i32>, i32
    tt.store %out, %q : !tt.ptr<i32>
    tt.store %next, %r : !tt.ptr<i32>
    tt.return
  }
}
