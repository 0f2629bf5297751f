// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=schedule_steps,expand_steps --no-line-info -o %t.once.mlir \
// RUN:   && FileCheck %s < %t.once.mlir
// The passes change nothing in their own output, with barriers or without.
// RUN: %kiln compile %t.once.mlir --from=ttg --emit=ttg --passes=schedule_steps,expand_steps --no-line-info \
// RUN:   -o %t.twice.mlir && diff %t.once.mlir %t.twice.mlir
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=schedule_steps,expand_steps,allocate_lds,place_barriers \
// RUN:   --no-line-info -o %t.all.mlir && FileCheck %s --check-prefix=ALL < %t.all.mlir
// RUN: %kiln compile %t.all.mlir --from=ttg --emit=ttg --passes=schedule_steps,expand_steps,allocate_lds,place_barriers \
// RUN:   --no-line-info -o %t.again.mlir && diff %t.all.mlir %t.again.mlir
// It may be switched off.
// RUN: %kiln compile %s --kernel=f --emit=llvm --no-llvm-passes --disable-pass=schedule_steps -o - \
// RUN:   | FileCheck %s --check-prefix=OFF

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
// Stores outside of loops, and in a branch within one, stay as they are.
// CHECK-LABEL: @f
// CHECK-NOT: sched
// CHECK: scf.for
// CHECK: rocdl.sched.barrier 0
// CHECK-NEXT: ttg.local_store
// CHECK-NOT: sched
// CHECK: tt.return
// ALL: scf.for
// ALL: rocdl.sched.barrier 0
// ALL-NEXT: ttg.barrier local
// ALL-NEXT: ttg.local_store
// OFF-NOT: sched.barrier
tt.func public @f(%n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %m = ttg.local_alloc : () -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  ttg.local_store %x, %m : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<256xi32, #b>) : i32 {
    %l = ttg.local_load %m : !ttg.memdesc<256xi32, #s, #smem, mutable> -> tensor<256xi32, #b>
    ttg.local_store %v, %m : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
    scf.if %c {
      ttg.local_store %x, %m : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
    }
    scf.yield %l : tensor<256xi32, #b>
  }
  tt.return
}

// One point for stores next to each other: what is stored to two buffers may share an instruction.
// CHECK-LABEL: @two
// CHECK: scf.for
// CHECK: rocdl.sched.barrier 0
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: ttg.memdesc_index
// CHECK-NEXT: ttg.local_store
// CHECK: rocdl.sched.barrier 0
// CHECK-NEXT: ttg.local_store
// CHECK-NOT: sched
// CHECK: tt.return
tt.func public @two(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %m = ttg.local_alloc : () -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  %k = ttg.local_alloc : () -> !ttg.memdesc<2x256xi32, #s, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %l = ttg.local_load %m : !ttg.memdesc<256xi32, #s, #smem, mutable> -> tensor<256xi32, #b>
    ttg.local_store %x, %m : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
    %s = ttg.memdesc_index %k[%c1] : !ttg.memdesc<2x256xi32, #s, #smem, mutable> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
    ttg.local_store %l, %s : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
    %y = arith.addi %l, %x : tensor<256xi32, #b>
    ttg.local_store %y, %s : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  }
  tt.return
}

// Loops in each other, both with stores.
// CHECK-LABEL: @nested
// CHECK: scf.for
// CHECK: scf.for
// CHECK: rocdl.sched.barrier 0
// CHECK-NEXT: ttg.local_store
// CHECK: rocdl.sched.barrier 0
// CHECK-NEXT: ttg.local_store
// CHECK-NOT: loop.
// CHECK: tt.return
tt.func public @nested(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32, #b>
  %m = ttg.local_alloc : () -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %l = ttg.local_load %m : !ttg.memdesc<256xi32, #s, #smem, mutable> -> tensor<256xi32, #b>
      %y = arith.addi %l, %x : tensor<256xi32, #b>
      ttg.local_store %y, %m : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
    }
    %z = arith.muli %x, %x : tensor<256xi32, #b>
    ttg.local_store %z, %m : tensor<256xi32, #b> -> !ttg.memdesc<256xi32, #s, #smem, mutable>
  }
  tt.return
}
}
