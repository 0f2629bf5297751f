// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=schedule_loops,pipeline_loops,canonicalize,cse --num-stages=2 \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=schedule_loops,pipeline_loops,canonicalize,cse --num-stages=3 \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefixes=CHECK,THREE
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=schedule_loops,pipeline_loops,canonicalize,cse --num-stages=1 \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefix=ONE

// ONE-NOT: ttg.local_

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#m = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [16, 16, 16], isTransposed = true}>
#a0 = #ttg.dot_op<{opIdx = 0, parent = #m, kWidth = 4}>
#a1 = #ttg.dot_op<{opIdx = 1, parent = #m, kWidth = 4}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// The first iteration's load is guarded by the trip count; in the loop, the next load comes before
// the dot and its store after; the last dot is guarded.
// CHECK-LABEL: @one_load
// TWO: %[[BUFFER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1x64x32xf16
// TWO: %[[ANY:.*]] = arith.cmpi sgt, %{{.*}}, %c0_i32
// TWO: %[[MASK:.*]] = tt.splat %[[ANY]]
// TWO: tt.load %{{.*}}, %[[MASK]]
// TWO: ttg.local_store
// TWO: scf.for %{{.*}} = %c1_i32 to
// TWO-NEXT: tt.load %{{[a-z0-9]*}} :
// TWO: ttg.local_load
// TWO: tt.dot
// TWO: ttg.local_store
// TWO: scf.yield
// TWO: scf.if %[[ANY]]
// TWO: ttg.local_load
// TWO: tt.dot
// TWO-NOT: ttg.local_load
// Two buffers, two iterations ahead, two iterations to finish.
// THREE: ttg.local_alloc : () -> !ttg.memdesc<2x64x32xf16
// THREE-COUNT-2: ttg.local_store
// THREE: scf.for %{{.*}} = %c2_i32 to
// THREE: tt.load
// THREE: ttg.local_load
// THREE: tt.dot
// THREE: ttg.local_store
// THREE: scf.yield
// THREE-COUNT-2: scf.if
tt.func public @one_load(%p: tensor<64x32x!tt.ptr<f16>, #b>, %y: tensor<32x64xf16, #a1>, %n: i32) -> tensor<64x64xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<64x32xi32, #b>
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %acc = %zero) -> (tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>) : i32 {
    %x = tt.load %q : tensor<64x32x!tt.ptr<f16>, #b>
    %x1 = ttg.convert_layout %x : tensor<64x32xf16, #b> -> tensor<64x32xf16, #a0>
    %d = tt.dot %x1, %y, %acc : tensor<64x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<64x64xf32, #m>
    %q1 = tt.addptr %q, %step : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x32xi32, #b>
    scf.yield %q1, %d : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>
  }
  tt.return %r#1 : tensor<64x64xf32, #m>
}

// The buffer may take all of LDS: the conversion that it replaces needs no scratch any more.
// CHECK-LABEL: @large_load
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<1x1024x32xf16
// CHECK: tt.return
tt.func public @large_load(%p: tensor<1024x32x!tt.ptr<f16>, #b>, %y: tensor<32x64xf16, #a1>, %n: i32) -> tensor<1024x64xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<1024x32xi32, #b>
  %zero = arith.constant dense<0.000000e+00> : tensor<1024x64xf32, #m>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %acc = %zero) -> (tensor<1024x32x!tt.ptr<f16>, #b>, tensor<1024x64xf32, #m>) : i32 {
    %x = tt.load %q : tensor<1024x32x!tt.ptr<f16>, #b>
    %x1 = ttg.convert_layout %x : tensor<1024x32xf16, #b> -> tensor<1024x32xf16, #a0>
    %d = tt.dot %x1, %y, %acc : tensor<1024x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<1024x64xf32, #m>
    %q1 = tt.addptr %q, %step : tensor<1024x32x!tt.ptr<f16>, #b>, tensor<1024x32xi32, #b>
    scf.yield %q1, %d : tensor<1024x32x!tt.ptr<f16>, #b>, tensor<1024x64xf32, #m>
  }
  tt.return %r#1 : tensor<1024x64xf32, #m>
}

// Constant bounds need no guards.
// CHECK-LABEL: @known_trip_count
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: tt.return
tt.func public @known_trip_count(%p: tensor<64x32x!tt.ptr<f16>, #b>, %y: tensor<32x64xf16, #a1>) -> tensor<64x64xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %step = arith.constant dense<32> : tensor<64x32xi32, #b>
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%q = %p, %acc = %zero) -> (tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>) : i32 {
    %x = tt.load %q : tensor<64x32x!tt.ptr<f16>, #b>
    %x1 = ttg.convert_layout %x : tensor<64x32xf16, #b> -> tensor<64x32xf16, #a0>
    %d = tt.dot %x1, %y, %acc : tensor<64x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<64x64xf32, #m>
    %q1 = tt.addptr %q, %step : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x32xi32, #b>
    scf.yield %q1, %d : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>
  }
  tt.return %r#1 : tensor<64x64xf32, #m>
}

// A transposed operand is transposed in LDS, where that costs nothing.
// CHECK-LABEL: @transposed
// CHECK: scf.for
// CHECK: ttg.local_load %{{.*}} -> tensor<32x64xf16, #ttg.dot_op
// CHECK-NOT: tt.trans
// CHECK: tt.return
tt.func public @transposed(%p: tensor<64x32x!tt.ptr<f16>, #b>, %y: tensor<64x32xf16, #a0>, %n: i32) -> tensor<64x64xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<64x32xi32, #b>
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %acc = %zero) -> (tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>) : i32 {
    %x = tt.load %q : tensor<64x32x!tt.ptr<f16>, #b>
    %t = tt.trans %x {order = array<i32: 1, 0>} : tensor<64x32xf16, #b> -> tensor<32x64xf16, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 16], warpsPerCTA = [1, 4], order = [0, 1]}>>
    %x1 = ttg.convert_layout %t : tensor<32x64xf16, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [4, 16], warpsPerCTA = [1, 4], order = [0, 1]}>> -> tensor<32x64xf16, #a1>
    %d = tt.dot %y, %x1, %acc : tensor<64x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<64x64xf32, #m>
    %q1 = tt.addptr %q, %step : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x32xi32, #b>
    scf.yield %q1, %d : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>
  }
  tt.return %r#1 : tensor<64x64xf32, #m>
}

// Arithmetic between load and dot: the value waits in registers, computed a step ahead of the dot, with
// an induction variable of its own.
// CHECK-LABEL: @in_registers
// CHECK-NOT: ttg.local_alloc
// TWO: %[[FIRST:.*]] = tt.load %{{.*}}, %{{.*}}
// TWO: %[[NEXT:.*]] = tt.load %{{.*}}, %{{.*}}
// TWO: %[[READY:.*]] = arith.mulf %[[FIRST]]
// TWO: scf.for {{.*}} = %[[NEXT]], %{{.*}} = %[[READY]], %[[OLD:.*]] = %c1_i32)
// TWO: tt.load
// TWO: tt.dot
// TWO: arith.sitofp %[[OLD]]
// TWO: arith.mulf
// TWO: arith.addi %[[OLD]], %c1_i32
// TWO: scf.yield
// TWO: scf.if
tt.func public @in_registers(%p: tensor<64x32x!tt.ptr<f16>, #b>, %y: tensor<32x64xf16, #a1>, %n: i32) -> tensor<64x64xf32, #m> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<64x32xi32, #b>
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %acc = %zero) -> (tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>) : i32 {
    %x = tt.load %q : tensor<64x32x!tt.ptr<f16>, #b>
    %f = arith.sitofp %i : i32 to f16
    %s = tt.splat %f : f16 -> tensor<64x32xf16, #b>
    %z = arith.mulf %x, %s : tensor<64x32xf16, #b>
    %x1 = ttg.convert_layout %z : tensor<64x32xf16, #b> -> tensor<64x32xf16, #a0>
    %d = tt.dot %x1, %y, %acc : tensor<64x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<64x64xf32, #m>
    %q1 = tt.addptr %q, %step : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x32xi32, #b>
    scf.yield %q1, %d : tensor<64x32x!tt.ptr<f16>, #b>, tensor<64x64xf32, #m>
  }
  tt.return %r#1 : tensor<64x64xf32, #m>
}

// A load that may read what the loop wrote stays behind the store.
// CHECK-LABEL: @stores
// CHECK-NOT: ttg.local_alloc
// CHECK: scf.for %{{.*}} = %c0_i32 to
// CHECK: tt.store
// CHECK: tt.return
tt.func public @stores(%p: tensor<64x32x!tt.ptr<f16>, #b>, %y: tensor<32x64xf16, #a1>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #m>
  scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32, #m> : i32 {
    %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #b>
    %x1 = ttg.convert_layout %x : tensor<64x32xf16, #b> -> tensor<64x32xf16, #a0>
    %d = tt.dot %x1, %y, %acc : tensor<64x32xf16, #a0> * tensor<32x64xf16, #a1> -> tensor<64x64xf32, #m>
    tt.store %p, %x : tensor<64x32x!tt.ptr<f16>, #b>
    scf.yield %d : tensor<64x64xf32, #m>
  }
  tt.return
}

// A loop without a dot, too.
// CHECK-LABEL: @no_dot
// CHECK: scf.for %{{.*}} = %c0_i32 to
// CHECK: tt.return
tt.func public @no_dot(%p: tensor<64x32x!tt.ptr<f32>, #b>, %n: i32) -> tensor<64x32xf32, #b> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<32> : tensor<64x32xi32, #b>
  %zero = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #b>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %p, %acc = %zero) -> (tensor<64x32x!tt.ptr<f32>, #b>, tensor<64x32xf32, #b>) : i32 {
    %x = tt.load %q : tensor<64x32x!tt.ptr<f32>, #b>
    %d = arith.addf %x, %acc : tensor<64x32xf32, #b>
    %q1 = tt.addptr %q, %step : tensor<64x32x!tt.ptr<f32>, #b>, tensor<64x32xi32, #b>
    scf.yield %q1, %d : tensor<64x32x!tt.ptr<f32>, #b>, tensor<64x32xf32, #b>
  }
  tt.return %r#1 : tensor<64x32xf32, #b>
}
}
