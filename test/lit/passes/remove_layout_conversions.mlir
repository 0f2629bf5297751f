// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a coalesced load propagates through loops to operations on its result, and pointers
// are computed in it from the start; a conversion between two required layouts stays. An operand of
// a store is reduced in the layout that it has then.
// RUN: kiln compile %s --from=ttg --emit=ttg --passes=remove_layout_conversions --no-line-info -o - | FileCheck %s

// CHECK-DAG: #[[WIDE:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[MMA:.*]] = #ttg.amd_mfma
// CHECK-NOT: sizePerThread = [1, 1]
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#row = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @forward
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.make_range {{.*}} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #[[WIDE]]}>>
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[WIDE]]>)
  // CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[WIDE]]>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[WIDE]]>
  tt.func public @forward(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #blocked>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #blocked>
    %b = tt.broadcast %e : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %ps = tt.addptr %s, %b : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %acc = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<64x64xf32, #blocked>)  : i32 {
      %pw = ttg.convert_layout %ps : tensor<64x64x!tt.ptr<f32>, #blocked> -> tensor<64x64x!tt.ptr<f32>, #wide>
      %xw = tt.load %pw : tensor<64x64x!tt.ptr<f32>, #wide>
      %x = ttg.convert_layout %xw : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #blocked>
      %y = arith.addf %a, %x : tensor<64x64xf32, #blocked>
      scf.yield %y : tensor<64x64xf32, #blocked>
    }
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %qp = tt.addptr %qs, %b : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %qw = ttg.convert_layout %qp : tensor<64x64x!tt.ptr<f32>, #blocked> -> tensor<64x64x!tt.ptr<f32>, #wide>
    %aw = ttg.convert_layout %acc : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #wide>
    tt.store %qw, %aw : tensor<64x64x!tt.ptr<f32>, #wide>
    tt.return
  }
  // CHECK-LABEL: @kept
  // CHECK: %[[X:.*]] = tt.load {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[WIDE]]>
  // CHECK: %[[M:.*]] = ttg.convert_layout %[[X]] : tensor<64x64xf32, #[[WIDE]]> -> tensor<64x64xf32, #[[MMA]]>
  // CHECK: tt.store %{{.*}}, %[[M]] : tensor<64x64x!tt.ptr<f32>, #[[MMA]]>
  tt.func public @kept(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) {
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #wide>
    %x = tt.load %s : tensor<64x64x!tt.ptr<f32>, #wide>
    %m = ttg.convert_layout %x : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #mma>
    %t = tt.splat %q : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #mma>
    tt.store %t, %m : tensor<64x64x!tt.ptr<f32>, #mma>
    tt.return
  }

  // CHECK-LABEL: @reduced
  // CHECK-NOT: ttg.convert_layout
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 1 : i32}>
  // CHECK: (tensor<64x64xf32, #[[WIDE]]>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #[[WIDE]]}>>
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store {{.*}} : tensor<64x64x!tt.ptr<f32>, #[[WIDE]]>
  tt.func public @reduced(%q: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #blocked>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #blocked>
    %b = tt.broadcast %e : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %f = arith.sitofp %b : tensor<64x64xi32, #blocked> to tensor<64x64xf32, #blocked>
    %most = arith.maximumf %f, %zero : tensor<64x64xf32, #blocked>
    %sum = "tt.reduce"(%most) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<64x64xf32, #blocked>) -> tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %sums = tt.expand_dims %sum {axis = 1 : i32} : tensor<64xf32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xf32, #blocked>
    %sums2 = tt.broadcast %sums : tensor<64x1xf32, #blocked> -> tensor<64x64xf32, #blocked>
    %d = arith.subf %f, %sums2 : tensor<64x64xf32, #blocked>
    %qs = tt.splat %q : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %qp = tt.addptr %qs, %b : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %qw = ttg.convert_layout %qp : tensor<64x64x!tt.ptr<f32>, #blocked> -> tensor<64x64x!tt.ptr<f32>, #wide>
    %dw = ttg.convert_layout %d : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #wide>
    tt.store %qw, %dw : tensor<64x64x!tt.ptr<f32>, #wide>
    tt.return
  }
}
