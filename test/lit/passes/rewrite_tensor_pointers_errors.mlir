// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: not kiln compile %s --from=tt --emit=ttg -o - 2>&1 | FileCheck %s

// CHECK: rewrite_tensor_pointers_errors.mlir:[[#@LINE+3]]:5: error: this descriptor reduction is not supported on floats
module {
  tt.func public @k(%d: !tt.tensordesc<tensor<64x64xf32>>, %x: tensor<64x64xf32>, %i: i32) {
    tt.descriptor_reduce inc, %d[%i, %i], %x : !tt.tensordesc<tensor<64x64xf32>>, tensor<64x64xf32>
    tt.return
  }
}
