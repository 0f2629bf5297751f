// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's canonicalizer, CSE and loop-invariant code motion work on tt and ttg: constants fold
// through shapes and layouts, conversions cancel, equal loads merge unless something writes in
// between or they are volatile.
// RUN: kiln compile %s --from=ttg --emit=ttg --passes=canonicalize,cse,licm --no-line-info -o - | FileCheck %s

// CHECK-DAG: #[[WIDE:.*]] = #ttg.blocked<{sizePerThread = [1, 4]
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>
#wide = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #blocked}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // CHECK-LABEL: @constants
  // CHECK-NEXT: %[[C:.*]] = arith.constant dense<7> : tensor<64x64xi32, #[[WIDE]]>
  // CHECK-NEXT: tt.return %[[C]]
  tt.func private @constants() -> tensor<64x64xi32, #wide> {
    %c7 = arith.constant 7 : i32
    %s = tt.splat %c7 : i32 -> tensor<64xi32, #row>
    %e = tt.expand_dims %s {axis = 0 : i32} : tensor<64xi32, #row> -> tensor<1x64xi32, #blocked>
    %b = tt.broadcast %e : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %w = ttg.convert_layout %b : tensor<64x64xi32, #blocked> -> tensor<64x64xi32, #wide>
    tt.return %w : tensor<64x64xi32, #wide>
  }
  // CHECK-LABEL: @conversions
  // CHECK-NEXT: tt.return %arg0
  tt.func private @conversions(%x: tensor<64x64xf32, #wide>) -> tensor<64x64xf32, #wide> {
    %a = ttg.convert_layout %x : tensor<64x64xf32, #wide> -> tensor<64x64xf32, #blocked>
    %b = ttg.convert_layout %a : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #wide>
    tt.return %b : tensor<64x64xf32, #wide>
  }
  // CHECK-LABEL: @loads
  // CHECK: %[[A:.*]] = tt.load
  // CHECK-NEXT: arith.addf %[[A]], %[[A]]
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: tt.load
  // CHECK-NEXT: tt.load {{.*}}isVolatile
  // CHECK-NEXT: tt.load {{.*}}isVolatile
  tt.func private @loads(%p: !tt.ptr<f32>) -> (f32, f32, f32) {
    %a = tt.load %p : !tt.ptr<f32>
    %b = tt.load %p : !tt.ptr<f32>
    %c = arith.addf %a, %b : f32
    tt.store %p, %c : !tt.ptr<f32>
    %d = tt.load %p : !tt.ptr<f32>
    %e = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    %f = tt.load %p {isVolatile = true} : !tt.ptr<f32>
    tt.return %d, %e, %f : f32, f32, f32
  }
  // A loop's constant work leaves it, a load stays: something may have written meanwhile.
  // CHECK-LABEL: @loop
  // CHECK: arith.addf %arg1, %arg1
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  tt.func private @loop(%p: !tt.ptr<f32>, %x: f32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %y = arith.addf %x, %x : f32
      %l = tt.load %p : !tt.ptr<f32>
      %z = arith.addf %l, %y : f32
      tt.store %p, %z : !tt.ptr<f32>
    }
    tt.return
  }
}
