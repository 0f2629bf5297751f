// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four barriers of some waves, none with an opposite condition: waves may be four apart. If a
// condition is the same in all waves, none.
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=allocate_lds,place_barriers --no-line-info -o - | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#w = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @others
// CHECK: ttg.local_store
// CHECK-NEXT: ttg.barrier local {kiln.rounds = 5 : i32}
// CHECK-NEXT: ttg.local_load
tt.func public @others(%p: !tt.ptr<i32>, %w: i32, %x0: i32, %y: i32) {
  %id = rocdl.workitem.id.x : i32
  %a = arith.cmpi slt, %id, %w : i32
  %b = arith.cmpi slt, %id, %x0 : i32
  %c = arith.cmpi slt, %id, %y : i32
  %v = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %d = arith.cmpi eq, %v, %w : i32
  %x = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #w>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
  amdg.cond_barrier %a
  amdg.cond_barrier %b
  ttg.local_store %x, %m : tensor<1024xi32, #w> -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
  %l = ttg.local_load %m : !ttg.memdesc<1024xi32, #s, #smem, mutable> -> tensor<1024xi32, #b>
  amdg.cond_barrier %c
  amdg.cond_barrier %d
  tt.return
}
}
