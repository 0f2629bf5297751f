// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch that loads several tensors is split, so that each runs ahead of the dot. One that yields something else stays.
//
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=schedule_loops --num-stages=3 --no-line-info -o - | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [16, 16, 16], isTransposed = true}>
#a0 = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 4}>
#a1 = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @two_loads
// CHECK: scf.for
// CHECK: %[[X:.*]] = scf.if %{{.*}} -> (tensor<64x32xf16, #blocked>) {
// CHECK-NEXT: %[[WHOLE:.*]] = tt.load
// CHECK-NEXT: %[[PART:.*]] = tt.load
// CHECK-NEXT: %[[BOTH:.*]] = arith.select %{{.*}}, %[[PART]], %[[WHOLE]]
// CHECK-NEXT: scf.yield %[[BOTH]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[ONE:.*]] = tt.load
// CHECK-NEXT: scf.yield %[[ONE]]
// CHECK-NEXT: } {loop.cluster = {{[01]}} : i32, loop.stage = 0 : i32}
// CHECK: %[[S:.*]] = scf.if %{{.*}} -> (tensor<64x32xf16, #blocked>) {
// CHECK-NEXT: tt.load
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: tt.load
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } {loop.cluster = {{[01]}} : i32, loop.stage = 0 : i32}
// CHECK: arith.mulf %[[X]], %[[S]] {loop.cluster = {{[0-9]}} : i32, loop.stage = 2 : i32}
tt.func public @two_loads(%p: tensor<64x32x!tt.ptr<f16>, #b>, %s: tensor<64x32x!tt.ptr<f16>, #b>, %apart: tensor<64x32xi1, #b>, %edge: i1, %y: tensor<32x64xf16, #a1>, %n: i32) -> tensor<64x64xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #m>) : i32 {
    %v:2 = scf.if %edge -> (tensor<64x32xf16, #b>, tensor<64x32xf16, #b>) {
      %whole = tt.load %p : tensor<64x32x!tt.ptr<f16>, #b>
      %part = tt.load %p, %apart : tensor<64x32x!tt.ptr<f16>, #b>
      %both = arith.select %apart, %part, %whole : tensor<64x32xi1, #b>, tensor<64x32xf16, #b>
      %scale = tt.load %s, %apart : tensor<64x32x!tt.ptr<f16>, #b>
      scf.yield %both, %scale : tensor<64x32xf16, #b>, tensor<64x32xf16, #b>
    } else {
      %one = tt.load %p : tensor<64x32x!tt.ptr<f16>, #b>
      %scale = tt.load %s : tensor<64x32x!tt.ptr<f16>, #b>
      scf.yield %one, %scale : tensor<64x32xf16, #b>, tensor<64x32xf16, #b>
    }
    %z = arith.mulf %v#0, %v#1 : tensor<64x32xf16, #b>
    %x1 = ttg.convert_layout %z : tensor<64x32xf16, #b> -> tensor<64x32xf16, #a0>
    %d = tt.dot %x1, %y, %acc : tensor<64x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<64x64xf32, #m>
    scf.yield %d : tensor<64x64xf32, #m>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<64x64xf32, #m>
}

// CHECK-LABEL: @load_and_sum
// CHECK: scf.if %{{.*}} -> (tensor<64x32xf16, #blocked>, tensor<64x32xf16, #blocked>)
tt.func public @load_and_sum(%p: tensor<64x32x!tt.ptr<f16>, #b>, %edge: i1, %y: tensor<32x64xf16, #a1>, %n: i32) -> tensor<64x64xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m>
  %none = arith.constant dense<0.000000e+00> : tensor<64x32xf16, #b>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #m>) : i32 {
    %v:2 = scf.if %edge -> (tensor<64x32xf16, #b>, tensor<64x32xf16, #b>) {
      %one = tt.load %p : tensor<64x32x!tt.ptr<f16>, #b>
      %twice = arith.addf %one, %one : tensor<64x32xf16, #b>
      scf.yield %one, %twice : tensor<64x32xf16, #b>, tensor<64x32xf16, #b>
    } else {
      scf.yield %none, %none : tensor<64x32xf16, #b>, tensor<64x32xf16, #b>
    }
    %z = arith.mulf %v#0, %v#1 : tensor<64x32xf16, #b>
    %x1 = ttg.convert_layout %z : tensor<64x32xf16, #b> -> tensor<64x32xf16, #a0>
    %d = tt.dot %x1, %y, %acc : tensor<64x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<64x64xf32, #m>
    scf.yield %d : tensor<64x64xf32, #m>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<64x64xf32, #m>
}
}
