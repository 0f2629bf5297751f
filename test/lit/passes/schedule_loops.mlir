// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of schedule_loops alone: the same loop, with a stage and a cluster for each operation. It also compiles unchanged.
//
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=schedule_loops --num-stages=3 --no-line-info -o - | FileCheck %s


#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [16, 16, 16], isTransposed = true}>
#a0 = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 4}>
#a1 = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// The accumulator comes first among what is carried, then the pointers, which run ahead.
// CHECK-LABEL: @in_lds
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[Q:.*]] = %arg0)
// CHECK-NEXT: %[[X:.*]] = tt.load %[[Q]] {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK-NEXT: %[[NEXT:.*]] = tt.addptr %[[Q]], %{{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK-NEXT: %[[BUFFER:.*]] = ttg.local_alloc %[[X]] {loop.cluster = 2 : i32, loop.stage = 0 : i32}
// CHECK-NEXT: %[[A:.*]] = ttg.local_load %[[BUFFER]] {loop.cluster = 1 : i32, loop.stage = 2 : i32}
// CHECK-NEXT: %[[D:.*]] = tt.dot %[[A]], %{{.*}}, %[[ACC]] {loop.cluster = 1 : i32, loop.stage = 2 : i32}
// CHECK-NEXT: scf.yield %[[D]], %[[NEXT]]
// CHECK-NEXT: } {tt.scheduled_max_stage = 2 : i32}
// CHECK-NEXT: tt.return %[[R]]#0
tt.func public @in_lds(%p: tensor<64x32x!tt.ptr<f16>, #b>, %y: tensor<32x64xf16, #a1>, %n: i32) -> tensor<64x64xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<64x32xi32, #b>
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %acc = %zero) -> (tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>) : i32 {
    %x = tt.load %q : tensor<64x32x!tt.ptr<f16>, #b>
    %x1 = ttg.convert_layout %x : tensor<64x32xf16, #b> -> tensor<64x32xf16, #a0>
    %d = tt.dot %x1, %y, %acc : tensor<64x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<64x64xf32, #m>
    %q1 = tt.addptr %q, %step : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x32xi32, #b>
    scf.yield %q1, %d : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>
  } {tt.num_stages = 3 : i32}
  tt.return %r#1 : tensor<64x64xf32, #m>
}

// Arithmetic between load and dot: no buffer, and a stage ahead of the dot, since waves alone are faster by that.
// CHECK-LABEL: @in_registers
// CHECK-NOT: ttg.local_alloc
// CHECK: arith.mulf {{.*}} {loop.cluster = 3 : i32, loop.stage = 2 : i32}
// CHECK: ttg.convert_layout {{.*}} {loop.cluster = 1 : i32, loop.stage = 3 : i32}
// CHECK: } {tt.scheduled_max_stage = 3 : i32}
tt.func public @in_registers(%p: tensor<64x32x!tt.ptr<f16>, #b>, %y: tensor<32x64xf16, #a1>, %n: i32) -> tensor<64x64xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #m>) : i32 {
    %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #b>
    %z = arith.mulf %x, %x : tensor<64x32xf16, #b>
    %x1 = ttg.convert_layout %z : tensor<64x32xf16, #b> -> tensor<64x32xf16, #a0>
    %d = tt.dot %x1, %y, %acc : tensor<64x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<64x64xf32, #m>
    scf.yield %d : tensor<64x64xf32, #m>
  } {tt.num_stages = 3 : i32}
  tt.return %r : tensor<64x64xf32, #m>
}
}
