// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix instruction's result is stored from its registers if pointers and mask can be recomputed
// there; if they come from memory, the value is converted as before. A layout that isn't transposed
// gives no wide stores. Many stores of short runs (a wave's 128 of 16 bytes) are converted, too.
// RUN: kiln compile %s --from=ttg --emit=ttg --passes=optimize_epilogue,canonicalize --no-line-info -o - | FileCheck %s

// CHECK-DAG: #[[BLOCKED:.*]] = #ttg.blocked
// CHECK-DAG: #[[MMA:.*]] = #ttg.amd_mfma<{{.*}}isTransposed = true}>
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
#wide = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#rows = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = false}>
#line = #ttg.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [0], [0], [0]], warp = [[0], [0]], block = []}>
#row = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @again
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store %{{.*}}, %arg1, %{{.*}} : tensor<64x64x!tt.ptr<f32>, #[[MMA]]>
  tt.func private @again(%p: !tt.ptr<f32>, %x: tensor<64x64xf32, #mma>, %n: i32) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #blocked>
    %b = tt.broadcast %e : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %ps = tt.addptr %s, %b : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %ns = tt.splat %n : i32 -> tensor<64x64xi32, #blocked>
    %m = arith.cmpi slt, %b, %ns : tensor<64x64xi32, #blocked>
    %y = ttg.convert_layout %x : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    tt.store %ps, %y, %m : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
  // Columns that a reshape of a range gives.
  // CHECK-LABEL: @behind_reshape
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store %{{.*}}, %arg1 : tensor<64x64x!tt.ptr<f32>, #[[MMA]]>
  tt.func private @behind_reshape(%p: !tt.ptr<f32>, %x: tensor<64x64xf32, #mma>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #line>
    %e = tt.reshape %r : tensor<64xi32, #line> -> tensor<1x64xi32, #blocked>
    %b = tt.broadcast %e : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %ps = tt.addptr %s, %b : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %y = ttg.convert_layout %x : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    tt.store %ps, %y : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
  // CHECK-LABEL: @short_runs
  // CHECK: %[[Z:.*]] = ttg.convert_layout %arg1
  // CHECK: tt.store %{{.*}}, %[[Z]] : tensor<64x64x!tt.ptr<f16>, #[[BLOCKED]]>
  tt.func private @short_runs(%p: !tt.ptr<f16>, %x: tensor<64x64xf16, #wide>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #row>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #blocked>
    %b = tt.broadcast %e : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %ps = tt.addptr %s, %b : tensor<64x64x!tt.ptr<f16>, #blocked>, tensor<64x64xi32, #blocked>
    %y = ttg.convert_layout %x : tensor<64x64xf16, #wide> -> tensor<64x64xf16, #blocked>
    tt.store %ps, %y : tensor<64x64x!tt.ptr<f16>, #blocked>
    tt.return
  }
  // Few runs do not repay the conversion.
  // CHECK-LABEL: @few_runs
  // CHECK-NOT: ttg.convert_layout
  // CHECK: tt.store %{{.*}}, %arg1
  tt.func private @few_runs(%p: !tt.ptr<f16>, %x: tensor<64x32xf16, #mma>) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #row>
    %e = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32, #row> -> tensor<1x32xi32, #blocked>
    %b = tt.broadcast %e : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %s = tt.splat %p : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #blocked>
    %ps = tt.addptr %s, %b : tensor<64x32x!tt.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    %y = ttg.convert_layout %x : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #blocked>
    tt.store %ps, %y : tensor<64x32x!tt.ptr<f16>, #blocked>
    tt.return
  }
  // CHECK-LABEL: @pointers_given
  // CHECK: %[[Y:.*]] = ttg.convert_layout %arg1
  // CHECK: tt.store %arg0, %[[Y]] : tensor<64x64x!tt.ptr<f32>, #[[BLOCKED]]>
  tt.func private @pointers_given(%ps: tensor<64x64x!tt.ptr<f32>, #blocked>, %x: tensor<64x64xf32, #mma>) {
    %y = ttg.convert_layout %x : tensor<64x64xf32, #mma> -> tensor<64x64xf32, #blocked>
    tt.store %ps, %y : tensor<64x64x!tt.ptr<f32>, #blocked>
    tt.return
  }
  // CHECK-LABEL: @not_transposed
  // CHECK: ttg.convert_layout %arg1
  // CHECK: tt.store {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[BLOCKED]]>
  tt.func private @not_transposed(%p: !tt.ptr<f16>, %x: tensor<64x64xf16, #rows>) {
    %s = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #blocked>
    %y = ttg.convert_layout %x : tensor<64x64xf16, #rows> -> tensor<64x64xf16, #blocked>
    tt.store %s, %y : tensor<64x64x!tt.ptr<f16>, #blocked>
    tt.return
  }
}
