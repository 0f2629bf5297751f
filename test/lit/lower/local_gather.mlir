// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ttg.local_gather, as Triton 3.7 and later print it: elements of a buffer by indices along one
// axis, for every layout of the buffer: rows or columns together, swizzled, with gaps, a part of a
// larger one.
// RUN: split-file %s %t
// RUN: %kiln run --device=sim --check --cache-mode=off %t/rows.ttgir 'x=i32[64,32]:iota' 'y=i32[16,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[15:16,30:32]' | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/#shared = .*/#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>/' \
// RUN:   %t/rows.ttgir > %t/swizzled.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/swizzled.ttgir 'x=i32[64,32]:iota' 'y=i32[16,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[15:16,30:32]' | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/#shared = .*/#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>/' \
// RUN:   %t/rows.ttgir > %t/column.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/column.ttgir 'x=i32[64,32]:iota' 'y=i32[16,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[15:16,30:32]' | FileCheck %s --check-prefix=ROWS
// RUN: sed 's/#shared = .*/#shared = #ttg.padded_shared<[64:+4, 256:+8] {order = [1, 0], shape = [64, 32]}>/' \
// RUN:   %t/rows.ttgir > %t/padded.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/padded.ttgir 'x=i32[64,32]:iota' 'y=i32[16,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[15:16,30:32]' | FileCheck %s --check-prefix=ROWS
// RUN: %kiln run --device=sim --check --cache-mode=off %t/part.ttgir 'x=f16[64,32]:iota' 'y=f16[32,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[31:32,30:32]' | FileCheck %s --check-prefix=PART
// RUN: sed 's/#shared = .*/#shared = #ttg.swizzled_shared<{vec = 2, perPhase = 2, maxPhase = 4, order = [1, 0]}>/' \
// RUN:   %t/part.ttgir > %t/swizzled_part.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/swizzled_part.ttgir 'x=f16[64,32]:iota' 'y=f16[32,32]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[31:32,30:32]' | FileCheck %s --check-prefix=PART
// RUN: not kiln compile %t/shape.ttgir -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHAPE

// Row 63 − 3·i for each i.
// ROWS: {{^}}  2016 2017{{$}}
// ROWS: {{^}}  606 607{{$}}
// Of the lower half, column 31 − c.
// PART: {{^}}  1055 1054{{$}}
// PART: {{^}}  2017 2016{{$}}
// SHAPE: error: 'ttg.local_gather' op indices exceed dimension 1 of the memory

//--- rows.ttgir
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @rows(%x: !tt.ptr<i32> loc("x"), %y: !tt.ptr<i32> loc("y")) {
    %length = arith.constant dense<32> : tensor<64x1xi32, #b>
    %length16 = arith.constant dense<32> : tensor<16x1xi32, #b>
    %last = arith.constant dense<63> : tensor<16x32xi32, #b>
    %three = arith.constant dense<3> : tensor<16x32xi32, #b>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %r16 = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
    %rows16 = tt.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<16x1xi32, #b>
    %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #b>
    %begins = arith.muli %rows, %length : tensor<64x1xi32, #b>
    %begins16 = arith.muli %rows16, %length16 : tensor<16x1xi32, #b>
    %a = tt.broadcast %begins : tensor<64x1xi32, #b> -> tensor<64x32xi32, #b>
    %b = tt.broadcast %columns : tensor<1x32xi32, #b> -> tensor<64x32xi32, #b>
    %at = arith.addi %a, %b : tensor<64x32xi32, #b>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x32x!tt.ptr<i32>, #b>
    %p = tt.addptr %xs, %at : tensor<64x32x!tt.ptr<i32>, #b>, tensor<64x32xi32, #b>
    %v = tt.load %p : tensor<64x32x!tt.ptr<i32>, #b>
    %buffer = ttg.local_alloc %v : (tensor<64x32xi32, #b>) -> !ttg.memdesc<64x32xi32, #shared, #smem>
    %i16 = tt.broadcast %rows16 : tensor<16x1xi32, #b> -> tensor<16x32xi32, #b>
    %down = arith.muli %i16, %three : tensor<16x32xi32, #b>
    %index = arith.subi %last, %down : tensor<16x32xi32, #b>
    %g = ttg.local_gather %buffer[%index] {axis = 0 : i32} : !ttg.memdesc<64x32xi32, #shared, #smem>, tensor<16x32xi32, #b> -> tensor<16x32xi32, #b>
    %a16 = tt.broadcast %begins16 : tensor<16x1xi32, #b> -> tensor<16x32xi32, #b>
    %b16 = tt.broadcast %columns : tensor<1x32xi32, #b> -> tensor<16x32xi32, #b>
    %at16 = arith.addi %a16, %b16 : tensor<16x32xi32, #b>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>, #b>
    %q = tt.addptr %ys, %at16 : tensor<16x32x!tt.ptr<i32>, #b>, tensor<16x32xi32, #b>
    tt.store %q, %g : tensor<16x32x!tt.ptr<i32>, #b>
    tt.return
  }
}
//--- part.ttgir
#b = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @part(%x: !tt.ptr<f16> loc("x"), %y: !tt.ptr<f16> loc("y")) {
    %length = arith.constant dense<32> : tensor<64x1xi32, #b>
    %length32 = arith.constant dense<32> : tensor<32x1xi32, #b>
    %last = arith.constant dense<31> : tensor<32x32xi16, #b>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %r32 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>>
    %c = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>>
    %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<64x1xi32, #b>
    %rows32 = tt.expand_dims %r32 {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #b}>> -> tensor<32x1xi32, #b>
    %columns = tt.expand_dims %c {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #b}>> -> tensor<1x32xi32, #b>
    %begins = arith.muli %rows, %length : tensor<64x1xi32, #b>
    %begins32 = arith.muli %rows32, %length32 : tensor<32x1xi32, #b>
    %a = tt.broadcast %begins : tensor<64x1xi32, #b> -> tensor<64x32xi32, #b>
    %b = tt.broadcast %columns : tensor<1x32xi32, #b> -> tensor<64x32xi32, #b>
    %at = arith.addi %a, %b : tensor<64x32xi32, #b>
    %xs = tt.splat %x : !tt.ptr<f16> -> tensor<64x32x!tt.ptr<f16>, #b>
    %p = tt.addptr %xs, %at : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x32xi32, #b>
    %v = tt.load %p : tensor<64x32x!tt.ptr<f16>, #b>
    %buffer = ttg.local_alloc %v : (tensor<64x32xf16, #b>) -> !ttg.memdesc<64x32xf16, #shared, #smem, mutable>
    %lower = ttg.memdesc_subslice %buffer[32, 0] : !ttg.memdesc<64x32xf16, #shared, #smem, mutable> -> !ttg.memdesc<32x32xf16, #shared, #smem, mutable, 64x32>
    %c32 = tt.broadcast %columns : tensor<1x32xi32, #b> -> tensor<32x32xi32, #b>
    %c16 = arith.trunci %c32 : tensor<32x32xi32, #b> to tensor<32x32xi16, #b>
    %index = arith.subi %last, %c16 : tensor<32x32xi16, #b>
    %g = ttg.local_gather %lower[%index] {axis = 1 : i32} : !ttg.memdesc<32x32xf16, #shared, #smem, mutable, 64x32>, tensor<32x32xi16, #b> -> tensor<32x32xf16, #b>
    %a32 = tt.broadcast %begins32 : tensor<32x1xi32, #b> -> tensor<32x32xi32, #b>
    %at32 = arith.addi %a32, %c32 : tensor<32x32xi32, #b>
    %ys = tt.splat %y : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>, #b>
    %q = tt.addptr %ys, %at32 : tensor<32x32x!tt.ptr<f16>, #b>, tensor<32x32xi32, #b>
    tt.store %q, %g : tensor<32x32x!tt.ptr<f16>, #b>
    tt.return
  }
}
//--- shape.ttgir
#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @shape(%index: tensor<16x64xi32, #b>, %v: tensor<64x32xi32, #b>) {
    %buffer = ttg.local_alloc %v : (tensor<64x32xi32, #b>) -> !ttg.memdesc<64x32xi32, #shared, #smem>
    %g = ttg.local_gather %buffer[%index] {axis = 0 : i32} : !ttg.memdesc<64x32xi32, #shared, #smem>, tensor<16x64xi32, #b> -> tensor<16x64xi32, #b>
    tt.return
  }
}
