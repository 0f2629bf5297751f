// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// [mlir][scf] constantTripCount reads distances and unsigned steps with a sign
//
// The canonicalizer drops scf.for loops that run: a signed one whose constant bounds are half of
// the type's range or more apart (their difference is negative when read with a sign), and an
// unsigned one whose constant step has its sign bit set, whatever its bounds.
// Expected: the difference of bounds that compare as less is read without a sign, and so is an
// unsigned loop's step. Both loops below stay.
// RUN: mlir-opt -canonicalize %s | FileCheck %s
// CHECK-LABEL: @distance
// CHECK-NOT: scf.for
// CHECK-LABEL: @step
// CHECK-NOT: scf.for
// CHECK: return

func.func @distance(%m: memref<i32>) {
  %low = arith.constant -2000000000 : i32
  %high = arith.constant 2000000000 : i32
  %step = arith.constant 1000000000 : i32
  scf.for %i = %low to %high step %step : i32 {
    memref.store %i, %m[] : memref<i32>
  }
  return
}

func.func @step(%m: memref<i32>, %low: i32, %high: i32) {
  %step = arith.constant -294967296 : i32 // 4000000000
  scf.for unsigned %i = %low to %high step %step : i32 {
    memref.store %i, %m[] : memref<i32>
  }
  return
}
