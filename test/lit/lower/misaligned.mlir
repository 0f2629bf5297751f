// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring bytes at odd addresses are loaded one by one: LLVM joins them where misaligned accesses are allowed.
// RUN: kiln compile %s --from=tt --emit=asm --num-warps=1 --no-line-info -o - | FileCheck %s --implicit-check-not=load_ushort
module {
  // CHECK-COUNT-2: _load_ubyte
  tt.func public @bytes(%x: !tt.ptr<i8>, %y: !tt.ptr<i8>) {
    %c3 = arith.constant dense<3> : tensor<64xi32>
    %c1 = arith.constant dense<1> : tensor<64xi32>
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %o = arith.muli %r, %c3 : tensor<64xi32>
    %s = tt.splat %x : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
    %p = tt.addptr %s, %o : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
    %q = tt.addptr %p, %c1 : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
    %a = tt.load %p : tensor<64x!tt.ptr<i8>>
    %b = tt.load %q : tensor<64x!tt.ptr<i8>>
    %d = arith.addi %a, %b : tensor<64xi8>
    %t = tt.splat %y : !tt.ptr<i8> -> tensor<64x!tt.ptr<i8>>
    %u = tt.addptr %t, %r : tensor<64x!tt.ptr<i8>>, tensor<64xi32>
    tt.store %u, %d : tensor<64x!tt.ptr<i8>>
    tt.return
  }
}
