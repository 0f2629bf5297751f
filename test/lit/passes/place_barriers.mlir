// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=allocate_lds,place_barriers --no-line-info -o %t.once.mlir \
// RUN:   && FileCheck %s < %t.once.mlir
// Existing barriers count.
// RUN: %kiln compile %t.once.mlir --from=ttg --emit=ttg --passes=allocate_lds,place_barriers --no-line-info \
// RUN:   -o %t.twice.mlir && diff %t.once.mlir %t.twice.mlir
// RUN: not %kiln compile %s --from=ttg --kernel=lds --disable-pass=place_barriers -o %t.hsaco 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEEDED
// NEEDED: pass 'place_barriers' is required and cannot be disabled

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#w = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#t = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [2, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @lds
// CHECK: ttg.local_alloc
// CHECK-NEXT: ttg.barrier local{{$}}
// CHECK-NEXT: ttg.local_load
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @lds() {
  %x = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %m = ttg.local_alloc %x : (tensor<256xi32, #b>) -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  %l = ttg.local_load %m : !ttg.memdesc<256xi32, #s, #smem, mutable> -> tensor<256xi32, #b>
  %k = ttg.local_load %m : !ttg.memdesc<256xi32, #s, #smem, mutable> -> tensor<256xi32, #b>
  tt.return
}

// All waves load a scalar and one stores it; nothing stores to its neighbours.
// CHECK-LABEL: @scalar
// CHECK: tt.load
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @scalar(%p: !tt.ptr<i32>) {
  %c1 = arith.constant 1 : i32
  %next = tt.addptr %p, %c1 : !tt.ptr<i32>, i32
  %v = tt.load %p : !tt.ptr<i32>
  %n = tt.load %next : !tt.ptr<i32>
  %s = arith.addi %v, %n : i32
  tt.store %p, %s : !tt.ptr<i32>
  tt.store %p, %c1 : !tt.ptr<i32>
  %m = tt.load %next : !tt.ptr<i32>
  tt.return
}

// Each wave has its own elements, and other ones are elsewhere; another layout gives them to
// others.
// CHECK-LABEL: @own
// CHECK-NOT: ttg.barrier
// CHECK: tt.store {{.*}}#[[B:.*]]>
// CHECK-NOT: ttg.barrier
// CHECK: tt.load {{.*}}#[[B]]>
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @own(%p: !tt.ptr<i32>) {
  %c256 = arith.constant dense<1024> : tensor<1024xi32, #b>
  %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #b>
  %j = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #w>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #b>
  %pw = tt.splat %p : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>, #w>
  %a = tt.addptr %ps, %i : tensor<1024x!tt.ptr<i32>, #b>, tensor<1024xi32, #b>
  %b = tt.addptr %a, %c256 : tensor<1024x!tt.ptr<i32>, #b>, tensor<1024xi32, #b>
  %c = tt.addptr %pw, %j : tensor<1024x!tt.ptr<i32>, #w>, tensor<1024xi32, #w>
  %x = tt.load %a : tensor<1024x!tt.ptr<i32>, #b>
  tt.store %a, %i : tensor<1024x!tt.ptr<i32>, #b>
  %y = tt.load %a : tensor<1024x!tt.ptr<i32>, #b>
  %z = tt.load %b : tensor<1024x!tt.ptr<i32>, #b>
  tt.store %c, %j : tensor<1024x!tt.ptr<i32>, #w>
  tt.return
}

// Buffers of two arguments.
// CHECK-LABEL: @two
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @two(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
  %v = tt.load %p : !tt.ptr<i32>
  tt.store %q, %v : !tt.ptr<i32>
  tt.return
}

// The next iteration's pointers are others: what was stored by one wave may be loaded by another.
// CHECK-LABEL: @around
// CHECK: scf.for
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.load
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @around(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %ps, %i : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %ks = tt.splat %k : i32 -> tensor<256xi32, #b>
    %ak = tt.addptr %a, %ks : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    %v = tt.load %ak : tensor<256x!tt.ptr<i32>, #b>
    tt.store %ak, %v : tensor<256x!tt.ptr<i32>, #b>
  }
  tt.return
}

// Pointers that the loop moves, and farther than they reach.
// CHECK-LABEL: @advances
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @advances(%p: !tt.ptr<i32>, %n: i32, %step: i32) {
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant dense<512> : tensor<256xi32, #b>
  %c256 = arith.constant dense<256> : tensor<256xi32, #b>
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %ps, %i : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %r = scf.for %k = %c0 to %n step %step iter_args(%q = %a) -> (tensor<256x!tt.ptr<i32>, #b>) : i32 {
    %v = tt.load %q : tensor<256x!tt.ptr<i32>, #b>
    tt.store %q, %v : tensor<256x!tt.ptr<i32>, #b>
    %e = tt.addptr %q, %c256 : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    tt.store %e, %v : tensor<256x!tt.ptr<i32>, #b>
    %q1 = tt.addptr %q, %c512 : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    scf.yield %q1 : tensor<256x!tt.ptr<i32>, #b>
  }
  tt.return
}

// Rows that are counted in 32 bits and make offsets of 64: the lower halves differ.
// CHECK-LABEL: @advances_widened
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @advances_widened(%p: !tt.ptr<i32>, %v: tensor<16x32xi32, #t>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %length = arith.constant dense<32> : tensor<16x1xi64, #t>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>>
  %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>> -> tensor<1x32xi32, #t>
  %b = tt.broadcast %columns : tensor<1x32xi32, #t> -> tensor<16x32xi32, #t>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<16x1x!tt.ptr<i32>, #t>
  scf.for %k = %c0 to %n step %c16 : i32 {
    %ks = tt.splat %k : i32 -> tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>>
    %row = arith.addi %ks, %r : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>>
    %wide = arith.extsi %row : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>> to tensor<16xi64, #ttg.slice<{dim = 1, parent = #t}>>
    %rows = tt.expand_dims %wide {axis = 1 : i32} : tensor<16xi64, #ttg.slice<{dim = 1, parent = #t}>> -> tensor<16x1xi64, #t>
    %begin = arith.muli %rows, %length : tensor<16x1xi64, #t>
    %q = tt.addptr %ps, %begin : tensor<16x1x!tt.ptr<i32>, #t>, tensor<16x1xi64, #t>
    %qs = tt.broadcast %q : tensor<16x1x!tt.ptr<i32>, #t> -> tensor<16x32x!tt.ptr<i32>, #t>
    %qc = tt.addptr %qs, %b : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
    tt.store %qc, %v : tensor<16x32x!tt.ptr<i32>, #t>
  }
  tt.return
}
// Numbers of 8 bits come again after 256 rows.
// CHECK-LABEL: @advances_narrow
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
tt.func public @advances_narrow(%p: !tt.ptr<i32>, %v: tensor<256xi32, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %length = arith.constant dense<256> : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %k8 = arith.trunci %k : i32 to i8
    %row = arith.extui %k8 : i8 to i32
    %rows = tt.splat %row : i32 -> tensor<256xi32, #b>
    %begin = arith.muli %rows, %length : tensor<256xi32, #b>
    %at = arith.addi %begin, %i : tensor<256xi32, #b>
    %q = tt.addptr %ps, %at : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    tt.store %q, %v : tensor<256x!tt.ptr<i32>, #b>
  }
  tt.return
}

// By less than they reach, by who knows how much, or around another loop that starts again.
// CHECK-LABEL: @advances_too_little
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.load
tt.func public @advances_too_little(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c255 = arith.constant dense<255> : tensor<256xi32, #b>
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %ps, %i : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%q = %a) -> (tensor<256x!tt.ptr<i32>, #b>) : i32 {
    %v = tt.load %q : tensor<256x!tt.ptr<i32>, #b>
    tt.store %q, %v : tensor<256x!tt.ptr<i32>, #b>
    %q1 = tt.addptr %q, %c255 : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    scf.yield %q1 : tensor<256x!tt.ptr<i32>, #b>
  }
  tt.return
}
// CHECK-LABEL: @advances_somehow
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.load
tt.func public @advances_somehow(%p: !tt.ptr<i32>, %n: i32, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %far = tt.splat %s : i32 -> tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %ps, %i : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%q = %a) -> (tensor<256x!tt.ptr<i32>, #b>) : i32 {
    %v = tt.load %q : tensor<256x!tt.ptr<i32>, #b>
    tt.store %q, %v : tensor<256x!tt.ptr<i32>, #b>
    %q1 = tt.addptr %q, %far : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
    scf.yield %q1 : tensor<256x!tt.ptr<i32>, #b>
  }
  tt.return
}
// CHECK-LABEL: @advances_inside
// CHECK: scf.for
// CHECK: ttg.barrier local|global_read|global_write
// CHECK: scf.for
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @advances_inside(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c256 = arith.constant dense<256> : tensor<256xi32, #b>
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %ps, %i : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  scf.for %o = %c0 to %n step %c1 : i32 {
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%q = %a) -> (tensor<256x!tt.ptr<i32>, #b>) : i32 {
      %v = tt.load %q : tensor<256x!tt.ptr<i32>, #b>
      tt.store %q, %v : tensor<256x!tt.ptr<i32>, #b>
      %q1 = tt.addptr %q, %c256 : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
      scf.yield %q1 : tensor<256x!tt.ptr<i32>, #b>
    }
  }
  tt.return
}

// The same pointers in every iteration.
// CHECK-LABEL: @stays
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @stays(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %a = tt.addptr %ps, %i : tensor<256x!tt.ptr<i32>, #b>, tensor<256xi32, #b>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %v = tt.load %a : tensor<256x!tt.ptr<i32>, #b>
    tt.store %a, %v : tensor<256x!tt.ptr<i32>, #b>
  }
  tt.return
}

// All elements are one place: what one wave stores, the others have loaded.
// CHECK-LABEL: @one_place
// CHECK: tt.load
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
tt.func public @one_place(%p: !tt.ptr<i32>) {
  %c1 = arith.constant dense<1> : tensor<256xi32, #b>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>, #b>
  %v = tt.load %ps : tensor<256x!tt.ptr<i32>, #b>
  tt.store %ps, %c1 : tensor<256x!tt.ptr<i32>, #b>
  tt.return
}

// The program's own barrier is enough; one of LDS alone is not.
// CHECK-LABEL: @given
// CHECK: tt.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.return
tt.func public @given(%p: !tt.ptr<i32>) {
  %v = tt.load %p : !tt.ptr<i32>
  gpu.barrier
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}
// CHECK-LABEL: @given_local
// CHECK: ttg.barrier local{{$}}
// CHECK-NEXT: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
tt.func public @given_local(%p: !tt.ptr<i32>) {
  %v = tt.load %p : !tt.ptr<i32>
  ttg.barrier local
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}

// A view that only one side of a branch makes: nobody accesses what the other one gives. The other
// slice is another place.
// CHECK-LABEL: @branch
// CHECK: ttg.local_load
// CHECK-NOT: ttg.barrier
// CHECK: ttg.local_store
// CHECK: ttg.barrier local{{$}}
// CHECK-NEXT: ttg.local_store
// CHECK: tt.return
tt.func public @branch(%x: tensor<256xi32, #b>, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = ttg.local_alloc : () -> !ttg.memdesc<2x256xi32, #s, #smem, mutable>
  %first = ttg.memdesc_index %m[%c0] : !ttg.memdesc<2x256xi32, #s, #smem, mutable> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  %second = ttg.memdesc_index %m[%c1] : !ttg.memdesc<2x256xi32, #s, #smem, mutable> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  %view = scf.if %c -> (!ttg.memdesc<256xi32, #s, #smem, mutable>) {
    scf.yield %first : !ttg.memdesc<256xi32, #s, #smem, mutable>
  } else {
    %none = ub.poison : !ttg.memdesc<256xi32, #s, #smem, mutable>
    scf.yield %none : !ttg.memdesc<256xi32, #s, #smem, mutable>
  }
  scf.if %c {
    %l = ttg.local_load %view : !ttg.memdesc<256xi32, #s, #smem, mutable> -> tensor<256xi32, #b>
  }
  ttg.local_store %x, %second : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  ttg.local_store %x, %first : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  tt.return
}

// Halves of rows never meet, whichever rows: 64 · row + column is never 64 · row' + column' + 32.
// Where rows are 32 apart it is.
// CHECK-LABEL: @halves
// CHECK-NOT: ttg.barrier
// CHECK: tt.return
tt.func public @halves(%x: !tt.ptr<i32>, %v: tensor<16x32xi32, #t>) {
  %c64 = arith.constant dense<64> : tensor<16x1xi32, #t>
  %c32 = arith.constant dense<32> : tensor<16x32xi32, #t>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>> -> tensor<16x1xi32, #t>
  %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>> -> tensor<1x32xi32, #t>
  %begin = arith.muli %rows, %c64 : tensor<16x1xi32, #t>
  %a = tt.broadcast %begin : tensor<16x1xi32, #t> -> tensor<16x32xi32, #t>
  %b = tt.broadcast %columns : tensor<1x32xi32, #t> -> tensor<16x32xi32, #t>
  %at = arith.addi %a, %b : tensor<16x32xi32, #t>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>, #t>
  %p = tt.addptr %xs, %at : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
  %q = tt.addptr %p, %c32 : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
  %second = tt.load %q : tensor<16x32x!tt.ptr<i32>, #t>
  tt.store %p, %v : tensor<16x32x!tt.ptr<i32>, #t>
  tt.store %q, %second : tensor<16x32x!tt.ptr<i32>, #t>
  tt.return
}
// CHECK-LABEL: @neighbours
// CHECK: tt.load
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @neighbours(%x: !tt.ptr<i32>, %v: tensor<16x32xi32, #t>) {
  %c64 = arith.constant dense<32> : tensor<16x1xi32, #t>
  %c32 = arith.constant dense<32> : tensor<16x32xi32, #t>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>> -> tensor<16x1xi32, #t>
  %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>> -> tensor<1x32xi32, #t>
  %begin = arith.muli %rows, %c64 : tensor<16x1xi32, #t>
  %a = tt.broadcast %begin : tensor<16x1xi32, #t> -> tensor<16x32xi32, #t>
  %b = tt.broadcast %columns : tensor<1x32xi32, #t> -> tensor<16x32xi32, #t>
  %at = arith.addi %a, %b : tensor<16x32xi32, #t>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>, #t>
  %p = tt.addptr %xs, %at : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
  %q = tt.addptr %p, %c32 : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
  %second = tt.load %q : tensor<16x32x!tt.ptr<i32>, #t>
  tt.store %p, %v : tensor<16x32x!tt.ptr<i32>, #t>
  tt.return
}
// The only buffer of a function, made in a branch that yields it.
// CHECK-LABEL: @made_in_branch
// CHECK: ttg.local_store
// CHECK-NEXT: ttg.barrier local{{$}}
// CHECK-NEXT: ttg.local_load
// CHECK: tt.return
tt.func public @made_in_branch(%c: i1, %x: tensor<256xi32, #b>) {
  %m = scf.if %c -> (!ttg.memdesc<256xi32, #s, #smem, mutable>) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<256xi32, #s, #smem, mutable>
    scf.yield %a : !ttg.memdesc<256xi32, #s, #smem, mutable>
  } else {
    %p = ub.poison : !ttg.memdesc<256xi32, #s, #smem, mutable>
    scf.yield %p : !ttg.memdesc<256xi32, #s, #smem, mutable>
  }
  scf.if %c {
    ttg.local_store %x, %m : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
    %l = ttg.local_load %m : !ttg.memdesc<256xi32, #s, #smem, mutable> -> tensor<256xi32, #b>
  }
  tt.return
}
// A column more than half a row reaches into the other half of the row before it.
// CHECK-LABEL: @overlap
// CHECK: tt.load
// CHECK: ttg.barrier local|global_read|global_write
// CHECK-NEXT: tt.store
// CHECK: tt.return
tt.func public @overlap(%x: !tt.ptr<i32>, %v: tensor<16x32xi32, #t>) {
  %c63 = arith.constant dense<62> : tensor<16x1xi32, #t>
  %c32 = arith.constant dense<32> : tensor<16x32xi32, #t>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>>
  %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #t}>> -> tensor<16x1xi32, #t>
  %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #t}>> -> tensor<1x32xi32, #t>
  %begin = arith.muli %rows, %c63 : tensor<16x1xi32, #t>
  %a = tt.broadcast %begin : tensor<16x1xi32, #t> -> tensor<16x32xi32, #t>
  %b = tt.broadcast %columns : tensor<1x32xi32, #t> -> tensor<16x32xi32, #t>
  %at = arith.addi %a, %b : tensor<16x32xi32, #t>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>, #t>
  %p = tt.addptr %xs, %at : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
  %q = tt.addptr %p, %c32 : tensor<16x32x!tt.ptr<i32>, #t>, tensor<16x32xi32, #t>
  %second = tt.load %q : tensor<16x32x!tt.ptr<i32>, #t>
  tt.store %p, %v : tensor<16x32x!tt.ptr<i32>, #t>
  tt.return
}
}
