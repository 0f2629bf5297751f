// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops are rotated. Pointers that advance by the same amount everywhere are carried as one scalar,
// accumulators of matrix instructions as vectors, 16-bit elements packed, and values that a loop
// returns unchanged not at all. Branches pass tensors through phis.
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=steps -o - \
// RUN:   | FileCheck %s --check-prefix=STEPS
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=vectors -o - \
// RUN:   | FileCheck %s --check-prefix=VECTORS
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=blocks -o - \
// RUN:   | FileCheck %s --check-prefix=BLOCKS
// RUN: kiln compile %s --from=ttg --emit=llvm --passes= --no-llvm-passes --no-line-info --kernel=spin -o - \
// RUN:   | FileCheck %s --check-prefix=SPIN

#blocked = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [64], warpsPerCTA = [4], order = [0]}>
#mma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [16, 16, 16], isTransposed = true}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // STEPS-LABEL: define {{.*}}@steps(
  // STEPS: %[[ENTER:.*]] = icmp slt i32 0, %
  // STEPS: br i1 %[[ENTER]], label %loop, label %after.loop
  // STEPS: loop:
  // STEPS-NEXT: %i = phi i32
  // STEPS-NEXT: %[[STEP:.*]] = phi i32 [ 0, %start ], [ %[[NEXT:.*]], %loop ]
  // STEPS-NEXT: phi float
  // STEPS-NEXT: phi float
  // STEPS-NEXT: phi float
  // STEPS-NEXT: phi float
  // STEPS-NOT: phi
  // STEPS: %[[NEXT]] = add i32 %[[STEP]], 4096
  // STEPS: br i1 %{{.*}}, label %loop, label %after.loop
  tt.func public @steps(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %step = arith.constant dense<1024> : tensor<1024xi32, #blocked>
    %zero = arith.constant dense<0.0> : tensor<1024xf32, #blocked>
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32, #blocked>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>, #blocked>
    %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
    %r:3 = scf.for %k = %c0 to %n step %c1 iter_args(%q = %p, %acc = %zero, %same = %i) -> (tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>, tensor<1024xi32, #blocked>)  : i32 {
      %v = tt.load %q : tensor<1024x!tt.ptr<f32>, #blocked>
      %s = arith.addf %acc, %v : tensor<1024xf32, #blocked>
      %next = tt.addptr %q, %step : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xi32, #blocked>
      scf.yield %next, %s, %same : tensor<1024x!tt.ptr<f32>, #blocked>, tensor<1024xf32, #blocked>, tensor<1024xi32, #blocked>
    }
    tt.store %p, %r#1 : tensor<1024x!tt.ptr<f32>, #blocked>
    tt.return
  }
  // VECTORS-LABEL: define {{.*}}@vectors(
  // VECTORS: loop:
  // VECTORS-NEXT: %i = phi i32
  // VECTORS-NEXT: phi <4 x float>
  // VECTORS-NEXT: phi <4 x half>
  // VECTORS-NOT: phi {{float|half}}
  tt.func public @vectors(%x: !tt.ptr<f32> {tt.pointer_range = 32 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
    %h = arith.constant dense<1.0> : tensor<1024xf16, #blocked>
    %one = arith.constant dense<1.0> : tensor<32x32xf32, #mma>
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %b = %h) -> (tensor<32x32xf32, #mma>, tensor<1024xf16, #blocked>)  : i32 {
      %s = arith.addf %acc, %one : tensor<32x32xf32, #mma>
      %t = arith.addf %b, %h : tensor<1024xf16, #blocked>
      scf.yield %s, %t : tensor<32x32xf32, #mma>, tensor<1024xf16, #blocked>
    }
    tt.return
  }
  // Both edges lead to one block with different arguments.
  // BLOCKS-LABEL: define {{.*}}@blocks(
  // BLOCKS: block:
  // BLOCKS-NEXT: %[[V:.*]] = phi i32 [ 1, %true ], [ 2, %false ]
  // BLOCKS: store i32 %[[V]]
  tt.func public @blocks(%x: !tt.ptr<i32> {tt.pointer_range = 32 : i32}, %c: i1) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    cf.cond_br %c, ^bb1(%c1 : i32), ^bb1(%c2 : i32)
  ^bb1(%v: i32):
    tt.store %x, %v : !tt.ptr<i32>
    tt.return
  }
  // SPIN-LABEL: define {{.*}}@spin(
  // SPIN: while:
  // SPIN: load volatile i32
  // SPIN: br i1 %{{.*}}, label %do, label %after.while
  // SPIN: do:
  // SPIN: br label %while
  tt.func public @spin(%x: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    scf.while : () -> () {
      %v = tt.load %x {isVolatile = true} : !tt.ptr<i32>
      %c = arith.cmpi eq, %v, %c0 : i32
      scf.condition(%c)
    } do {
      scf.yield
    }
    tt.return
  }
}
