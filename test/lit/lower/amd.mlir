// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of ttg text of Triton's AMD passes on the simulator, with its checks on: buffer accesses
// and asynchronous copies, padded and linear layouts of LDS with slots and parts, parts of tensors,
// waves a barrier apart.
// RUN: split-file %s %t
// RUN: %kiln run --device=sim --check --cache-mode=off %t/buffer.ttgir n=100 'x=f32[256]:iota' 'y=f32[256]:fill:-1' \
// RUN:   'sum=i32[4]:fill:5' --print 'y[98:102]' --print 'y[255:256]' --print 'sum[0:4]' \
// RUN:   | FileCheck %s --check-prefix=BUFFER
// RUN: %kiln run --device=sim --check --cache-mode=off %t/lds.ttgir slot=1 'x=f32[64,64]:iota' 'y=f32[64,32]' \
// RUN:   --print 'y[0:1,0:3]' --print 'y[63:64,29:32]' | FileCheck %s --check-prefix=PADDED
// RUN: sed 's/#padded = .*/#padded = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 4], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}, alignment = 16>/' \
// RUN:   %t/lds.ttgir > %t/linear.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/linear.ttgir slot=1 'x=f32[64,64]:iota' 'y=f32[64,32]' \
// RUN:   --print 'y[0:1,0:3]' --print 'y[63:64,29:32]' | FileCheck %s --check-prefix=PADDED
// A part whose own offset the swizzle mixes with those of its elements.
// RUN: sed 's/#padded = .*/#padded = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>/' \
// RUN:   %t/lds.ttgir > %t/swizzled.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/swizzled.ttgir slot=1 'x=f32[64,64]:iota' 'y=f32[64,32]' \
// RUN:   --print 'y[0:1,0:3]' --print 'y[63:64,29:32]' | FileCheck %s --check-prefix=PADDED
// RUN: %kiln compile %t/lds.ttgir --emit=llvm --no-llvm-passes --no-line-info -o - | FileCheck %s --check-prefix=LDS
// RUN: %kiln run --device=sim --check --cache-mode=off %t/parts.ttgir 'x=f32[32,64]:iota' 'y=f32[32,64]' \
// RUN:   --print 'y[0:1,0:2]' --print 'y[16:17,0:2]' --print 'y[31:32,62:64]' | FileCheck %s --check-prefix=PARTS
// RUN: %kiln run --device=sim --check --cache-mode=off %t/mxfp.ttgir 'x=f32[32,64]:fill:3' 's=i8[32,2]:iota' \
// RUN:   'y=f32[32,64]' --print 'y[31:32,31:33]' --print 'y[30:31,0:1]' | FileCheck %s --check-prefix=MXFP
// RUN: %kiln run --device=sim --check --cache-mode=off %t/packed.ttgir 'x=i8[32,64]:iota' 's=i8[64,2]:iota' \
// RUN:   'y=f32[64,64]' --print 'y[0:1,31:33]' --print 'y[1:2,31:33]' --print 'y[63:64,31:33]' \
// RUN:   | FileCheck %s --check-prefix=PACKED
// RUN: %kiln run --device=sim --check --cache-mode=off %t/waves.ttgir 'x=f32[512]:iota' 'y=f32[512]' --print 'y[0:2]' \
// RUN:   --print 'y[510:512]' | FileCheck %s --check-prefix=WAVES
// The same twice in a loop, as persistent kernels have it: each iteration brings the waves together
// again.
// RUN: sed 's/^    %%v = amdg.buffer_load/    scf.for %%n = %%c0 to %%c256 step %%c128 : i32 {\n&/; \
// RUN:   s/^    %%c256 = .*/&\n    %%c128 = arith.constant 128 : i32/; s/^    tt.return/    }\n&/' \
// RUN:   %t/waves.ttgir > %t/persistent.ttgir
// RUN: %kiln run --device=sim --check --cache-mode=off %t/persistent.ttgir 'x=f32[512]:iota' 'y=f32[512]' \
// RUN:   --print 'y[0:2]' --print 'y[510:512]' | FileCheck %s --check-prefix=WAVES
// RUN: %kiln compile %t/waves.ttgir --emit=llvm --no-llvm-passes --no-line-info -o - | FileCheck %s --check-prefix=SKEW

// y = x + 1 below n, elsewhere 7 + 1; 0 where the mask has no other value; each thread of four adds
// its number to sum.
// BUFFER: y[98:102] =
// BUFFER-NEXT: {{^}}  99 100 8 8{{$}}
// BUFFER: y[255:256] =
// BUFFER-NEXT: {{^}}  8{{$}}
// BUFFER: sum[0:4] =
// BUFFER-NEXT: {{^}}  5 6 7 8{{$}}

// The right half of x, through the second of two buffers.
// PADDED: y[0:1,0:3] =
// PADDED-NEXT: {{^}}  32 33 34{{$}}
// PADDED: y[63:64,29:32] =
// PADDED-NEXT: {{^}}  4093 4094 4095{{$}}
// Two buffers of 64 × 64 numbers and a gap of 4 after each 64 of them. The kernel keeps its name,
// lds.
// LDS: @lds.1 = internal addrspace(3) global [34816 x i8] poison
// LDS: mul i32 %{{.*}}, 17408

// Lower and upper half of the rows exchanged.
// PARTS: y[0:1,0:2] =
// PARTS-NEXT: {{^}}  1024 1025{{$}}
// PARTS: y[16:17,0:2] =
// PARTS-NEXT: {{^}}  0 1{{$}}
// PARTS: y[31:32,62:64] =
// PARTS-NEXT: {{^}}  1022 1023{{$}}

// 3 times 2^(code − 127), one code for 32 elements: 64 + 2 · row + 0 or 1.
// MXFP: y[31:32,31:33] =
// MXFP-NEXT: {{^}}  1.5 3{{$}}
// MXFP: y[30:31,0:1] =
// MXFP-NEXT: {{^}}  0.375{{$}}

// Every wave reads what the other half of the waves has written, though they are a barrier apart.
// A right operand, whose scales are N × K/32: byte (r, n) is 64 r + n, the scale of column n's half
// h 2^(2 n + h − 63).
// PACKED: y[0:1,31:33] =
// PACKED-NEXT: {{^}}  -3 0{{$}}
// PACKED: y[1:2,31:33] =
// PACKED-NEXT: {{^}}  0.25 2{{$}}
// PACKED: y[63:64,31:33] =
// PACKED-NEXT: {{^}}  -3 -16{{$}}

// WAVES: y[0:2] =
// WAVES-NEXT: {{^}}  511 510{{$}}
// WAVES: y[510:512] =
// WAVES-NEXT: {{^}}  1 0{{$}}
// SKEW: wait:
// SKEW-NEXT: call void @llvm.amdgcn.s.barrier()
// SKEW: call void @llvm.amdgcn.s.setprio(i16 1)
// SKEW: fence syncscope("workgroup") release
// SKEW-NEXT: call void @llvm.amdgcn.s.waitcnt(
// SKEW-NEXT: call void @llvm.amdgcn.s.barrier()
// SKEW-NEXT: call void @llvm.amdgcn.s.barrier()
// SKEW-NEXT: fence syncscope("workgroup") acquire
// lgkmcnt(0), and no wait for the other counters
// SKEW: call void @llvm.amdgcn.s.waitcnt(i32 49279)

//--- buffer.ttgir
#blocked = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @buffer(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32} loc("x"), %y: !tt.ptr<f32> loc("y"), %sum: !tt.ptr<i32> {tt.pointer_range = 32 : i32} loc("sum"), %n: i32 loc("n")) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #blocked>
    %ns = tt.splat %n : i32 -> tensor<256xi32, #blocked>
    %below = arith.cmpi slt, %i, %ns : tensor<256xi32, #blocked>
    %seven = arith.constant dense<7.0> : tensor<256xf32, #blocked>
    %one = arith.constant dense<1.0> : tensor<256xf32, #blocked>
    %v = amdg.buffer_load %x[%i], %below, %seven cacheModifier = cg stride = %n {contiguity = 2 : i32} : tensor<256xf32, #blocked>
    %zeros = amdg.buffer_load %x[%i], %below : tensor<256xf32, #blocked>
    %least = arith.minnumf %v, %zeros : tensor<256xf32, #blocked>
    %all = arith.maxnumf %v, %least : tensor<256xf32, #blocked>
    %w = arith.addf %all, %one : tensor<256xf32, #blocked>
    amdg.buffer_store %w, %y[%i] : tensor<256xf32, #blocked>
    %four = arith.constant dense<4> : tensor<256xi32, #blocked>
    %first = arith.cmpi slt, %i, %four : tensor<256xi32, #blocked>
    %old = amdg.buffer_atomic_rmw add, relaxed, gpu, %i, %sum[%i], %first : tensor<256xi32, #blocked>
    tt.return
  }
}

//--- lds.ttgir
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#narrow = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#padded = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [64, 64]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @lds(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32} loc("x"), %y: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32} loc("y"), %slot: i32 loc("slot")) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %width = arith.constant dense<64> : tensor<64x1xi32, #blocked>
    %r3 = arith.muli %r2, %width : tensor<64x1xi32, #blocked>
    %r4 = tt.broadcast %r3 : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %c4 = tt.broadcast %c2 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %at = arith.addi %r4, %c4 : tensor<64x64xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>, #blocked>
    %ps = tt.addptr %xs, %at : tensor<64x64x!tt.ptr<f32>, #blocked>, tensor<64x64xi32, #blocked>
    %both = ttg.local_alloc : () -> !ttg.memdesc<2x64x64xf32, #padded, #smem, mutable>
    %b0 = ttg.memdesc_index %both[%c0] : !ttg.memdesc<2x64x64xf32, #padded, #smem, mutable> -> !ttg.memdesc<64x64xf32, #padded, #smem, mutable>
    %b1 = ttg.memdesc_index %both[%slot] : !ttg.memdesc<2x64x64xf32, #padded, #smem, mutable> -> !ttg.memdesc<64x64xf32, #padded, #smem, mutable>
    %t0 = ttg.async_copy_global_to_local %ps, %b1 {contiguity = 4 : i32} : tensor<64x64x!tt.ptr<f32>, #blocked> -> <64x64xf32, #padded, #smem, mutable>
    %g0 = ttg.async_commit_group tokens %t0
    // A second copy, of other data, goes to the first buffer while the loop carries the token of the first.
    %back = amdg.buffer_load_to_local %x[%c4] into %b0 : <f32>[tensor<64x64xi32, #blocked>]  -> <64x64xf32, #padded, #smem, mutable>
    %g1 = ttg.async_commit_group tokens %back
    %last, %done = scf.for %k = %c0 to %c1 step %c1 iter_args(%b = %b0, %t = %g0) -> (!ttg.memdesc<64x64xf32, #padded, #smem, mutable>, !ttg.async.token)  : i32 {
      %waited = ttg.async_wait %t {num = 1 : i32}
      scf.yield %b1, %waited : !ttg.memdesc<64x64xf32, #padded, #smem, mutable>, !ttg.async.token
    }
    %ready = amdg.async_wait %done, %g1 {num_inst = 0 : i32}
    %half = ttg.memdesc_subslice %b1[0, 32] : !ttg.memdesc<64x64xf32, #padded, #smem, mutable> -> !ttg.memdesc<64x32xf32, #padded, #smem, mutable, 64x64>
    %v = ttg.local_load %half token %ready : !ttg.memdesc<64x32xf32, #padded, #smem, mutable, 64x64> -> tensor<64x32xf32, #narrow>
    %whole = ttg.local_load %last token %ready : !ttg.memdesc<64x64xf32, #padded, #smem, mutable> -> tensor<64x64xf32, #blocked>
    ttg.local_dealloc %both : !ttg.memdesc<2x64x64xf32, #padded, #smem, mutable>
    %nr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #narrow}>>
    %nc = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #narrow}>>
    %nr2 = tt.expand_dims %nr {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #narrow}>> -> tensor<64x1xi32, #narrow>
    %nc2 = tt.expand_dims %nc {axis = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 0, parent = #narrow}>> -> tensor<1x32xi32, #narrow>
    %nw = arith.constant dense<32> : tensor<64x1xi32, #narrow>
    %nr3 = arith.muli %nr2, %nw : tensor<64x1xi32, #narrow>
    %nr4 = tt.broadcast %nr3 : tensor<64x1xi32, #narrow> -> tensor<64x32xi32, #narrow>
    %nc4 = tt.broadcast %nc2 : tensor<1x32xi32, #narrow> -> tensor<64x32xi32, #narrow>
    %nat = arith.addi %nr4, %nc4 : tensor<64x32xi32, #narrow>
    amdg.buffer_store %v, %y[%nat] : tensor<64x32xf32, #narrow>
    tt.return
  }
}

//--- parts.ttgir
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 64], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @parts(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<f32> loc("y")) {
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %c = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %width = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %r3 = arith.muli %r2, %width : tensor<32x1xi32, #blocked>
    %r4 = tt.broadcast %r3 : tensor<32x1xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %c4 = tt.broadcast %c2 : tensor<1x64xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %at = arith.addi %r4, %c4 : tensor<32x64xi32, #blocked>
    %v = amdg.buffer_load %x[%at] : tensor<32x64xf32, #blocked>
    %low = amdg.extract_slice %v [0, 0] : tensor<32x64xf32, #blocked> to tensor<16x64xf32, #blocked>
    %high = amdg.extract_slice %v [16, 0] : tensor<32x64xf32, #blocked> to tensor<16x64xf32, #blocked>
    %w = amdg.concat %high, %low : tensor<16x64xf32, #blocked>, tensor<16x64xf32, #blocked> -> tensor<32x64xf32, #blocked>
    amdg.buffer_store %w, %y[%at] : tensor<32x64xf32, #blocked>
    tt.return
  }
}

//--- mxfp.ttgir
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#few = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @mxfp(%x: !tt.ptr<f32> loc("x"), %s: !tt.ptr<i8> loc("s"), %y: !tt.ptr<f32> loc("y")) {
    %i = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32, #ttg.slice<{dim = 1, parent = #ttg.linear<{register = [[1, 0], [2, 0], [1024, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]], warp = [[256, 0], [512, 0]], block = []}>}>>
    %at = tt.reshape %i : tensor<2048xi32, #ttg.slice<{dim = 1, parent = #ttg.linear<{register = [[1, 0], [2, 0], [1024, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]], warp = [[256, 0], [512, 0]], block = []}>}>> -> tensor<32x64xi32, #blocked>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #few}>>
    %c = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #few}>>
    %r2 = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #few}>> -> tensor<32x1xi32, #few>
    %c2 = tt.expand_dims %c {axis = 0 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #few}>> -> tensor<1x2xi32, #few>
    %two = arith.constant dense<2> : tensor<32x1xi32, #few>
    %r3 = arith.muli %r2, %two : tensor<32x1xi32, #few>
    %r4 = tt.broadcast %r3 : tensor<32x1xi32, #few> -> tensor<32x2xi32, #few>
    %c4 = tt.broadcast %c2 : tensor<1x2xi32, #few> -> tensor<32x2xi32, #few>
    %sat = arith.addi %r4, %c4 : tensor<32x2xi32, #few>
    %code = amdg.buffer_load %s[%sat] : tensor<32x2xi8, #few>
    %base = arith.constant dense<64> : tensor<32x2xi8, #few>
    %scale = arith.addi %code, %base : tensor<32x2xi8, #few>
    %v = amdg.buffer_load %x[%at] : tensor<32x64xf32, #blocked>
    %b = arith.truncf %v : tensor<32x64xf32, #blocked> to tensor<32x64xbf16, #blocked>
    %w = amdg.upcast_mxfp %b, %scale fp_type = e4m3 {fastMath = false} : tensor<32x64xbf16, #blocked>, tensor<32x2xi8, #few> -> tensor<32x64xbf16, #blocked>
    %f = arith.extf %w : tensor<32x64xbf16, #blocked> to tensor<32x64xf32, #blocked>
    amdg.buffer_store %f, %y[%at] : tensor<32x64xf32, #blocked>
    tt.return
  }
}

//--- packed.ttgir
#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
#few = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 2], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
#bytes = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 4}>
#values = #ttg.dot_op<{opIdx = 1, parent = #mma, kWidth = 8}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @packed(%x: !tt.ptr<i8> loc("x"), %s: !tt.ptr<i8> loc("s"), %y: !tt.ptr<f32> loc("y")) {
    %xr = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %xc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %xr2 = tt.expand_dims %xr {axis = 1 : i32} : tensor<32xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<32x1xi32, #blocked>
    %xc2 = tt.expand_dims %xc {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %xn = arith.constant dense<64> : tensor<32x1xi32, #blocked>
    %xr3 = arith.muli %xr2, %xn : tensor<32x1xi32, #blocked>
    %xr4 = tt.broadcast %xr3 : tensor<32x1xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %xc4 = tt.broadcast %xc2 : tensor<1x64xi32, #blocked> -> tensor<32x64xi32, #blocked>
    %xat = arith.addi %xr4, %xc4 : tensor<32x64xi32, #blocked>
    %v = amdg.buffer_load %x[%xat] : tensor<32x64xi8, #blocked>
    %b = ttg.convert_layout %v : tensor<32x64xi8, #blocked> -> tensor<32x64xi8, #bytes>
    %sr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #few}>>
    %sc = tt.make_range {end = 2 : i32, start = 0 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #few}>>
    %sr2 = tt.expand_dims %sr {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #few}>> -> tensor<64x1xi32, #few>
    %sc2 = tt.expand_dims %sc {axis = 0 : i32} : tensor<2xi32, #ttg.slice<{dim = 0, parent = #few}>> -> tensor<1x2xi32, #few>
    %sn = arith.constant dense<2> : tensor<64x1xi32, #few>
    %sr3 = arith.muli %sr2, %sn : tensor<64x1xi32, #few>
    %sr4 = tt.broadcast %sr3 : tensor<64x1xi32, #few> -> tensor<64x2xi32, #few>
    %sc4 = tt.broadcast %sc2 : tensor<1x2xi32, #few> -> tensor<64x2xi32, #few>
    %sat = arith.addi %sr4, %sc4 : tensor<64x2xi32, #few>
    %code = amdg.buffer_load %s[%sat] : tensor<64x2xi8, #few>
    %base = arith.constant dense<64> : tensor<64x2xi8, #few>
    %scale = arith.addi %code, %base : tensor<64x2xi8, #few>
    %w = amdg.upcast_mxfp %b, %scale fp_type = e2m1 {fastMath = false} : tensor<32x64xi8, #bytes>, tensor<64x2xi8, #few> -> tensor<64x64xbf16, #values>
    %f = arith.extf %w : tensor<64x64xbf16, #values> to tensor<64x64xf32, #values>
    %g = ttg.convert_layout %f : tensor<64x64xf32, #values> -> tensor<64x64xf32, #blocked>
    %yr = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>
    %yc = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>>
    %yr2 = tt.expand_dims %yr {axis = 1 : i32} : tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>> -> tensor<64x1xi32, #blocked>
    %yc2 = tt.expand_dims %yc {axis = 0 : i32} : tensor<64xi32, #ttg.slice<{dim = 0, parent = #blocked}>> -> tensor<1x64xi32, #blocked>
    %yn = arith.constant dense<64> : tensor<64x1xi32, #blocked>
    %yr3 = arith.muli %yr2, %yn : tensor<64x1xi32, #blocked>
    %yr4 = tt.broadcast %yr3 : tensor<64x1xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %yc4 = tt.broadcast %yc2 : tensor<1x64xi32, #blocked> -> tensor<64x64xi32, #blocked>
    %yat = arith.addi %yr4, %yc4 : tensor<64x64xi32, #blocked>
    amdg.buffer_store %g, %y[%yat] : tensor<64x64xf32, #blocked>
    tt.return
  }
}

//--- waves.ttgir
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [8], order = [0]}>
#crossed = #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16], [32]], warp = [[256], [128], [64]], block = []}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @waves(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<f32> loc("y")) {
    %c0 = arith.constant 0 : i32
    %c256 = arith.constant 256 : i32
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #blocked>
    %last = arith.constant dense<511> : tensor<512xi32, #crossed>
    %buffer = ttg.local_alloc : () -> !ttg.memdesc<512xf32, #shared, #smem, mutable>
    %thread = rocdl.workitem.id.x : i32
    %group = arith.divsi %thread, %c256 : i32
    %early = arith.cmpi eq, %group, %c0 : i32
    %late = arith.cmpi ne, %group, %c0 : i32
    %v = amdg.buffer_load %x[%i] : tensor<512xf32, #blocked>
    amdg.cond_barrier %late
    rocdl.s.setprio 1
    rocdl.sched.barrier 0
    ttg.local_store %v, %buffer : tensor<512xf32, #blocked> -> !ttg.memdesc<512xf32, #shared, #smem, mutable>
    %b = ttg.memdesc_reinterpret %buffer : !ttg.memdesc<512xf32, #shared, #smem, mutable> -> !ttg.memdesc<512xi32, #shared, #smem, mutable>
    %bits = ttg.local_load %b : !ttg.memdesc<512xi32, #shared, #smem, mutable> -> tensor<512xi32, #crossed>
    %j = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #crossed>
    %back = arith.subi %last, %j : tensor<512xi32, #crossed>
    %f = tt.bitcast %bits : tensor<512xi32, #crossed> -> tensor<512xf32, #crossed>
    amdg.memory_counter_wait ds(0)
    rocdl.s.setprio 0
    amdg.cond_barrier %early
    amdg.instruction_sched_hint {variant = #amdg.SchedHintVariant<attention>}
    amdg.buffer_store %f, %y[%back] : tensor<512xf32, #crossed>
    tt.return
  }
}
