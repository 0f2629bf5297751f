// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load that runs ahead, and whose layout has copies of its elements in the lanes, takes a layout without copies; its
// value waits in LDS instead of in 16 registers, and is read in the first layout.
//
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=schedule_loops --num-stages=2 --no-line-info -o - | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>
#a0 = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 4}>
#a1 = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 4}>
#columns = #ttg.slice<{dim = 0, parent = #m}>
#rows = #ttg.slice<{dim = 1, parent = #m}>

// CHECK: #[[COMPACT:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
// CHECK: #[[SHARED:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @columns
// CHECK: scf.for
// CHECK: %[[S:.*]] = tt.load %{{.*}} {loop.cluster = {{[0-9]+}} : i32, loop.stage = 0 : i32} : tensor<32x!tt.ptr<f32>, #[[COMPACT]]>
// CHECK: %[[B:.*]] = ttg.local_alloc %[[S]] {loop.cluster = {{[0-9]+}} : i32, loop.stage = 1 : i32} : (tensor<32xf32, #[[COMPACT]]>) -> !ttg.memdesc<32xf32, #[[SHARED]], #smem, mutable>
// CHECK: ttg.local_load %[[B]] {loop.cluster = {{[0-9]+}} : i32, loop.stage = 2 : i32} {{.*}} -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #mma}>>
tt.func public @columns(%p: tensor<128x32x!tt.ptr<f16>, #b>, %s: !tt.ptr<f32>, %y: tensor<32x32xf16, #a1>, %n: i32) -> tensor<128x32xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<128x32xi32, #b>
  %zero = arith.constant dense<0.000000e+00> : tensor<128x32xf32, #m>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %acc = %zero) -> (tensor<128x32x!tt.ptr<f16>, #b>, tensor<128x32xf32, #m>) : i32 {
    %x = tt.load %q : tensor<128x32x!tt.ptr<f16>, #b>
    %x1 = ttg.convert_layout %x : tensor<128x32xf16, #b> -> tensor<128x32xf16, #a0>
    %k = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #columns>
    %i1 = tt.splat %i : i32 -> tensor<32xi32, #columns>
    %o = arith.addi %k, %i1 : tensor<32xi32, #columns>
    %s1 = tt.splat %s : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #columns>
    %s2 = tt.addptr %s1, %o : tensor<32x!tt.ptr<f32>, #columns>, tensor<32xi32, #columns>
    %scale = tt.load %s2 : tensor<32x!tt.ptr<f32>, #columns>
    %scale1 = tt.expand_dims %scale {axis = 0 : i32} : tensor<32xf32, #columns> -> tensor<1x32xf32, #m>
    %scale2 = tt.broadcast %scale1 : tensor<1x32xf32, #m> -> tensor<128x32xf32, #m>
    %d = tt.dot %x1, %y, %zero : tensor<128x32xf16, #a0> * tensor<32x32xf16, #a1> -> tensor<128x32xf32, #m>
    %scaled = arith.mulf %d, %scale2 : tensor<128x32xf32, #m>
    %narrow = arith.truncf %scaled : tensor<128x32xf32, #m> to tensor<128x32xf16, #m>
    %operand = ttg.convert_layout %narrow : tensor<128x32xf16, #m> -> tensor<128x32xf16, #a0>
    %sum = tt.dot %operand, %y, %acc : tensor<128x32xf16, #a0> * tensor<32x32xf16, #a1> -> tensor<128x32xf32, #m>
    %q1 = tt.addptr %q, %step : tensor<128x32x!tt.ptr<f16>, #b>, tensor<128x32xi32, #b>
    scf.yield %q1, %sum : tensor<128x32x!tt.ptr<f16>, #b>, tensor<128x32xf32, #m>
  }
  tt.return %r#1 : tensor<128x32xf32, #m>
}

// One element in each lane: nothing is gained. It runs a step ahead of its first use, in the last stage.
// CHECK-LABEL: @rows
// CHECK: tt.load {{.*}} {loop.cluster = {{[0-9]+}} : i32, loop.stage = 2 : i32} : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = #mma}>>
// CHECK-NOT: memdesc<128xf32
tt.func public @rows(%p: tensor<128x32x!tt.ptr<f16>, #b>, %s: !tt.ptr<f32>, %y: tensor<32x32xf16, #a1>, %n: i32) -> tensor<128x32xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<128x32xi32, #b>
  %zero = arith.constant dense<0.000000e+00> : tensor<128x32xf32, #m>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %acc = %zero) -> (tensor<128x32x!tt.ptr<f16>, #b>, tensor<128x32xf32, #m>) : i32 {
    %x = tt.load %q : tensor<128x32x!tt.ptr<f16>, #b>
    %x1 = ttg.convert_layout %x : tensor<128x32xf16, #b> -> tensor<128x32xf16, #a0>
    %k = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #rows>
    %i1 = tt.splat %i : i32 -> tensor<128xi32, #rows>
    %o = arith.addi %k, %i1 : tensor<128xi32, #rows>
    %s1 = tt.splat %s : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #rows>
    %s2 = tt.addptr %s1, %o : tensor<128x!tt.ptr<f32>, #rows>, tensor<128xi32, #rows>
    %scale = tt.load %s2 : tensor<128x!tt.ptr<f32>, #rows>
    %scale1 = tt.expand_dims %scale {axis = 1 : i32} : tensor<128xf32, #rows> -> tensor<128x1xf32, #m>
    %scale2 = tt.broadcast %scale1 : tensor<128x1xf32, #m> -> tensor<128x32xf32, #m>
    %d = tt.dot %x1, %y, %zero : tensor<128x32xf16, #a0> * tensor<32x32xf16, #a1> -> tensor<128x32xf32, #m>
    %scaled = arith.mulf %d, %scale2 : tensor<128x32xf32, #m>
    %narrow = arith.truncf %scaled : tensor<128x32xf32, #m> to tensor<128x32xf16, #m>
    %operand = ttg.convert_layout %narrow : tensor<128x32xf16, #m> -> tensor<128x32xf16, #a0>
    %sum = tt.dot %operand, %y, %acc : tensor<128x32xf16, #a0> * tensor<32x32xf16, #a1> -> tensor<128x32xf32, #m>
    %q1 = tt.addptr %q, %step : tensor<128x32x!tt.ptr<f16>, #b>, tensor<128x32xi32, #b>
    scf.yield %q1, %sum : tensor<128x32x!tt.ptr<f16>, #b>, tensor<128x32xf32, #m>
  }
  tt.return %r#1 : tensor<128x32xf32, #m>
}
}
