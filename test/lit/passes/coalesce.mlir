// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=coalesce --no-line-info -o - | FileCheck %s

// CHECK-DAG: #[[DEFAULT:.*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[FOUR:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[EIGHT:.*]] = #ttg.blocked<{sizePerThread = [8], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[COLUMNS:.*]] = #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 8], warpsPerCTA = [1, 4], order = [0, 1]}>
// CHECK-DAG: #[[K_ROWS:.*]] = #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>

#d1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#d2 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>
#d3 = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [2, 2], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// A load follows the wider load of the same family (f16: 8 elements are 16 bytes); a store does
// not.
// CHECK-LABEL: @family
// CHECK: tt.load {{.*}} : tensor<4096x!tt.ptr<f16>, #[[EIGHT]]>
// CHECK: ttg.convert_layout {{.*}} : tensor<4096xf16, #[[EIGHT]]> -> tensor<4096xf16, #[[DEFAULT]]>
// CHECK: tt.load {{.*}} : tensor<4096x!tt.ptr<f32>, #[[EIGHT]]>
// CHECK: tt.store {{.*}} : tensor<4096x!tt.ptr<f32>, #[[FOUR]]>
tt.func public @family(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, #d1>
  %sa = tt.splat %a : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>, #d1>
  %pa = tt.addptr %sa, %r : tensor<4096x!tt.ptr<f16>, #d1>, tensor<4096xi32, #d1>
  %x = tt.load %pa : tensor<4096x!tt.ptr<f16>, #d1>
  %x32 = arith.extf %x : tensor<4096xf16, #d1> to tensor<4096xf32, #d1>
  %sb = tt.splat %b : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #d1>
  %pb = tt.addptr %sb, %r : tensor<4096x!tt.ptr<f32>, #d1>, tensor<4096xi32, #d1>
  %y = tt.load %pb : tensor<4096x!tt.ptr<f32>, #d1>
  %z = arith.addf %x32, %y : tensor<4096xf32, #d1>
  %sc = tt.splat %c : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #d1>
  %pc = tt.addptr %sc, %r : tensor<4096x!tt.ptr<f32>, #d1>, tensor<4096xi32, #d1>
  tt.store %pc, %z : tensor<4096x!tt.ptr<f32>, #d1>
  tt.return
}

// The contiguous dimension becomes the fastest, whichever it is.
// CHECK-LABEL: @orders
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[ROWS]]>
// CHECK: tt.store {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[COLUMNS]]>
tt.func public @orders(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %r0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d2}>>
  %r1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #d2}>>
  %i = tt.expand_dims %r0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d2}>> -> tensor<64x1xi32, #d2>
  %j = tt.expand_dims %r1 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #d2}>> -> tensor<1x64xi32, #d2>
  %s = tt.splat %stride : i32 -> tensor<64x1xi32, #d2>
  %t = tt.splat %stride : i32 -> tensor<1x64xi32, #d2>
  %is = arith.muli %i, %s : tensor<64x1xi32, #d2>
  %js = arith.muli %j, %t : tensor<1x64xi32, #d2>
  %ib = tt.broadcast %i : tensor<64x1xi32, #d2> -> tensor<64x64xi32, #d2>
  %jb = tt.broadcast %j : tensor<1x64xi32, #d2> -> tensor<64x64xi32, #d2>
  %isb = tt.broadcast %is : tensor<64x1xi32, #d2> -> tensor<64x64xi32, #d2>
  %jsb = tt.broadcast %js : tensor<1x64xi32, #d2> -> tensor<64x64xi32, #d2>
  %rows = arith.addi %isb, %jb : tensor<64x64xi32, #d2>
  %columns = arith.addi %ib, %jsb : tensor<64x64xi32, #d2>
  %sa = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #d2>
  %p = tt.addptr %sa, %rows : tensor<64x64x!tt.ptr<f16>, #d2>, tensor<64x64xi32, #d2>
  %q = tt.addptr %sa, %columns : tensor<64x64x!tt.ptr<f16>, #d2>, tensor<64x64xi32, #d2>
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #d2>
  tt.store %q, %x : tensor<64x64x!tt.ptr<f16>, #d2>
  tt.return
}

// The right operand of a dot, contiguous along N: each thread also holds 4 neighbouring K (8 bytes
// of them).
// CHECK-LABEL: @operand
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f16>, #[[K_ROWS]]>
tt.func public @operand(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #d3}>>, %c: tensor<64x128xf32, #d3>) -> tensor<64x128xf32, #d3> {
  %n = arith.constant dense<256> : tensor<64x1xi32, #d3>
  %r0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d3}>>
  %r1 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #d3}>>
  %i = tt.expand_dims %r0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d3}>> -> tensor<64x1xi32, #d3>
  %j = tt.expand_dims %r1 {axis = 0 : i32} : tensor<128xi32, #ttg.slice<{dim = 0, parent = #d3}>> -> tensor<1x128xi32, #d3>
  %is = arith.muli %i, %n : tensor<64x1xi32, #d3>
  %isb = tt.broadcast %is : tensor<64x1xi32, #d3> -> tensor<64x128xi32, #d3>
  %jb = tt.broadcast %j : tensor<1x128xi32, #d3> -> tensor<64x128xi32, #d3>
  %o = arith.addi %isb, %jb : tensor<64x128xi32, #d3>
  %sp = tt.splat %p : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>, #d3>
  %q = tt.addptr %sp, %o : tensor<64x128x!tt.ptr<f16>, #d3>, tensor<64x128xi32, #d3>
  %b = tt.load %q : tensor<64x128x!tt.ptr<f16>, #d3>
  %b1 = ttg.convert_layout %b : tensor<64x128xf16, #d3> -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #d3}>>
  %d = tt.dot %a, %b1, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #d3}>> * tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #d3}>> -> tensor<64x128xf32, #d3>
  tt.return %d : tensor<64x128xf32, #d3>
}

// Nothing is known of these pointers: the layout stays, and there is nothing to convert.
// CHECK-LABEL: @unknown
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.return
tt.func public @unknown(%p: tensor<4096x!tt.ptr<f16>, #d1>, %x: tensor<4096xf16, #d1>) {
  tt.store %p, %x : tensor<4096x!tt.ptr<f16>, #d1>
  tt.return
}

// A load whose pointers have no order, such as scales at any strides, takes that of the one that it
// is combined with.
// CHECK-LABEL: @orderless
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[COLUMNS]]>
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<f16>, #[[COLUMNS]]>
tt.func public @orderless(%a: !tt.ptr<f16>, %stride: i32) {
  %r0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d2}>>
  %r1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #d2}>>
  %i = tt.expand_dims %r0 {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #d2}>> -> tensor<64x1xi32, #d2>
  %j = tt.expand_dims %r1 {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #d2}>> -> tensor<1x64xi32, #d2>
  %s = tt.splat %stride : i32 -> tensor<64x1xi32, #d2>
  %t = tt.splat %stride : i32 -> tensor<1x64xi32, #d2>
  %is = arith.muli %i, %s : tensor<64x1xi32, #d2>
  %js = arith.muli %j, %t : tensor<1x64xi32, #d2>
  %ib = tt.broadcast %i : tensor<64x1xi32, #d2> -> tensor<64x64xi32, #d2>
  %isb = tt.broadcast %is : tensor<64x1xi32, #d2> -> tensor<64x64xi32, #d2>
  %jsb = tt.broadcast %js : tensor<1x64xi32, #d2> -> tensor<64x64xi32, #d2>
  %any = arith.addi %isb, %jsb : tensor<64x64xi32, #d2>
  %sa = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #d2>
  %columns = tt.addptr %sa, %jsb : tensor<64x64x!tt.ptr<f16>, #d2>, tensor<64x64xi32, #d2>
  %p = tt.addptr %columns, %ib : tensor<64x64x!tt.ptr<f16>, #d2>, tensor<64x64xi32, #d2>
  %q = tt.addptr %sa, %any : tensor<64x64x!tt.ptr<f16>, #d2>, tensor<64x64xi32, #d2>
  %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #d2>
  %y = tt.load %q : tensor<64x64x!tt.ptr<f16>, #d2>
  %z = arith.mulf %x, %y : tensor<64x64xf16, #d2>
  tt.store %p, %z : tensor<64x64x!tt.ptr<f16>, #d2>
  tt.return
}

// Atomic operations of neighbours get one element per lane, however the values were loaded.
// CHECK-LABEL: @sums
// CHECK: tt.load {{.*}} : tensor<4096x!tt.ptr<f16>, #[[EIGHT]]>
// CHECK: tt.atomic_rmw {{.*}} : (tensor<4096x!tt.ptr<f32>, #[[DEFAULT]]>,
tt.func public @sums(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %m: tensor<4096xi1, #d1>) {
  %i = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, #d1>
  %pa = tt.splat %a : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>, #d1>
  %p = tt.addptr %pa, %i : tensor<4096x!tt.ptr<f16>, #d1>, tensor<4096xi32, #d1>
  %ps = tt.splat %s : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #d1>
  %q = tt.addptr %ps, %i : tensor<4096x!tt.ptr<f32>, #d1>, tensor<4096xi32, #d1>
  %x = tt.load %p : tensor<4096x!tt.ptr<f16>, #d1>
  %w = arith.extf %x : tensor<4096xf16, #d1> to tensor<4096xf32, #d1>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %q, %w, %m : (tensor<4096x!tt.ptr<f32>, #d1>, tensor<4096xf32, #d1>, tensor<4096xi1, #d1>) -> tensor<4096xf32, #d1>
  tt.return
}

// Loads that feed them are not split for a mask that may change within a group of neighbours.
// CHECK-LABEL: @masked_sums
// CHECK: tt.load {{.*}} : tensor<4096x!tt.ptr<f16>, #[[DEFAULT]]>
// CHECK: tt.atomic_rmw {{.*}} : (tensor<4096x!tt.ptr<f32>, #[[DEFAULT]]>,
tt.func public @masked_sums(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %i = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, #d1>
  %ns = tt.splat %n : i32 -> tensor<4096xi32, #d1>
  %m = arith.cmpi slt, %i, %ns : tensor<4096xi32, #d1>
  %pa = tt.splat %a : !tt.ptr<f16> -> tensor<4096x!tt.ptr<f16>, #d1>
  %p = tt.addptr %pa, %i : tensor<4096x!tt.ptr<f16>, #d1>, tensor<4096xi32, #d1>
  %ps = tt.splat %s : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>, #d1>
  %q = tt.addptr %ps, %i : tensor<4096x!tt.ptr<f32>, #d1>, tensor<4096xi32, #d1>
  %x = tt.load %p, %m : tensor<4096x!tt.ptr<f16>, #d1>
  %w = arith.extf %x : tensor<4096xf16, #d1> to tensor<4096xf32, #d1>
  %old = tt.atomic_rmw fadd, relaxed, gpu, %q, %w, %m : (tensor<4096x!tt.ptr<f32>, #d1>, tensor<4096xf32, #d1>, tensor<4096xi1, #d1>) -> tensor<4096xf32, #d1>
  tt.return
}

// Scattered ones have the layout of the loads that their addresses come from.
// CHECK-LABEL: @scattered
// CHECK: tt.load {{.*}} : tensor<4096x!tt.ptr<i32>, #[[FOUR]]>
// CHECK: tt.atomic_rmw {{.*}} : (tensor<4096x!tt.ptr<i32>, #[[FOUR]]>,
tt.func public @scattered(%a: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %s: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %m: tensor<4096xi1, #d1>) {
  %i = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32, #d1>
  %one = arith.constant dense<1> : tensor<4096xi32, #d1>
  %pa = tt.splat %a : !tt.ptr<i32> -> tensor<4096x!tt.ptr<i32>, #d1>
  %p = tt.addptr %pa, %i : tensor<4096x!tt.ptr<i32>, #d1>, tensor<4096xi32, #d1>
  %x = tt.load %p : tensor<4096x!tt.ptr<i32>, #d1>
  %ps = tt.splat %s : !tt.ptr<i32> -> tensor<4096x!tt.ptr<i32>, #d1>
  %q = tt.addptr %ps, %x : tensor<4096x!tt.ptr<i32>, #d1>, tensor<4096xi32, #d1>
  %old = tt.atomic_rmw add, relaxed, gpu, %q, %one, %m : (tensor<4096x!tt.ptr<i32>, #d1>, tensor<4096xi32, #d1>, tensor<4096xi1, #d1>) -> tensor<4096xi32, #d1>
  tt.return
}
}
