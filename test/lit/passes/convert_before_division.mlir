// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a reduction along the lanes each of them holds all 16 sums: later operations are computed
// in the layout of the store, one per lane. If the quotient is also needed in the first layout, it
// is not computed twice.
// RUN: kiln compile %s --from=ttg --emit=ttg --passes=remove_layout_conversions --num-warps=2 --no-line-info -o - \
// RUN:   | FileCheck %s

// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [2, 1], order = [1, 0]}>
// CHECK-DAG: #[[THIN:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [2, 1], order = [1, 0]}>
#thin = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#sums = #ttg.slice<{dim = 1, parent = #rows}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @stored_only
  // CHECK: %[[SUM:.*]] = "tt.reduce"
  // CHECK: %[[THIN_SUM:.*]] = ttg.convert_layout %[[SUM]] : tensor<32xf32, #ttg.slice<{dim = 1, parent = #[[ROWS]]}>> -> tensor<32xf32, #[[THIN]]>
  // CHECK-NOT: arith.divf {{.*}} #ttg.slice
  // CHECK: %[[MEAN:.*]] = arith.divf %[[THIN_SUM]], %{{.*}} : tensor<32xf32, #[[THIN]]>
  // CHECK: %[[ROOT:.*]] = tt.precise_sqrt %[[MEAN]] : tensor<32xf32, #[[THIN]]>
  // CHECK: tt.store %{{.*}}, %[[ROOT]]
  tt.func public @stored_only(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %n = arith.constant dense<4.200000e+01> : tensor<32xf32, #sums>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #rows>
    %x = tt.load %s : tensor<32x64x!tt.ptr<f32>, #rows>
    %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %ab = arith.addf %a, %b : f32
      tt.reduce.return %ab : f32
    }) : (tensor<32x64xf32, #rows>) -> tensor<32xf32, #sums>
    %mean = arith.divf %sum, %n : tensor<32xf32, #sums>
    %root = tt.precise_sqrt %mean : tensor<32xf32, #sums>
    %out = ttg.convert_layout %root : tensor<32xf32, #sums> -> tensor<32xf32, #thin>
    %t = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #thin>
    tt.store %t, %out : tensor<32x!tt.ptr<f32>, #thin>
    tt.return
  }

  // CHECK-LABEL: @used_in_both
  // CHECK-COUNT-1: tt.precise_sqrt {{.*}} : tensor<32xf32, #ttg.slice
  // CHECK-NOT: tt.precise_sqrt
  tt.func public @used_in_both(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>, #rows>
    %x = tt.load %s : tensor<32x64x!tt.ptr<f32>, #rows>
    %sum = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %ab = arith.addf %a, %b : f32
      tt.reduce.return %ab : f32
    }) : (tensor<32x64xf32, #rows>) -> tensor<32xf32, #sums>
    %root = tt.precise_sqrt %sum : tensor<32xf32, #sums>
    %column = tt.expand_dims %root {axis = 1 : i32} : tensor<32xf32, #sums> -> tensor<32x1xf32, #rows>
    %wide = tt.broadcast %column : tensor<32x1xf32, #rows> -> tensor<32x64xf32, #rows>
    %y = arith.mulf %x, %wide : tensor<32x64xf32, #rows>
    tt.store %s, %y : tensor<32x64x!tt.ptr<f32>, #rows>
    %out = ttg.convert_layout %root : tensor<32xf32, #sums> -> tensor<32xf32, #thin>
    %t = tt.splat %q : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>, #thin>
    tt.store %t, %out : tensor<32x!tt.ptr<f32>, #thin>
    tt.return
  }
}
