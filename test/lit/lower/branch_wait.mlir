// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's hazard recognizer counts the unconditional branch behind a conditional one for the way that the conditional one takes, too. A wait in
// front of both makes up for it.
// RUN: kiln compile %s --from=tt --emit=asm --num-warps=4 --num-stages=1 --matrix-instr-nonkdim=32 --no-line-info -o - | FileCheck %s

// CHECK-LABEL: states:
// CHECK: s_and_b64 vcc, exec, s[{{[0-9:]+}}]
// CHECK-NEXT: s_cbranch_vccz
// CHECK: s_and_b64 vcc, exec, s[{{[0-9:]+}}]
// CHECK-NEXT: s_nop 0
// CHECK-NEXT: s_cbranch_vccnz
// CHECK-NEXT: s_branch
tt.func public @states(%h: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %k: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %v: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %last: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %area = arith.constant 4096 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %scaled = arith.muli %rows, %size : tensor<64x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %a = tt.broadcast %scaled : tensor<64x1xi32> -> tensor<64x64xi32>
  %b = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %a, %b : tensor<64x64xi32>
  %r2 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %columns2 = tt.expand_dims %r2 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %a2 = tt.broadcast %scaled : tensor<64x1xi32> -> tensor<64x32xi32>
  %b2 = tt.broadcast %columns2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %at2 = arith.addi %a2, %b2 : tensor<64x32xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32>) : i32 {
    %o = arith.muli %i, %area : i32
    %hp = tt.addptr %h, %o : !tt.ptr<bf16>, i32
    %hs = tt.splat %hp : !tt.ptr<bf16> -> tensor<64x32x!tt.ptr<bf16>>
    %ht = tt.addptr %hs, %at2 : tensor<64x32x!tt.ptr<bf16>>, tensor<64x32xi32>
    %narrow = arith.truncf %acc : tensor<64x32xf32> to tensor<64x32xbf16>
    tt.store %ht, %narrow : tensor<64x32x!tt.ptr<bf16>>
    %kp = tt.addptr %k, %o : !tt.ptr<bf16>, i32
    %ks = tt.splat %kp : !tt.ptr<bf16> -> tensor<64x64x!tt.ptr<bf16>>
    %kt = tt.addptr %ks, %at : tensor<64x64x!tt.ptr<bf16>>, tensor<64x64xi32>
    %x = tt.load %kt : tensor<64x64x!tt.ptr<bf16>>
    %vp = tt.addptr %v, %o : !tt.ptr<bf16>, i32
    %vs = tt.splat %vp : !tt.ptr<bf16> -> tensor<64x32x!tt.ptr<bf16>>
    %vt = tt.addptr %vs, %at2 : tensor<64x32x!tt.ptr<bf16>>, tensor<64x32xi32>
    %y = tt.load %vt : tensor<64x32x!tt.ptr<bf16>>
    %next = tt.dot %x, %y, %acc : tensor<64x64xbf16> * tensor<64x32xbf16> -> tensor<64x32xf32>
    scf.yield %next : tensor<64x32xf32>
  }
  %ls = tt.splat %last : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %lt = tt.addptr %ls, %at2 : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  tt.store %lt, %sum : tensor<64x32x!tt.ptr<f32>>
  tt.return
}
