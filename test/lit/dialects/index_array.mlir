// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's parser crashes on this array.
// RUN: not kiln compile %s --from=tt --emit=tt -o - 2>&1 | FileCheck %s
// CHECK: index_array.mlir:[[#@LINE+3]]:53: error: arrays of index are not supported
module {
  tt.func @k(%x: tensor<8x4xf32>) {
    %y = tt.trans %x {order = array<i32: 1, 0>, a = array<index: 1>} : tensor<8x4xf32> -> tensor<4x8xf32>
    tt.return
  }
}
