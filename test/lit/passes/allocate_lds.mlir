// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: split-file %s %t
// RUN: %kiln compile %t/places.mlir --from=ttg --emit=ttg --passes=allocate_lds --no-line-info -o %t/once.mlir \
// RUN:   && FileCheck %s < %t/once.mlir
// RUN: %kiln compile %t/once.mlir --from=ttg --emit=ttg --passes=allocate_lds --no-line-info -o %t/twice.mlir \
// RUN:   && diff %t/once.mlir %t/twice.mlir
// RUN: %kiln compile %t/dead.mlir --from=ttg --emit=ttg --passes=allocate_lds --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=DEAD
// RUN: not %kiln compile %t/large.mlir --from=ttg --emit=ttg --passes=allocate_lds -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LARGE
// RUN: not %kiln compile %t/places.mlir --from=ttg --disable-pass=allocate_lds -o %t/no.hsaco 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NEEDED
// RUN: %kiln compile %t/places.mlir --from=ttg --kernel=f --emit=llvm --no-llvm-passes -o - \
// RUN:   | FileCheck %s --check-prefix=LLVM

// Buffers that are live at the same time do not overlap; a later one reuses the place of one that
// is dead. Operations that need no LDS get no attribute, and lose one that they had. A callee's LDS
// is after its caller's.
// CHECK: ttg.shared = 2048 : i32
// CHECK-LABEL: @f
// CHECK: ttg.local_alloc %{{.*}} {allocation.offset = 0 : i32}
// CHECK: tt.call @g({{.*}}allocation.offset = 1024 : i32
// CHECK: ttg.local_load
// CHECK-NOT: allocation.offset
// CHECK: arith.addi
// CHECK-NOT: allocation.offset
// CHECK: ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32}
// CHECK-LABEL: func private @g
// CHECK: ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32}
// LLVM: addrspace(3) global [2048 x i8]
// LARGE: large.mlir:6:{{[0-9]+}}: error: function 'f' needs 131072 bytes of LDS, 131072 of them here, but the limit is 65536 per workgroup
// NEEDED: pass 'allocate_lds' is required and cannot be disabled

// Between the last read of a buffer and the store that overwrites all of it, scratch has its bytes
// if that makes room for another workgroup. In the first loop the contents are read after the
// conversion, the second one's store leaves half of them, and the fourth loop's read is in a branch.
// In the last function a compute unit has room for as many waves in any case.
// DEAD-LABEL: @read_later
// DEAD: ttg.convert_layout %{{.*}} {allocation.offset = 32768 : i32}
// DEAD-LABEL: @half
// DEAD: ttg.convert_layout %{{.*}} {allocation.offset = 32768 : i32}
// DEAD-LABEL: @shared
// DEAD: ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32}
// DEAD-LABEL: @branch
// DEAD: ttg.convert_layout %{{.*}} {allocation.offset = 32768 : i32}
// DEAD-LABEL: @no_gain
// DEAD: ttg.local_alloc {allocation.offset = 4096 : i32}
// DEAD: ttg.convert_layout %{{.*}} {allocation.offset = 0 : i32}

//--- places.mlir
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#r = #ttg.linear<{register = [], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2]], block = []}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @f(%p: !tt.ptr<i32>) {
    %x = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
    %m = ttg.local_alloc %x : (tensor<256xi32, #b>) -> !ttg.memdesc<256xi32, #s, #smem, mutable>
    %y = tt.call @g(%x) : (tensor<256xi32, #b>) -> tensor<256xi32, #r>
    %l = ttg.local_load %m : !ttg.memdesc<256xi32, #s, #smem, mutable> -> tensor<256xi32, #b>
    %sum = arith.addi %l, %x {allocation.offset = 64 : i32} : tensor<256xi32, #b>
    %z = ttg.convert_layout %sum {allocation.offset = 4096 : i32} : tensor<256xi32, #b> -> tensor<256xi32, #r>
    tt.return
  }
  tt.func private @g(%x: tensor<256xi32, #b>) -> tensor<256xi32, #r> attributes {noinline = true} {
    %z = ttg.convert_layout %x : tensor<256xi32, #b> -> tensor<256xi32, #r>
    tt.return %z : tensor<256xi32, #r>
  }
}

//--- large.mlir
#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @f() {
    %m = ttg.local_alloc : () -> !ttg.memdesc<32768xi32, #s, #smem, mutable>
    tt.return
  }
}

//--- dead.mlir
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#r = #ttg.linear<{register = [[256], [512]], lane = [[4], [8], [16], [32], [64], [128]], warp = [[1], [2]], block = []}>
#q = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @read_later(%n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<8192xi32, #b>
    %none = arith.constant dense<0> : tensor<1024xi32, #q>
    %half = arith.constant dense<0> : tensor<4096xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1x8192xi32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<1x8192xi32, #s, #smem, mutable> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    ttg.local_store %zero, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %l0 = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %y = ttg.convert_layout %none : tensor<1024xi32, #q> -> tensor<1024xi32, #r>
      %l1 = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      ttg.local_store %l0, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    }
    tt.return
  }
  tt.func public @half(%n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<8192xi32, #b>
    %none = arith.constant dense<0> : tensor<1024xi32, #q>
    %half = arith.constant dense<0> : tensor<4096xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1x8192xi32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<1x8192xi32, #s, #smem, mutable> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    ttg.local_store %zero, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %l0 = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %y = ttg.convert_layout %none : tensor<1024xi32, #q> -> tensor<1024xi32, #r>
      %h = ttg.memdesc_subslice %v[0] : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> !ttg.memdesc<4096xi32, #s, #smem, mutable, 8192>
      ttg.local_store %half, %h : tensor<4096xi32, #b> -> !ttg.memdesc<4096xi32, #s, #smem, mutable, 8192>
    }
    tt.return
  }
  tt.func public @shared(%n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<8192xi32, #b>
    %none = arith.constant dense<0> : tensor<1024xi32, #q>
    %half = arith.constant dense<0> : tensor<4096xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1x8192xi32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<1x8192xi32, #s, #smem, mutable> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    ttg.local_store %zero, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %l0 = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %y = ttg.convert_layout %none : tensor<1024xi32, #q> -> tensor<1024xi32, #r>
      ttg.local_store %l0, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    }
    tt.return
  }
  tt.func public @branch(%n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<8192xi32, #b>
    %none = arith.constant dense<0> : tensor<1024xi32, #q>
    %half = arith.constant dense<0> : tensor<4096xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1x8192xi32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<1x8192xi32, #s, #smem, mutable> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    ttg.local_store %zero, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %l0 = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %y = ttg.convert_layout %none : tensor<1024xi32, #q> -> tensor<1024xi32, #r>
      scf.if %c {
        %l1 = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      }
      ttg.local_store %l0, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    }
    tt.return
  }
  tt.func public @no_gain(%n: i32, %c: i1) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<512xi32, #b>
    %none = arith.constant dense<0> : tensor<1024xi32, #q>
    %half = arith.constant dense<0> : tensor<256xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1x512xi32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<1x512xi32, #s, #smem, mutable> -> !ttg.memdesc<512xi32, #s, #smem, mutable>
    ttg.local_store %zero, %v : tensor<512xi32, #b> -> !ttg.memdesc<512xi32, #s, #smem, mutable>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %l0 = ttg.local_load %v : !ttg.memdesc<512xi32, #s, #smem, mutable> -> tensor<512xi32, #b>
      %y = ttg.convert_layout %none : tensor<1024xi32, #q> -> tensor<1024xi32, #r>
      ttg.local_store %l0, %v : tensor<512xi32, #b> -> !ttg.memdesc<512xi32, #s, #smem, mutable>
    }
    tt.return
  }
}
