// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of ttg that Gluon kernels contain and Triton's own passes never create: parts of buffers
// that a branch, a loop, a select or a function passes on, whose start is known only at run time;
// pairs of e2m1 unpacked; a dot whose K is smaller than what its instruction's lanes take.
// RUN: split-file %s %t
// RUN: %kiln run --device=sim --check --cache-mode=off %t/branch.ttgir n=1 'x=i32[64,32]:iota' 'y=i32[32,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[31:32,30:32]' | FileCheck %s --check-prefix=LOWER
// RUN: %kiln run --device=sim --check --cache-mode=off %t/branch.ttgir n=0 'x=i32[64,32]:iota' 'y=i32[32,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[31:32,30:32]' | FileCheck %s --check-prefix=UPPER
// RUN: sed 's/#shared = .*/#shared = #ttg.padded_shared<[64:+4, 256:+8] {order = [1, 0], shape = [64, 32]}>/' \
// RUN:   %t/branch.ttgir > %t/padded.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/padded.ttgir n=1 'x=i32[64,32]:iota' 'y=i32[32,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[31:32,30:32]' | FileCheck %s --check-prefix=LOWER
// RUN: sed 's/#shared = .*/#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 1, order = [0, 1]}>/' \
// RUN:   %t/branch.ttgir > %t/column.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/column.ttgir n=1 'x=i32[64,32]:iota' 'y=i32[32,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[31:32,30:32]' | FileCheck %s --check-prefix=LOWER
// RUN: %kiln run --device=sim --check --cache-mode=off %t/loop.ttgir n=3 'x=i32[64,32]:iota' 'y=i32[3,32,32]' \
// RUN:   --print 'y[0:1,0:1,0:2]' --print 'y[1:2,0:1,0:2]' --print 'y[2:3,31:32,30:32]' \
// RUN:   | FileCheck %s --check-prefix=LOOP
// RUN: %kiln run --device=sim --check --cache-mode=off %t/call.ttgir n=1 'x=i32[64,32]:iota' 'y=i32[2,32,32]' \
// RUN:   --print 'y[0:1,0:1,0:2]' --print 'y[1:2,31:32,30:32]' | FileCheck %s --check-prefix=CALL
// RUN: %kiln run --device=sim --check --cache-mode=off %t/pairs.ttgir 'x=i8[16,64]:iota' 'y=f32[32,64]' \
// RUN:   --print 'y[0:2,15:18]' --print 'y[30:32,62:64]' | FileCheck %s --check-prefix=PAIRS
// RUN: %kiln run --device=sim --check --cache-mode=off %t/dot.ttgir 'a=f16[16,8]:fill:2' 'b=f16[8,16]:fill:3' \
// RUN:   'y=f32[16,16]' --print 'y[0:1,0:2]' --print 'y[15:16,14:16]' | FileCheck %s --check-prefix=DOT
// RUN: sed 's/\[16, 16, 16\], isTransposed = true/[4, 64, 4], isTransposed = false/' %t/dot.ttgir > %t/narrow.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/narrow.ttgir 'a=f16[16,8]:fill:2' 'b=f16[8,16]:fill:3' \
// RUN:   'y=f32[16,16]' --print 'y[0:1,0:2]' --print 'y[15:16,14:16]' | FileCheck %s --check-prefix=DOT
// RUN: %kiln run --device=sim --check --cache-mode=off %t/view.ttgir n=1 'x=i32[2048]:iota' 'y=i16[2048]' \
// RUN:   --print 'y[0:4]' --print 'y[2044:2048]' | FileCheck %s --check-prefix=VIEW
// RUN: sed 's/%%q = .*/%%q0 = ttg.memdesc_subslice %%m[0] : !ttg.memdesc<2048xi32, #shared, #smem, mutable> \
// RUN:   -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>\n    %%is = arith.trunci %%n : i32 to i1\n    \
// RUN:   %%q = arith.select %%is, %%p, %%q0 : !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>/' \
// RUN:   %t/view.ttgir > %t/select.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/select.ttgir n=1 'x=i32[2048]:iota' 'y=i16[2048]' \
// RUN:   --print 'y[0:4]' --print 'y[2044:2048]' | FileCheck %s --check-prefix=VIEW
// RUN: %kiln run --device=sim --check --cache-mode=off %t/split.ttgir 'x=i32[128]:iota' 'y=i32[64]' --print 'y[0:2]' \
// RUN:   --print 'y[63:64]' | FileCheck %s --check-prefix=SPLIT
// RUN: not kiln compile %t/several.ttgir -o /dev/null 2>&1 | FileCheck %s --check-prefix=SEVERAL

// LOWER: {{^}}  1024 1025{{$}}
// LOWER: {{^}}  2046 2047{{$}}
// UPPER: {{^}}  0 1{{$}}
// UPPER: {{^}}  1022 1023{{$}}
// Lower, upper, lower half.
// LOOP: {{^}}  1024 1025{{$}}
// LOOP: {{^}}  0 1{{$}}
// LOOP: {{^}}  2046 2047{{$}}
// CALL: {{^}}  1024 1025{{$}}
// CALL: {{^}}  1022 1023{{$}}
// Bytes count up: row 0 has the low halves of row 0 of the bytes, row 1 the high ones.
// PAIRS: y[0:2,15:18] =
// PAIRS-NEXT: {{^}}  -6 0 0.5{{$}}
// PAIRS-NEXT: {{^}}  0 0.5 0.5{{$}}
// PAIRS: y[30:32,62:64] =
// PAIRS-NEXT: {{^}}  -4 -6{{$}}
// PAIRS-NEXT: {{^}}  -6 -6{{$}}
// 8 times 2 times 3, though lanes hold copies of K.
// DOT: {{^}}  48 48{{$}}
// DOT: {{^}}  48 48{{$}}
// Halves of the words 1024, 1025 and 2046, 2047.
// VIEW: {{^}}  1024 0 1025 0{{$}}
// VIEW: {{^}}  2046 0 2047 0{{$}}
// A vector of two registers taken apart.
// SPLIT: {{^}}  1 3{{$}}
// SPLIT: {{^}}  127{{$}}
// SEVERAL: several.ttgir:7:{{[0-9]+}}: error: 'ttg.memdesc_subslice' op {{.*}} holds several buffers; use ttg.memdesc_index to select one

//--- branch.ttgir
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @branch(%x: !tt.ptr<i32> loc("x"), %y: !tt.ptr<i32> loc("y"), %n: i32 loc("n")) {
    %c32 = arith.constant dense<32> : tensor<64x1xi32, #blocked>
    %c32y = arith.constant dense<32> : tensor<32x1xi32, #blocked>
    %zero = arith.constant 0 : i32
    %col = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %cols = tt.expand_dims %col {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x32xi32, #blocked>
    %row = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %rowy = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %rowsy = tt.expand_dims %rowy {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %r0 = arith.muli %rows, %c32 : tensor<64x1xi32, #blocked>
    %r1 = tt.broadcast %r0 : tensor<64x1xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %k1 = tt.broadcast %cols : tensor<1x32xi32, #blocked> -> tensor<64x32xi32, #blocked>
    %ox = arith.addi %r1, %k1 : tensor<64x32xi32, #blocked>
    %s0 = arith.muli %rowsy, %c32y : tensor<32x1xi32, #blocked>
    %s1 = tt.broadcast %s0 : tensor<32x1xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %k2 = tt.broadcast %cols : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
    %oy = arith.addi %s1, %k2 : tensor<32x32xi32, #blocked>
    %v = amdg.buffer_load %x[%ox] : tensor<64x32xi32, #blocked>
    %m = ttg.local_alloc %v : (tensor<64x32xi32, #blocked>) -> !ttg.memdesc<64x32xi32, #shared, #smem, mutable>
    %is = arith.cmpi sgt, %n, %zero : i32
    %c = scf.if %is -> (!ttg.memdesc<32x32xi32, #shared, #smem, mutable, 64x32>) {
      %p = ttg.memdesc_subslice %m[32, 0] : !ttg.memdesc<64x32xi32, #shared, #smem, mutable> -> !ttg.memdesc<32x32xi32, #shared, #smem, mutable, 64x32>
      scf.yield %p : !ttg.memdesc<32x32xi32, #shared, #smem, mutable, 64x32>
    } else {
      %q = ttg.memdesc_subslice %m[0, 0] : !ttg.memdesc<64x32xi32, #shared, #smem, mutable> -> !ttg.memdesc<32x32xi32, #shared, #smem, mutable, 64x32>
      scf.yield %q : !ttg.memdesc<32x32xi32, #shared, #smem, mutable, 64x32>
    }
    %l = ttg.local_load %c : !ttg.memdesc<32x32xi32, #shared, #smem, mutable, 64x32> -> tensor<32x32xi32, #blocked>
    amdg.buffer_store %l, %y[%oy] : tensor<32x32xi32, #blocked>
    tt.return
  }
}

//--- loop.ttgir
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @loop(%x: !tt.ptr<i32> loc("x"), %y: !tt.ptr<i32> loc("y"), %n: i32 loc("n")) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c1024 = arith.constant 1024 : i32
    %ox = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #flat>
    %oy = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #flat>
    %v = amdg.buffer_load %x[%ox] : tensor<2048xi32, #flat>
    %m = ttg.local_alloc %v : (tensor<2048xi32, #flat>) -> !ttg.memdesc<2048xi32, #shared, #smem, mutable>
    %p = ttg.memdesc_subslice %m[1024] : !ttg.memdesc<2048xi32, #shared, #smem, mutable> -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    %q = ttg.memdesc_subslice %m[0] : !ttg.memdesc<2048xi32, #shared, #smem, mutable> -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %q) -> (!ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>, !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>)  : i32 {
      %l = ttg.local_load %a : !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048> -> tensor<1024xi32, #flat>
      %at = arith.muli %i, %c1024 : i32
      %to = tt.addptr %y, %at : !tt.ptr<i32>, i32
      amdg.buffer_store %l, %to[%oy] : tensor<1024xi32, #flat>
      scf.yield %b, %a : !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>, !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    }
    tt.return
  }
}

//--- call.ttgir
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func private @half(%m: !ttg.memdesc<2048xi32, #shared, #smem, mutable>, %which: i1) -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048> attributes {noinline = true} {
    %p = ttg.memdesc_subslice %m[1024] : !ttg.memdesc<2048xi32, #shared, #smem, mutable> -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    %q = ttg.memdesc_subslice %m[0] : !ttg.memdesc<2048xi32, #shared, #smem, mutable> -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    %s = arith.select %which, %p, %q : !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    tt.return %s : !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
  }
  tt.func private @put(%m: !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>, %y: !tt.ptr<i32>) attributes {noinline = true} {
    %oy = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #flat>
    %l = ttg.local_load %m : !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048> -> tensor<1024xi32, #flat>
    amdg.buffer_store %l, %y[%oy] : tensor<1024xi32, #flat>
    tt.return
  }
  tt.func public @call(%x: !tt.ptr<i32> loc("x"), %y: !tt.ptr<i32> loc("y"), %n: i32 loc("n")) {
    %c0 = arith.constant 0 : i32
    %c1024 = arith.constant 1024 : i32
    %ox = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #flat>
    %v = amdg.buffer_load %x[%ox] : tensor<2048xi32, #flat>
    %m = ttg.local_alloc %v : (tensor<2048xi32, #flat>) -> !ttg.memdesc<2048xi32, #shared, #smem, mutable>
    %is = arith.cmpi sgt, %n, %c0 : i32
    %not = arith.cmpi sle, %n, %c0 : i32
    %p = tt.call @half(%m, %is) : (!ttg.memdesc<2048xi32, #shared, #smem, mutable>, i1) -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    %q = tt.call @half(%m, %not) : (!ttg.memdesc<2048xi32, #shared, #smem, mutable>, i1) -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    tt.call @put(%p, %y) : (!ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>, !tt.ptr<i32>) -> ()
    %to = tt.addptr %y, %c1024 : !tt.ptr<i32>, i32
    tt.call @put(%q, %to) : (!ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>, !tt.ptr<i32>) -> ()
    tt.return
  }
}

//--- pairs.ttgir
#bytes = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 16], warpsPerCTA = [1, 2], order = [1, 0]}>
#values = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 16], warpsPerCTA = [1, 2], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @pairs(%x: !tt.ptr<i8> loc("x"), %y: !tt.ptr<f32> loc("y")) {
    %c64 = arith.constant dense<64> : tensor<16x1xi32, #bytes>
    %c64y = arith.constant dense<64> : tensor<32x1xi32, #values>
    %col = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #bytes}>>
    %cols = tt.expand_dims %col {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #bytes}>> -> tensor<1x64xi32, #bytes>
    %row = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #bytes}>>
    %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #bytes}>> -> tensor<16x1xi32, #bytes>
    %r0 = arith.muli %rows, %c64 : tensor<16x1xi32, #bytes>
    %r1 = tt.broadcast %r0 : tensor<16x1xi32, #bytes> -> tensor<16x64xi32, #bytes>
    %k1 = tt.broadcast %cols : tensor<1x64xi32, #bytes> -> tensor<16x64xi32, #bytes>
    %ox = arith.addi %r1, %k1 : tensor<16x64xi32, #bytes>
    %coly = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #values}>>
    %colsy = tt.expand_dims %coly {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #values}>> -> tensor<1x64xi32, #values>
    %rowy = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #values}>>
    %rowsy = tt.expand_dims %rowy {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #values}>> -> tensor<32x1xi32, #values>
    %s0 = arith.muli %rowsy, %c64y : tensor<32x1xi32, #values>
    %s1 = tt.broadcast %s0 : tensor<32x1xi32, #values> -> tensor<32x64xi32, #values>
    %k2 = tt.broadcast %colsy : tensor<1x64xi32, #values> -> tensor<32x64xi32, #values>
    %oy = arith.addi %s1, %k2 : tensor<32x64xi32, #values>
    %v = amdg.buffer_load %x[%ox] : tensor<16x64xi8, #bytes>
    %f = ttg.fp4_to_fp %v {axis = 0 : i32} : tensor<16x64xi8, #bytes> -> tensor<32x64xbf16, #values>
    %w = arith.extf %f : tensor<32x64xbf16, #values> to tensor<32x64xf32, #values>
    amdg.buffer_store %w, %y[%oy] : tensor<32x64xf32, #values>
    tt.return
  }
}

//--- dot.ttgir
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = true}>
#a = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 4}>
#b = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @dot(%a: !tt.ptr<f16> loc("a"), %b: !tt.ptr<f16> loc("b"), %y: !tt.ptr<f32> loc("y")) {
    %zero = arith.constant dense<0.0> : tensor<16x16xf32, #mma>
    %c16 = arith.constant dense<16> : tensor<16x1xi32, #mma>
    %i = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #a}>>
    %ie = tt.expand_dims %i {axis = 0 : i32} : tensor<8xi32, #ttg.slice<{dim = 0, parent = #a}>> -> tensor<1x8xi32, #a>
    %oa = tt.broadcast %ie : tensor<1x8xi32, #a> -> tensor<16x8xi32, #a>
    %j = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %je = tt.expand_dims %j {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x16xi32, #b>
    %ob = tt.broadcast %je : tensor<1x16xi32, #b> -> tensor<8x16xi32, #b>
    %va = amdg.buffer_load %a[%oa] : tensor<16x8xf16, #a>
    %vb = amdg.buffer_load %b[%ob] : tensor<8x16xf16, #b>
    %d = tt.dot %va, %vb, %zero : tensor<16x8xf16, #a> * tensor<8x16xf16, #b> -> tensor<16x16xf32, #mma>
    %col = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #mma}>>
    %cols = tt.expand_dims %col {axis = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 0, parent = #mma}>> -> tensor<1x16xi32, #mma>
    %row = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #mma}>>
    %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<16x1xi32, #mma>
    %r0 = arith.muli %rows, %c16 : tensor<16x1xi32, #mma>
    %r1 = tt.broadcast %r0 : tensor<16x1xi32, #mma> -> tensor<16x16xi32, #mma>
    %k1 = tt.broadcast %cols : tensor<1x16xi32, #mma> -> tensor<16x16xi32, #mma>
    %oy = arith.addi %r1, %k1 : tensor<16x16xi32, #mma>
    amdg.buffer_store %d, %y[%oy] : tensor<16x16xf32, #mma>
    tt.return
  }
}

//--- view.ttgir
#flat = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @view(%x: !tt.ptr<i32> loc("x"), %y: !tt.ptr<i16> loc("y"), %n: i32 loc("n")) {
    %o = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #flat>
    %v = amdg.buffer_load %x[%o] : tensor<2048xi32, #flat>
    %m = ttg.local_alloc %v : (tensor<2048xi32, #flat>) -> !ttg.memdesc<2048xi32, #shared, #smem, mutable>
    %p = ttg.memdesc_subslice %m[1024] : !ttg.memdesc<2048xi32, #shared, #smem, mutable> -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    %q = ttg.memdesc_subslice %m[1024] : !ttg.memdesc<2048xi32, #shared, #smem, mutable> -> !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048>
    %r = ttg.memdesc_reinterpret %q : !ttg.memdesc<1024xi32, #shared, #smem, mutable, 2048> -> !ttg.memdesc<2048xi16, #shared, #smem, mutable>
    %l = ttg.local_load %r : !ttg.memdesc<2048xi16, #shared, #smem, mutable> -> tensor<2048xi16, #flat>
    amdg.buffer_store %l, %y[%o] : tensor<2048xi16, #flat>
    tt.return
  }
}

//--- split.ttgir
#pairs = #ttg.linear<{register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [], block = []}>
#flat = #ttg.slice<{dim = 1, parent = #pairs}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @split(%x: !tt.ptr<i32> {tt.divisibility = 16 : i32} loc("x"), %y: !tt.ptr<i32> loc("y")) {
    %two = arith.constant dense<2> : tensor<64x1xi32, #pairs>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #flat>
    %ie = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32, #flat> -> tensor<64x1xi32, #pairs>
    %i2 = arith.muli %ie, %two : tensor<64x1xi32, #pairs>
    %rows = tt.broadcast %i2 : tensor<64x1xi32, #pairs> -> tensor<64x2xi32, #pairs>
    %j = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #pairs}>>
    %je = tt.expand_dims %j {axis = 0 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #pairs}>> -> tensor<1x2xi32, #pairs>
    %cols = tt.broadcast %je : tensor<1x2xi32, #pairs> -> tensor<64x2xi32, #pairs>
    %o = arith.addi %rows, %cols : tensor<64x2xi32, #pairs>
    %v = amdg.buffer_load %x[%o] : tensor<64x2xi32, #pairs>
    %l, %r = tt.split %v : tensor<64x2xi32, #pairs> -> tensor<64xi32, #flat>
    amdg.buffer_store %r, %y[%i] : tensor<64xi32, #flat>
    tt.return
  }
}

//--- several.ttgir
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @several(%n: i32) {
    %a = ttg.local_alloc : () -> !ttg.memdesc<4x64x32xi32, #shared, #smem, mutable>
    // Triton takes a part of one buffer only, too.
    %b = ttg.memdesc_subslice %a[2, 0, 0] : !ttg.memdesc<4x64x32xi32, #shared, #smem, mutable> -> !ttg.memdesc<2x64x32xi32, #shared, #smem, mutable, 4x64x32>
    tt.return
  }
}
