// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load of few elements is done in the required layout, or repeated in it: no conversion remains.
// Not so a volatile one, nor one with more elements than there are threads, nor if a thread would
// load many.
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=remove_layout_conversions --no-line-info -o - | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#t = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#l = #ttg.blocked<{sizePerThread = [1, 128], threadsPerWarp = [64, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
#col = #ttg.slice<{dim = 0, parent = #t}>
#long = #ttg.slice<{dim = 0, parent = #l}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @scales
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.load {{.*}}#ttg.slice<{dim = 0, parent = #blocked
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @scales(%s: !tt.ptr<f32>, %x: tensor<64x64x!tt.ptr<f32>, #t>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>
  %ss = tt.splat %s : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
  %p = tt.addptr %ss, %i : tensor<64x!tt.ptr<f32>, #b>, tensor<64xi32, #b>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>, #b>
  %c = ttg.convert_layout %v : tensor<64xf32, #b> -> tensor<64xf32, #col>
  %e = tt.expand_dims %c {axis = 0 : i32} : tensor<64xf32, #col> -> tensor<1x64xf32, #t>
  %w = tt.broadcast %e : tensor<1x64xf32, #t> -> tensor<64x64xf32, #t>
  tt.store %x, %w : tensor<64x64x!tt.ptr<f32>, #t>
  tt.return
}

// The pointers that a loop carries take the layout, too.
// CHECK-LABEL: @carried
// CHECK-NOT: ttg.convert_layout
// CHECK: scf.for {{.*}}#ttg.slice<{dim = 0, parent = #blocked
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @carried(%s: !tt.ptr<f32>, %x: tensor<64x64x!tt.ptr<f32>, #t>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32, #b>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>
  %ss = tt.splat %s : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
  %p = tt.addptr %ss, %i : tensor<64x!tt.ptr<f32>, #b>, tensor<64xi32, #b>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%q = %p) -> (tensor<64x!tt.ptr<f32>, #b>) : i32 {
    %v = tt.load %q : tensor<64x!tt.ptr<f32>, #b>
    %c = ttg.convert_layout %v : tensor<64xf32, #b> -> tensor<64xf32, #col>
    %e = tt.expand_dims %c {axis = 0 : i32} : tensor<64xf32, #col> -> tensor<1x64xf32, #t>
    %w = tt.broadcast %e : tensor<1x64xf32, #t> -> tensor<64x64xf32, #t>
    tt.store %x, %w : tensor<64x64x!tt.ptr<f32>, #t>
    %next = tt.addptr %q, %step : tensor<64x!tt.ptr<f32>, #b>, tensor<64xi32, #b>
    scf.yield %next : tensor<64x!tt.ptr<f32>, #b>
  }
  tt.return
}

// CHECK-LABEL: @volatile
// CHECK: tt.load {{.*}}isVolatile{{.*}}tensor<64x!tt.ptr<f32>, #blocked
// CHECK: ttg.convert_layout
// CHECK: tt.return
tt.func public @volatile(%s: !tt.ptr<f32>, %x: tensor<64x64x!tt.ptr<f32>, #t>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #b>
  %ss = tt.splat %s : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #b>
  %p = tt.addptr %ss, %i : tensor<64x!tt.ptr<f32>, #b>, tensor<64xi32, #b>
  %v = tt.load %p {isVolatile = true} : tensor<64x!tt.ptr<f32>, #b>
  %c = ttg.convert_layout %v : tensor<64xf32, #b> -> tensor<64xf32, #col>
  %e = tt.expand_dims %c {axis = 0 : i32} : tensor<64xf32, #col> -> tensor<1x64xf32, #t>
  %w = tt.broadcast %e : tensor<1x64xf32, #t> -> tensor<64x64xf32, #t>
  tt.store %x, %w : tensor<64x64x!tt.ptr<f32>, #t>
  tt.return
}

// Each thread would load all 128.
// CHECK-LABEL: @all
// CHECK: ttg.convert_layout
// CHECK: tt.return
tt.func public @all(%s: !tt.ptr<f32>, %x: tensor<256x128x!tt.ptr<f32>, #l>) {
  %i = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #b>
  %ss = tt.splat %s : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
  %p = tt.addptr %ss, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>, #b>
  %c = ttg.convert_layout %v : tensor<128xf32, #b> -> tensor<128xf32, #long>
  %e = tt.expand_dims %c {axis = 0 : i32} : tensor<128xf32, #long> -> tensor<1x128xf32, #l>
  %w = tt.broadcast %e : tensor<1x128xf32, #l> -> tensor<256x128xf32, #l>
  tt.store %x, %w : tensor<256x128x!tt.ptr<f32>, #l>
  tt.return
}
}
