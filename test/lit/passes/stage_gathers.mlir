// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source of gathers in a loop is written to LDS once, before the loop, and read in the layout
// that users need.
// RUN: split-file %s %t
// RUN: kiln compile %t/stage.mlir --from=ttg --emit=ttg --passes=stage_gathers,canonicalize --no-line-info -o - \
// RUN:   | FileCheck %s
// RUN: %kiln run --device=sim --check --cache-mode=off %t/sum.ttir n=32 'x=f32[32,32]:iota' 'y=f32[32,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[31:32,30:32]' | FileCheck %s --check-prefix=SUM
// RUN: %kiln run --device=interp %t/sum.ttir n=32 'x=f32[32,32]:iota' 'y=f32[32,32]' --print 'y[0:1,0:2]' \
// RUN:   --print 'y[31:32,30:32]' | FileCheck %s --check-prefix=SUM

// y[i, k] = Σ_j x[j, k] + x[i, j]
// SUM: {{^}}  16368 16400{{$}}
// SUM: {{^}}  49072 49104{{$}}

//--- stage.mlir
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#g = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[B:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[G:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[ROWS:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>
// CHECK-DAG: #[[BOTH:.*]] = #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 16, order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// CHECK-LABEL: @rows
// CHECK: %[[M:.*]] = ttg.local_alloc %arg0 : (tensor<64x32xf32, #[[B]]>) -> !ttg.memdesc<64x32xf32, #[[ROWS]], #smem>
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: scf.for
// CHECK: %[[I:.*]] = tt.splat %{{.*}} : i32 -> tensor<1x32xi32, #[[B]]>
// CHECK: ttg.local_gather %[[M]][%[[I]]] {axis = 0 : i32} : !ttg.memdesc<64x32xf32, #[[ROWS]], #smem>, tensor<1x32xi32, #[[B]]> -> tensor<1x32xf32, #[[B]]>
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @rows(%x: tensor<64x32xf32, #b>, %n: i32) -> tensor<1x32xf32, #b> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1x32xf32, #b>
  %xg = ttg.convert_layout %x : tensor<64x32xf32, #b> -> tensor<64x32xf32, #g>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<1x32xf32, #b>) : i32 {
    %i = tt.splat %j : i32 -> tensor<1x32xi32, #g>
    %row = tt.gather %xg[%i] {axis = 0 : i32} : (tensor<64x32xf32, #g>, tensor<1x32xi32, #g>) -> tensor<1x32xf32, #g>
    %is = ttg.convert_layout %row : tensor<1x32xf32, #g> -> tensor<1x32xf32, #b>
    %next = arith.addf %sum, %is : tensor<1x32xf32, #b>
    scf.yield %next : tensor<1x32xf32, #b>
  }
  tt.return %r : tensor<1x32xf32, #b>
}
// An index that is computed keeps its layout.
// CHECK-LABEL: @columns
// CHECK: %[[M:.*]] = ttg.local_alloc %arg0 : (tensor<64x32xf32, #[[B]]>) -> !ttg.memdesc<64x32xf32, #[[COLUMNS]], #smem>
// CHECK: scf.for
// CHECK: ttg.local_gather %[[M]][%arg1] {axis = 1 : i32} {{.*}} -> tensor<64x1xf32, #[[G]]>
// CHECK-NEXT: ttg.convert_layout
tt.func public @columns(%x: tensor<64x32xf32, #b>, %i: tensor<64x1xi32, #g>, %n: i32) -> tensor<64x1xf32, #b> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x1xf32, #b>
  %xg = ttg.convert_layout %x : tensor<64x32xf32, #b> -> tensor<64x32xf32, #g>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x1xf32, #b>) : i32 {
    %column = tt.gather %xg[%i] {axis = 1 : i32} : (tensor<64x32xf32, #g>, tensor<64x1xi32, #g>) -> tensor<64x1xf32, #g>
    %is = ttg.convert_layout %column : tensor<64x1xf32, #g> -> tensor<64x1xf32, #b>
    %next = arith.addf %sum, %is : tensor<64x1xf32, #b>
    scf.yield %next : tensor<64x1xf32, #b>
  }
  tt.return %r : tensor<64x1xf32, #b>
}
// One buffer for both directions, before the outer loop.
// CHECK-LABEL: @both
// CHECK: %[[M:.*]] = ttg.local_alloc %arg0 : (tensor<32x32xf16, #[[B]]>) -> !ttg.memdesc<32x32xf16, #[[BOTH]], #smem>
// CHECK-NEXT: ttg.barrier local
// CHECK-NEXT: scf.for
// CHECK: ttg.local_gather %[[M]]
// CHECK: scf.for
// CHECK: ttg.local_gather %[[M]]
tt.func public @both(%x: tensor<32x32xf16, #b>, %p: tensor<1x32x!tt.ptr<f16>, #b>, %q: tensor<32x1x!tt.ptr<f16>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %j = %c0 to %n step %c1 : i32 {
    %i = tt.splat %j : i32 -> tensor<1x32xi32, #b>
    %row = tt.gather %x[%i] {axis = 0 : i32} : (tensor<32x32xf16, #b>, tensor<1x32xi32, #b>) -> tensor<1x32xf16, #b>
    tt.store %p, %row : tensor<1x32x!tt.ptr<f16>, #b>
    scf.for %k = %c0 to %n step %c1 : i32 {
      %h = tt.splat %k : i32 -> tensor<32x1xi32, #b>
      %column = tt.gather %x[%h] {axis = 1 : i32} : (tensor<32x32xf16, #b>, tensor<32x1xi32, #b>) -> tensor<32x1xf16, #b>
      tt.store %q, %column : tensor<32x1x!tt.ptr<f16>, #b>
    }
  }
  tt.return
}
// Sources that the loop changes, that have no loop, or that don't fit LDS with the other scratch.
// CHECK-LABEL: @stays
// CHECK-NOT: ttg.local_alloc
// CHECK: tt.return
tt.func public @stays(%x: tensor<32x32xf32, #b>, %large: tensor<128x128xf32, #b>, %p: tensor<1x32x!tt.ptr<f32>, #b>, %q: tensor<1x128x!tt.ptr<f32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = arith.constant dense<0> : tensor<1x32xi32, #b>
  %once = tt.gather %x[%first] {axis = 0 : i32} : (tensor<32x32xf32, #b>, tensor<1x32xi32, #b>) -> tensor<1x32xf32, #b>
  tt.store %p, %once : tensor<1x32x!tt.ptr<f32>, #b>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%y = %x) -> (tensor<32x32xf32, #b>) : i32 {
    %i = tt.splat %j : i32 -> tensor<1x32xi32, #b>
    %k = tt.splat %j : i32 -> tensor<1x128xi32, #b>
    %row = tt.gather %y[%i] {axis = 0 : i32} : (tensor<32x32xf32, #b>, tensor<1x32xi32, #b>) -> tensor<1x32xf32, #b>
    tt.store %p, %row : tensor<1x32x!tt.ptr<f32>, #b>
    %more = tt.gather %large[%k] {axis = 0 : i32} : (tensor<128x128xf32, #b>, tensor<1x128xi32, #b>) -> tensor<1x128xf32, #b>
    tt.store %q, %more : tensor<1x128x!tt.ptr<f32>, #b>
    %twice = arith.addf %y, %y : tensor<32x32xf32, #b>
    scf.yield %twice : tensor<32x32xf32, #b>
  }
  tt.return
}
}
//--- sum.ttir
module {
  tt.func public @sum(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<f32> loc("y"), %n: i32 loc("n")) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %length = arith.constant dense<32> : tensor<32x1xi32>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %begins = arith.muli %rows, %length : tensor<32x1xi32>
    %a = tt.broadcast %begins : tensor<32x1xi32> -> tensor<32x32xi32>
    %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
    %at = arith.addi %a, %b : tensor<32x32xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %p = tt.addptr %xs, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    %v = tt.load %p : tensor<32x32x!tt.ptr<f32>>
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<32x32xf32>) : i32 {
      %i = tt.splat %j : i32 -> tensor<1x32xi32>
      %k = tt.splat %j : i32 -> tensor<32x1xi32>
      %row = tt.gather %v[%i] {axis = 0 : i32} : (tensor<32x32xf32>, tensor<1x32xi32>) -> tensor<1x32xf32>
      %column = tt.gather %v[%k] {axis = 1 : i32} : (tensor<32x32xf32>, tensor<32x1xi32>) -> tensor<32x1xf32>
      %rs = tt.broadcast %row : tensor<1x32xf32> -> tensor<32x32xf32>
      %cs = tt.broadcast %column : tensor<32x1xf32> -> tensor<32x32xf32>
      %one = arith.addf %sum, %rs : tensor<32x32xf32>
      %two = arith.addf %one, %cs : tensor<32x32xf32>
      scf.yield %two : tensor<32x32xf32>
    }
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
    %q = tt.addptr %ys, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
    tt.store %q, %s : tensor<32x32x!tt.ptr<f32>>
    tt.return
  }
}
