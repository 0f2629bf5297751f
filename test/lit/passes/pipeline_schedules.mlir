// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules as text: the result of each mechanism of pipeline_loops. test/unit/loop_schedule_test.c
// executes random ones.
//
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=pipeline_loops,canonicalize,cse --no-line-info -o - \
// RUN:   | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [2], order = [0]}>
#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
// CHECK-NOT: loop.stage
// CHECK-NOT: tt.scheduled_max_stage
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 2 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// Loads of two distances and a store after both: a queue of two values for the far one, none for
// the near one, which is loaded in the step in which it is used. Before the loop, loads are masked
// and nothing is stored; after it, stores are in branches.
// CHECK-LABEL: @distances
// CHECK: tt.load %arg0, %
// CHECK-NOT: tt.store
// CHECK: tt.load %arg0, %
// CHECK: tt.load %arg1, %
// CHECK: scf.for {{.*}} = %c2_i32 to %arg3 {{.*}} iter_args(%[[OLD:[a-z0-9]*]] = %{{.*}}, %[[FAR:[a-z0-9]*]] = %{{.*}}, %[[NEAR:[a-z0-9]*]] = %
// CHECK: %[[A:.*]] = tt.load %arg0 :
// CHECK: %[[B:.*]] = tt.load %arg1 :
// CHECK: arith.addf %[[OLD]], %[[NEAR]]
// CHECK: tt.store %arg2
// CHECK: scf.yield %[[FAR]], %[[A]], %[[B]]
// CHECK: scf.if
// CHECK: tt.store %arg2
// CHECK: scf.if
// CHECK: tt.store %arg2
// CHECK-NOT: tt.store
tt.func public @distances(%a: tensor<128x!tt.ptr<f32>, #b>, %c: tensor<128x!tt.ptr<f32>, #b>, %o: tensor<128x!tt.ptr<f32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %a {loop.stage = 0 : i32, loop.cluster = 0 : i32} : tensor<128x!tt.ptr<f32>, #b>
    %y = tt.load %c {loop.stage = 1 : i32, loop.cluster = 0 : i32} : tensor<128x!tt.ptr<f32>, #b>
    %z = arith.addf %x, %y {loop.stage = 2 : i32, loop.cluster = 0 : i32} : tensor<128xf32, #b>
    tt.store %o, %z {loop.stage = 2 : i32, loop.cluster = 0 : i32} : tensor<128x!tt.ptr<f32>, #b>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return
}

// A store of the first stage is masked before the loop.
// CHECK-LABEL: @store_ahead
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %arg2, %c0_i32
// CHECK: %[[MASK:.*]] = tt.splat %[[ANY]]
// CHECK: tt.store %arg0, %{{.*}}, %[[MASK]]
// CHECK: scf.for
// CHECK: tt.store %arg0, %{{[a-z0-9_]*}} :
tt.func public @store_ahead(%o: tensor<128x!tt.ptr<i32>, #b>, %u: tensor<128x!tt.ptr<i32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.splat %i {loop.stage = 0 : i32} : i32 -> tensor<128xi32, #b>
    tt.store %o, %x {loop.stage = 0 : i32} : tensor<128x!tt.ptr<i32>, #b>
    tt.store %u, %x {loop.stage = 1 : i32} : tensor<128x!tt.ptr<i32>, #b>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}

// A buffer that is written first in a step and read two stages later has three slots; written last,
// it would have two. Two commits follow the one waited for in the loop, one and none after the loop.
// CHECK-LABEL: @async
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<3x128xf32
// CHECK: ttg.async_copy_global_to_local %arg0, %{{.*}} mask
// CHECK: ttg.async_commit_group
// CHECK: ttg.async_copy_global_to_local %arg0, %{{.*}} mask
// CHECK: ttg.async_commit_group
// CHECK: scf.for
// CHECK: ttg.async_copy_global_to_local %arg0, %{{[a-z0-9_]*}} :
// CHECK: ttg.async_commit_group
// CHECK: ttg.async_wait {{.*}} {num = 2 : i32}
// CHECK: ttg.local_load {{.*}} token
// CHECK: scf.if
// CHECK: ttg.async_wait {{.*}} {num = 1 : i32}
// CHECK: scf.if
// CHECK: ttg.async_wait {{.*}} {num = 0 : i32}
tt.func public @async(%a: tensor<128x!tt.ptr<f32>, #b>, %o: tensor<128x!tt.ptr<f32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %buf = ttg.local_alloc {loop.stage = 0 : i32} : () -> !ttg.memdesc<128xf32, #s, #smem, mutable>
    %t = ttg.async_copy_global_to_local %a, %buf {loop.stage = 0 : i32} : tensor<128x!tt.ptr<f32>, #b> -> <128xf32, #s, #smem, mutable>
    %g = ttg.async_commit_group tokens %t {loop.stage = 0 : i32}
    %w = ttg.async_wait %g {loop.stage = 2 : i32, num = 0 : i32}
    %x = ttg.local_load %buf token %w {loop.stage = 2 : i32} : !ttg.memdesc<128xf32, #s, #smem, mutable> -> tensor<128xf32, #b>
    tt.store %o, %x {loop.stage = 2 : i32} : tensor<128x!tt.ptr<f32>, #b>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return
}

// A loop in the body is one operation; one with a schedule of its own is expanded first. The outer
// loop is left as a loop.
// CHECK-LABEL: @nested
// CHECK: scf.for %{{.*}} = %c0_i32 to %arg2
// CHECK: tt.load %arg0, %
// CHECK: scf.for %{{.*}} = %c1_i32 to %arg2
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: tt.load %arg0 :
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0_i32 to %c4_i32
// CHECK: tt.return
tt.func public @nested(%a: tensor<128x!tt.ptr<f32>, #b>, %zero: tensor<128xf32, #b>, %n: i32) -> tensor<128xf32, #b> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %zero) -> (tensor<128xf32, #b>) : i32 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %outer) -> (tensor<128xf32, #b>) : i32 {
      %x = tt.load %a {loop.stage = 0 : i32, loop.cluster = 1 : i32} : tensor<128x!tt.ptr<f32>, #b>
      %y = scf.for %k = %c0 to %c4 step %c1 iter_args(%v = %acc) -> (tensor<128xf32, #b>) : i32 {
        %w = arith.addf %v, %x : tensor<128xf32, #b>
        scf.yield %w : tensor<128xf32, #b>
      } {loop.stage = 1 : i32, loop.cluster = 0 : i32}
      scf.yield %y : tensor<128xf32, #b>
    } {tt.scheduled_max_stage = 1 : i32}
    scf.yield %s : tensor<128xf32, #b>
  }
  tt.return %r : tensor<128xf32, #b>
}

// What a loop carries around may be made one stage later than it is used, if it comes first in the
// step: as Triton's own schedules have it. Operations without effect and stage go where their
// operands are there.
// CHECK-LABEL: @carried_back
// CHECK: scf.for
// CHECK-NEXT: tt.addptr
// CHECK-NEXT: tt.load
// CHECK: tt.return
tt.func public @carried_back(%a: tensor<128x!tt.ptr<f32>, #b>, %o: tensor<128x!tt.ptr<f32>, #b>, %step: tensor<128xi32, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> (tensor<128x!tt.ptr<f32>, #b>) : i32 {
    %x = tt.load %p {loop.stage = 0 : i32, loop.cluster = 2 : i32} : tensor<128x!tt.ptr<f32>, #b>
    %y = arith.addf %x, %x : tensor<128xf32, #b>
    tt.store %o, %y {loop.stage = 1 : i32, loop.cluster = 3 : i32} : tensor<128x!tt.ptr<f32>, #b>
    %q = tt.addptr %p, %step {loop.stage = 1 : i32, loop.cluster = 1 : i32} : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
    scf.yield %q : tensor<128x!tt.ptr<f32>, #b>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}
}
