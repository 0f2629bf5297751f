// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If waves are a barrier apart, two barriers of the program order accesses, also around a loop, and
// one does not: there a barrier is inserted that is executed twice. Waves that are brought together
// and apart again are not farther apart than once; the conditions of the waits show that.
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=allocate_lds,place_barriers --no-line-info -o - | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#w = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @apart
// CHECK: amdg.cond_barrier
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: ttg.barrier local{{$}}
// CHECK-NEXT: ttg.barrier local{{$}}
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: ttg.barrier local{{$}}
// CHECK-NEXT: ttg.barrier local {kiln.rounds = 2 : i32}
// CHECK-NEXT: ttg.local_store
// CHECK-NEXT: ttg.barrier local {kiln.rounds = 2 : i32}
// CHECK-NEXT: ttg.local_load
// CHECK-NEXT: amdg.cond_barrier
tt.func public @apart(%half: i32) {
  %id = rocdl.workitem.id.x : i32
  %x = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #w>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
  %second = arith.cmpi sge, %id, %half : i32
  %first = arith.cmpi slt, %id, %half : i32
  amdg.cond_barrier %second
  ttg.local_store %x, %m : tensor<1024xi32, #w> -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
  ttg.barrier local
  ttg.barrier local
  %l = ttg.local_load %m : !ttg.memdesc<1024xi32, #s, #smem, mutable> -> tensor<1024xi32, #b>
  ttg.barrier local
  ttg.local_store %x, %m : tensor<1024xi32, #w> -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
  ttg.barrier local {kiln.rounds = 2 : i32}
  %k = ttg.local_load %m : !ttg.memdesc<1024xi32, #s, #smem, mutable> -> tensor<1024xi32, #b>
  amdg.cond_barrier %first
  tt.return
}

// What the loop stores last is read in its next iteration, one barrier later in @short, two in
// @long.
// CHECK-LABEL: @short
// CHECK: scf.for
// CHECK-NEXT: ttg.barrier local {kiln.rounds = 2 : i32}
// CHECK-NEXT: ttg.local_load
tt.func public @short(%half: i32, %n: i32) {
  %id = rocdl.workitem.id.x : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #w>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
  %second = arith.cmpi sge, %id, %half : i32
  %first = arith.cmpi slt, %id, %half : i32
  amdg.cond_barrier %second
  scf.for %i = %c0 to %n step %c1 : i32 {
    %l = ttg.local_load %m : !ttg.memdesc<1024xi32, #s, #smem, mutable> -> tensor<1024xi32, #b>
    ttg.barrier local
    ttg.barrier local
    ttg.local_store %x, %m : tensor<1024xi32, #w> -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
    ttg.barrier local
  }
  amdg.cond_barrier %first
  tt.return
}

// CHECK-LABEL: @long
// CHECK-NOT: kiln.rounds
// CHECK: tt.return
tt.func public @long(%half: i32, %n: i32) {
  %id = rocdl.workitem.id.x : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #w>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
  %second = arith.cmpi sge, %id, %half : i32
  %first = arith.cmpi slt, %id, %half : i32
  amdg.cond_barrier %second
  scf.for %i = %c0 to %n step %c1 : i32 {
    %l = ttg.local_load %m : !ttg.memdesc<1024xi32, #s, #smem, mutable> -> tensor<1024xi32, #b>
    ttg.barrier local
    ttg.barrier local
    ttg.local_store %x, %m : tensor<1024xi32, #w> -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
    ttg.barrier local
    ttg.barrier local
  }
  amdg.cond_barrier %first
  tt.return
}

// CHECK-LABEL: @again
// CHECK: ttg.local_store
// CHECK-NEXT: ttg.barrier local {kiln.rounds = 2 : i32}
// CHECK-NEXT: ttg.local_load
tt.func public @again(%half: i32) {
  %id = rocdl.workitem.id.x : i32
  %x = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #w>
  %m = ttg.local_alloc : () -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
  %second = arith.cmpi sge, %id, %half : i32
  %first = arith.cmpi slt, %id, %half : i32
  amdg.cond_barrier %second
  amdg.cond_barrier %first
  amdg.cond_barrier %second
  ttg.local_store %x, %m : tensor<1024xi32, #w> -> !ttg.memdesc<1024xi32, #s, #smem, mutable>
  %l = ttg.local_load %m : !ttg.memdesc<1024xi32, #s, #smem, mutable> -> tensor<1024xi32, #b>
  amdg.cond_barrier %first
  tt.return
}
}
