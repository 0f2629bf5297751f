// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of ockl that the library marks for inlining is inlined for any number of elements;
// only functions that wait for the host are called.
// RUN: kiln compile %s --from=tt --emit=asm --num-warps=1 --no-line-info -o - | FileCheck %s
// CHECK: v_bcnt_u32_b32
// CHECK-NOT: s_swappc_b64
module {
  tt.func public @count(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>) {
    %i = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
    %xs = tt.splat %x : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
    %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
    %v = tt.load %px : tensor<1024x!tt.ptr<i32>>
    %n = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__ockl_popcount_u32"} : (tensor<1024xi32>) -> tensor<1024xi32>
    %ys = tt.splat %y : !tt.ptr<i32> -> tensor<1024x!tt.ptr<i32>>
    %py = tt.addptr %ys, %i : tensor<1024x!tt.ptr<i32>>, tensor<1024xi32>
    tt.store %py, %n : tensor<1024x!tt.ptr<i32>>
    tt.return
  }
}
