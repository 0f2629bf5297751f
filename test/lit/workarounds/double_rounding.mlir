// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// [mlir][arith] truncf(sitofp(x)) is folded although the first conversion rounds
//
// 2^54 + 2^30 + 1 needs 55 bits. As f64 it is 2^54 + 2^30, the middle between two f32 numbers, of
// which 2^54 is even. The fold gives sitofp i64 to f32, which is 2^54 + 2^31. The same with uitofp.
// Expected: the fold applies where the intermediate type represents all integers of the type.
// RUN: mlir-opt -canonicalize %s | FileCheck %s
// CHECK-LABEL: @f
// CHECK: arith.sitofp %{{.*}} : i64 to f32
// CHECK-NOT: arith.truncf
// CHECK: return

func.func @f(%x: i64) -> f32 {
  %d = arith.sitofp %x : i64 to f64
  %r = arith.truncf %d : f64 to f32
  return %r : f32
}
