// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of global memory at similar offsets: no barrier is needed only if they are proved to
// access the same elements in the same waves, or different ones.
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=allocate_lds,place_barriers --no-line-info -o - | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#t = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// One index, cut to 16 and to 8 bits.
// CHECK-LABEL: @truncations
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @truncations(%p: !tt.ptr<i32>, %x: tensor<256xi32, #b>, %v: tensor<256xi32, #b>) {
  %n = arith.trunci %x : tensor<256xi32, #b> to tensor<256xi16, #b>
  %a = arith.extsi %n : tensor<256xi16, #b> to tensor<256xi32, #b>
  %m = arith.trunci %x : tensor<256xi32, #b> to tensor<256xi8, #b>
  %b = arith.extsi %m : tensor<256xi8, #b> to tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %pa = tt.addptr %ps, %a : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %pb = tt.addptr %ps, %b : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %l = tt.load %pa : tensor<256x!tt.ptr<i32>, #b>
  tt.store %pb, %v : tensor<256x!tt.ptr<i32>, #b>
  tt.return
}

// The same without signs.
// CHECK-LABEL: @unsigned_truncations
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @unsigned_truncations(%p: !tt.ptr<i32>, %x: tensor<256xi32, #b>, %v: tensor<256xi32, #b>) {
  %n = arith.trunci %x : tensor<256xi32, #b> to tensor<256xi16, #b>
  %a = arith.extui %n : tensor<256xi16, #b> to tensor<256xi32, #b>
  %m = arith.trunci %x : tensor<256xi32, #b> to tensor<256xi8, #b>
  %b = arith.extui %m : tensor<256xi8, #b> to tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %pa = tt.addptr %ps, %a : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %pb = tt.addptr %ps, %b : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %l = tt.load %pa : tensor<256x!tt.ptr<i32>, #b>
  tt.store %pb, %v : tensor<256x!tt.ptr<i32>, #b>
  tt.return
}

// With a sign and without.
// CHECK-LABEL: @signs
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @signs(%p: !tt.ptr<i32>, %x: tensor<256xi32, #b>, %v: tensor<256xi32, #b>) {
  %n = arith.trunci %x : tensor<256xi32, #b> to tensor<256xi8, #b>
  %a = arith.extsi %n : tensor<256xi8, #b> to tensor<256xi32, #b>
  %m = arith.trunci %x : tensor<256xi32, #b> to tensor<256xi8, #b>
  %b = arith.extui %m : tensor<256xi8, #b> to tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %pa = tt.addptr %ps, %a : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %pb = tt.addptr %ps, %b : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %l = tt.load %pa : tensor<256x!tt.ptr<i32>, #b>
  tt.store %pb, %v : tensor<256x!tt.ptr<i32>, #b>
  tt.return
}

// The same element of the same wave: the range itself, moved by something.
// CHECK-LABEL: @same
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @same(%p: !tt.ptr<i32>, %x: tensor<256xi32, #b>, %v: tensor<256xi32, #b>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %c = arith.constant dense<3> : tensor<256xi32, #b>
  %a = arith.subi %c, %r : tensor<256xi32, #b>
  %b = arith.subi %c, %r : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %pa = tt.addptr %ps, %a : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %pb = tt.addptr %ps, %b : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %l = tt.load %pa : tensor<256x!tt.ptr<i32>, #b>
  tt.store %pb, %v : tensor<256x!tt.ptr<i32>, #b>
  tt.return
}

// Two elements at one address are held by two waves.
// CHECK-LABEL: @repeats
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @repeats(%p: !tt.ptr<i32>, %x: tensor<256xi32, #b>, %v: tensor<256xi32, #b>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %c = arith.constant dense<127> : tensor<256xi32, #b>
  %a = arith.andi %r, %c : tensor<256xi32, #b>
  %b = arith.andi %r, %c : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %pa = tt.addptr %ps, %a : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %pb = tt.addptr %ps, %b : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %l = tt.load %pa : tensor<256x!tt.ptr<i32>, #b>
  tt.store %pb, %v : tensor<256x!tt.ptr<i32>, #b>
  tt.return
}

// Nobody says that no two of these are the same.
// CHECK-LABEL: @unknown
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @unknown(%p: !tt.ptr<i32>, %x: tensor<256xi32, #b>, %v: tensor<256xi32, #b>) {
  %a = arith.addi %x, %x : tensor<256xi32, #b>
  %b = arith.addi %x, %x : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %pa = tt.addptr %ps, %a : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %pb = tt.addptr %ps, %b : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %l = tt.load %pa : tensor<256x!tt.ptr<i32>, #b>
  tt.store %pb, %v : tensor<256x!tt.ptr<i32>, #b>
  tt.return
}

// Elements of another width.
// CHECK-LABEL: @widths
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @widths(%p: !tt.ptr<i32>, %v: tensor<256xi16, #b>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %h = tt.bitcast %p : !tt.ptr<i32> -> !tt.ptr<i16>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %hs = tt.splat %h : !tt.ptr<i16> -> tensor<256x!tt.ptr<i16>, #b>
  %pa = tt.addptr %ps, %r : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %pb = tt.addptr %hs, %r : tensor<256x!tt.ptr<i16>, #b>, tensor<256xi32, #b>
  %l = tt.load %pa : tensor<256x!tt.ptr<i32>, #b>
  tt.store %pb, %v : tensor<256x!tt.ptr<i16>, #b>
  tt.return
}

// Rows may overlap where nobody knows how long they are. Where they are known to be long enough
// they don't.
// CHECK-LABEL: @rows
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
// CHECK-LABEL: @long_rows
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
// CHECK-LABEL: @short_rows
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @rows(%p: !tt.ptr<i32>, %v: tensor<16x32xi32, #t>, %length: i32) {
  %ls = tt.splat %length : i32 -> tensor<16x1xi32, #t>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>> -> tensor<16x1xi32, #t>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>> -> tensor<1x32xi32, #t>
  %begin = arith.muli %re, %ls : tensor<16x1xi32, #t>
  %bs = tt.broadcast %begin : tensor<16x1xi32, #t> -> tensor<16x32xi32, #t>
  %cs = tt.broadcast %ce : tensor<1x32xi32, #t> -> tensor<16x32xi32, #t>
  %at = arith.addi %bs, %cs : tensor<16x32xi32, #t>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>, #t>
  %q = tt.addptr %ps, %at : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
  %l = tt.load %q : tensor<16x32x!tt.ptr<i32>, #t>
  tt.store %q, %v : tensor<16x32x!tt.ptr<i32>, #t>
  tt.return
}
tt.func public @long_rows(%p: !tt.ptr<i32>, %v: tensor<16x32xi32, #t>) {
  %ls = arith.constant dense<32> : tensor<16x1xi32, #t>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>> -> tensor<16x1xi32, #t>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>> -> tensor<1x32xi32, #t>
  %begin = arith.muli %re, %ls : tensor<16x1xi32, #t>
  %bs = tt.broadcast %begin : tensor<16x1xi32, #t> -> tensor<16x32xi32, #t>
  %cs = tt.broadcast %ce : tensor<1x32xi32, #t> -> tensor<16x32xi32, #t>
  %at = arith.addi %bs, %cs : tensor<16x32xi32, #t>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>, #t>
  %q = tt.addptr %ps, %at : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
  %l = tt.load %q : tensor<16x32x!tt.ptr<i32>, #t>
  tt.store %q, %v : tensor<16x32x!tt.ptr<i32>, #t>
  tt.return
}
tt.func public @short_rows(%p: !tt.ptr<i32>, %v: tensor<16x32xi32, #t>) {
  %ls = arith.constant dense<31> : tensor<16x1xi32, #t>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>>
  %re = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>> -> tensor<16x1xi32, #t>
  %ce = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>> -> tensor<1x32xi32, #t>
  %begin = arith.muli %re, %ls : tensor<16x1xi32, #t>
  %bs = tt.broadcast %begin : tensor<16x1xi32, #t> -> tensor<16x32xi32, #t>
  %cs = tt.broadcast %ce : tensor<1x32xi32, #t> -> tensor<16x32xi32, #t>
  %at = arith.addi %bs, %cs : tensor<16x32xi32, #t>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>, #t>
  %q = tt.addptr %ps, %at : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
  %l = tt.load %q : tensor<16x32x!tt.ptr<i32>, #t>
  tt.store %q, %v : tensor<16x32x!tt.ptr<i32>, #t>
  tt.return
}

// Products of 32 bits come around: 65536 iterations later the offsets are the same. By bounds that
// are known they don't; nor do those of 64 bits.
// CHECK-LABEL: @comes_around
// CHECK: ttg.barrier local|global_read|global_write
// CHECK: tt.return
// CHECK-LABEL: @few_turns
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
// CHECK-LABEL: @wide_product
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @comes_around(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c65535 = arith.constant 65535 : i32
  %far = arith.constant 65536 : i32
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %ps, %r : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %begin = arith.muli %k, %far : i32
    %begins = tt.splat %begin : i32 -> tensor<256xi32, #b>
    %q = tt.addptr %a, %begins : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    %v = tt.load %q : tensor<256x!tt.ptr<i32>, #b>
    tt.store %q, %v : tensor<256x!tt.ptr<i32>, #b>
  }
  tt.return
}
tt.func public @few_turns(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c65535 = arith.constant 65535 : i32
  %far = arith.constant 65536 : i32
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %ps, %r : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  scf.for %k = %c0 to %c65535 step %c1 : i32 {
    %begin = arith.muli %k, %far : i32
    %begins = tt.splat %begin : i32 -> tensor<256xi32, #b>
    %q = tt.addptr %a, %begins : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    %v = tt.load %q : tensor<256x!tt.ptr<i32>, #b>
    tt.store %q, %v : tensor<256x!tt.ptr<i32>, #b>
  }
  tt.return
}
tt.func public @wide_product(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c65535 = arith.constant 65535 : i32
  %far = arith.constant 65536 : i64
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %ps, %r : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %k64 = arith.extsi %k : i32 to i64
    %begin = arith.muli %k64, %far : i64
    %begins = tt.splat %begin : i64 -> tensor<256xi64, #b>
    %q = tt.addptr %a, %begins : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi64, #b>
    %v = tt.load %q : tensor<256x!tt.ptr<i32>, #b>
    tt.store %q, %v : tensor<256x!tt.ptr<i32>, #b>
  }
  tt.return
}

// What isn't known to compute only may access anything.
// CHECK-LABEL: @assembly
// CHECK: tt.load
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.elementwise_inline_asm
// CHECK: tt.return
tt.func public @assembly(%p: !tt.ptr<i32>) {
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %q = tt.addptr %ps, %r : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %v = tt.load %q : tensor<256x!tt.ptr<i32>, #b>
  %w = tt.elementwise_inline_asm "v_mov_b32 $0, $1" {constraints = "=v,v", packed_element = 1 : i32, pure = false} %v : tensor<256xi32, #b> -> tensor<256xi32, #b>
  tt.return
}
}
