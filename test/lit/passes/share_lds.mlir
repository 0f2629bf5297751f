// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: split-file %s %t
// RUN: %kiln compile %t/loops.mlir --from=ttg --emit=ttg --passes=share_lds,allocate_lds --no-line-info -o %t/once.mlir \
// RUN:   && FileCheck %s < %t/once.mlir
// RUN: %kiln compile %t/once.mlir --from=ttg --emit=ttg --passes=share_lds,allocate_lds --no-line-info -o %t/twice.mlir \
// RUN:   && diff %t/once.mlir %t/twice.mlir

// A reduction moves behind the last read of a buffer, with what uses its result, where another
// workgroup fits then.
// CHECK-LABEL: @moved
// CHECK: scf.for
// CHECK: ttg.local_load
// CHECK: ttg.local_load
// CHECK-NEXT: "tt.reduce"
// CHECK: allocation.offset = 0 : i32
// CHECK-NEXT: arith.muli
// CHECK: ttg.local_store

// Its result is needed earlier: it stays.
// CHECK-LABEL: @needed
// CHECK: scf.for
// CHECK: ttg.local_load
// CHECK-NEXT: "tt.reduce"
// CHECK: allocation.offset = 32768 : i32
// CHECK: tt.store
// CHECK: ttg.local_load

// As many workgroups fit in any case, by their waves.
// CHECK-LABEL: @no_gain
// CHECK: scf.for
// CHECK: ttg.local_load
// CHECK-NEXT: "tt.reduce"

// A barrier of the program stays between the same operations.
// CHECK-LABEL: @ordered
// CHECK: scf.for
// CHECK: ttg.local_load
// CHECK-NEXT: "tt.reduce"

//--- loops.mlir
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#q = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @moved(%n: i32, %p: !tt.ptr<i32>, %x: tensor<1024xi32, #q>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<8192xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1x8192xi32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<1x8192xi32, #s, #smem, mutable> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    ttg.local_store %zero, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
      %first = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%e: i32, %f: i32):
        %g = arith.addi %e, %f : i32
        tt.reduce.return %g : i32
      }) : (tensor<1024xi32, #q>) -> i32
      %t = arith.muli %r, %r : i32
      %last = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %both = arith.addi %first, %last : tensor<8192xi32, #b>
      ttg.local_store %both, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
      %next = arith.addi %acc, %t : i32
      scf.yield %next : i32
    }
    tt.store %p, %sum : !tt.ptr<i32>
    tt.return
  }
  tt.func public @needed(%n: i32, %p: !tt.ptr<i32>, %x: tensor<1024xi32, #q>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<8192xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1x8192xi32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<1x8192xi32, #s, #smem, mutable> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    ttg.local_store %zero, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
      %first = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%e: i32, %f: i32):
        %g = arith.addi %e, %f : i32
        tt.reduce.return %g : i32
      }) : (tensor<1024xi32, #q>) -> i32
      %t = arith.muli %r, %r : i32
      tt.store %p, %t : !tt.ptr<i32>
      %last = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %both = arith.addi %first, %last : tensor<8192xi32, #b>
      ttg.local_store %both, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
      %next = arith.addi %acc, %t : i32
      scf.yield %next : i32
    }
    tt.store %p, %sum : !tt.ptr<i32>
    tt.return
  }
  tt.func public @no_gain(%n: i32, %p: !tt.ptr<i32>, %x: tensor<1024xi32, #q>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<512xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1x512xi32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<1x512xi32, #s, #smem, mutable> -> !ttg.memdesc<512xi32, #s, #smem, mutable>
    ttg.local_store %zero, %v : tensor<512xi32, #b> -> !ttg.memdesc<512xi32, #s, #smem, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
      %first = ttg.local_load %v : !ttg.memdesc<512xi32, #s, #smem, mutable> -> tensor<512xi32, #b>
      %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%e: i32, %f: i32):
        %g = arith.addi %e, %f : i32
        tt.reduce.return %g : i32
      }) : (tensor<1024xi32, #q>) -> i32
      %t = arith.muli %r, %r : i32
      %last = ttg.local_load %v : !ttg.memdesc<512xi32, #s, #smem, mutable> -> tensor<512xi32, #b>
      %both = arith.addi %first, %last : tensor<512xi32, #b>
      ttg.local_store %both, %v : tensor<512xi32, #b> -> !ttg.memdesc<512xi32, #s, #smem, mutable>
      %next = arith.addi %acc, %t : i32
      scf.yield %next : i32
    }
    tt.store %p, %sum : !tt.ptr<i32>
    tt.return
  }
  tt.func public @ordered(%n: i32, %p: !tt.ptr<i32>, %x: tensor<1024xi32, #q>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0> : tensor<8192xi32, #b>
    %m = ttg.local_alloc : () -> !ttg.memdesc<1x8192xi32, #s, #smem, mutable>
    %v = ttg.memdesc_index %m[%c0] : !ttg.memdesc<1x8192xi32, #s, #smem, mutable> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    ttg.local_store %zero, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c0) -> (i32) : i32 {
      %first = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
      ^bb0(%e: i32, %f: i32):
        %g = arith.addi %e, %f : i32
        tt.reduce.return %g : i32
      }) : (tensor<1024xi32, #q>) -> i32
      ttg.barrier local
      %last = ttg.local_load %v : !ttg.memdesc<8192xi32, #s, #smem, mutable> -> tensor<8192xi32, #b>
      %both = arith.addi %first, %last : tensor<8192xi32, #b>
      ttg.local_store %both, %v : tensor<8192xi32, #b> -> !ttg.memdesc<8192xi32, #s, #smem, mutable>
      %next = arith.addi %acc, %r : i32
      scf.yield %next : i32
    }
    tt.store %p, %sum : !tt.ptr<i32>
    tt.return
  }
}
