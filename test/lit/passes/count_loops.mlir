// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that MLIR's canonicalizer mistakes for loops that never run are counted in i64 before it;
// others stay.
// RUN: %kiln compile --from=ttg %s --emit=ttg --passes=canonicalize --no-line-info -o - | FileCheck %s

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  // −2000000000 to 2000000000: a distance above the largest i32. 4 iterations.
  // CHECK-LABEL: @wide
  // CHECK: scf.for %[[K:.*]] = %c0_i64 to %c4_i64 step %c1_i64
  // CHECK:   arith.trunci %[[K]] : i64 to i32
  tt.func public @wide(%p: !tt.ptr<i32>) {
    %low = arith.constant -2000000000 : i32
    %high = arith.constant 2000000000 : i32
    %step = arith.constant 1000000000 : i32
    scf.for %i = %low to %high step %step : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // Bounds become constants on the way.
  // CHECK-LABEL: @folded
  // CHECK: scf.for %{{.*}} = %c0_i64 to %c4_i64 step %c1_i64
  tt.func public @folded(%p: !tt.ptr<i32>) {
    %a = arith.constant -1000000000 : i32
    %two = arith.constant 2 : i32
    %b = arith.constant 1000000000 : i32
    %low = arith.muli %a, %two : i32
    %high = arith.muli %b, %two : i32
    scf.for %i = %low to %high step %b : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // A step that is negative when read as signed.
  // CHECK-LABEL: @step
  // CHECK: arith.divui
  // CHECK: scf.for %{{.*}} = %c0_i64 to %{{.*}} step %c1_i64
  tt.func public @step(%p: !tt.ptr<i32>, %low: i32, %high: i32) {
    %step = arith.constant -294967296 : i32
    scf.for unsigned %i = %low to %high step %step : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }

  // CHECK-LABEL: @others
  // CHECK-NOT: i64
  // CHECK: scf.for %{{.*}} = %c-2147483648_i32 to %arg1 step %c7_i32
  // CHECK: scf.for %{{.*}} = %arg1 to %arg2 step %c7_i32
  // CHECK: scf.for unsigned %{{.*}} = %arg1 to %arg2 step %c7_i32
  // CHECK: scf.for unsigned %{{.*}} = %c0_i32 to %c-3_i32 step %c7_i32
  // CHECK-NOT: scf.for
  // CHECK: tt.return
  tt.func public @others(%p: !tt.ptr<i32>, %n: i32, %m: i32) {
    %least = arith.constant -2147483648 : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c7 = arith.constant 7 : i32
    %large = arith.constant -3 : i32
    scf.for %i = %least to %n step %c7 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    scf.for %i = %n to %m step %c7 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    scf.for unsigned %i = %n to %m step %c7 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    scf.for unsigned %i = %c0 to %large step %c7 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    scf.for %i = %c0 to %c1 step %c7 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    scf.for %i = %c1 to %least step %c1 : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    }
    tt.return
  }
}
