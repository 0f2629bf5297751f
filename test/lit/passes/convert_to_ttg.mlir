// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every tensor gets a blocked layout of one element per thread; operations that need another one get conversions around
// them. The module has the number of warps.
// RUN: kiln compile %s --from=tt --emit=ttg --passes=convert_to_ttg --no-line-info -o - | FileCheck %s
// RUN: kiln compile %s --from=tt --emit=ttg --passes=convert_to_ttg --num-warps=8 --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=WARPS

// CHECK-DAG: #[[B2:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [2, 2], order = [1, 0]}>
// CHECK-DAG: #[[B1:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
// A transposed layout for tt.trans, squares of 4 by 4 for a dot by FMA.
// CHECK-DAG: #[[BT:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [64, 1], warpsPerCTA = [2, 2], order = [0, 1]}>
// CHECK-DAG: #[[DOT:.*]] = #ttg.blocked<{sizePerThread = [4, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32}
// WARPS: "ttg.num-warps" = 8 : i32
// CHECK: arith.constant dense<0.000000e+00> : tensor<64x128xf32, #[[B2]]>
// CHECK: %[[RANGE:.*]] = tt.make_range {{.*}} : tensor<128xi32, #[[B1]]>
// CHECK: %[[SLICE:.*]] = ttg.convert_layout %[[RANGE]] : tensor<128xi32, #[[B1]]> -> tensor<128xi32, #ttg.slice<{dim = 0, parent = #[[B2]]}>>
// CHECK: tt.expand_dims %[[SLICE]] {axis = 0 : i32} : {{.*}} -> tensor<1x128xi32, #[[B2]]>
// CHECK: scf.for {{.*}} -> (tensor<64x128xf32, #[[B2]]>)
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f32>, #[[B2]]>
// CHECK: }) : (tensor<64x128xf32, #[[B2]]>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[B2]]}>>
// CHECK: tt.trans {{.*}} -> tensor<128x64xf32, #[[BT]]>
// CHECK: tt.dot {{.*}} : tensor<64x128xf32, #ttg.dot_op<{opIdx = 0, parent = #[[DOT]]}>> * tensor<128x64xf32, #ttg.dot_op<{opIdx = 1, parent = #[[DOT]]}>> -> tensor<64x64xf32, #[[DOT]]>
module {
  tt.func public @k(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<64x128xf32>
    %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %b = tt.broadcast %e : tensor<1x128xi32> -> tensor<64x128xi32>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>>
    %ps = tt.addptr %s, %b : tensor<64x128x!tt.ptr<f32>>, tensor<64x128xi32>
    %acc = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<64x128xf32>)  : i32 {
      %x = tt.load %ps : tensor<64x128x!tt.ptr<f32>>
      %y = arith.addf %a, %x : tensor<64x128xf32>
      scf.yield %y : tensor<64x128xf32>
    }
    %sum = "tt.reduce"(%acc) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %w = arith.addf %u, %v : f32
      tt.reduce.return %w : f32
    }) : (tensor<64x128xf32>) -> tensor<64xf32>
    %t = tt.trans %acc {order = array<i32: 1, 0>} : tensor<64x128xf32> -> tensor<128x64xf32>
    %dz = arith.constant dense<0.0> : tensor<64x64xf32>
    %d = tt.dot %acc, %t, %dz : tensor<64x128xf32> * tensor<128x64xf32> -> tensor<64x64xf32>
    %rr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %qp = tt.addptr %qs, %rr : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %qp, %sum : tensor<64x!tt.ptr<f32>>
    %pd = tt.splat %q : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
    tt.store %pd, %d : tensor<64x64x!tt.ptr<f32>>
    tt.return
  }
}
