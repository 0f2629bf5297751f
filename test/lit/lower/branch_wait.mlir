// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's hazard recognizer counts the unconditional branch after a conditional one also for the
// path on which the latter is taken. A wait before both compensates for it.
// RUN: kiln compile %s --from=tt --emit=asm --num-warps=1 --no-line-info -o - | FileCheck %s

// CHECK-LABEL: states:
// CHECK: v_pk_fma_f32
// CHECK: v_pk_fma_f32
// CHECK-NEXT: s_nop 0
// CHECK-NEXT: s_cbranch_scc1
// CHECK-NEXT: s_branch
tt.func public @states(%p: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %three = arith.constant dense<3> : tensor<256xi32>
  %r3 = arith.muli %r, %three : tensor<256xi32>
  %pt = tt.addptr %ps, %r3 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %x = tt.load %pt : tensor<256x!tt.ptr<f32>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<256xf32>) : i32 {
    %next = math.fma %acc, %x, %x : tensor<256xf32>
    scf.yield %next : tensor<256xf32>
  }
  tt.store %pt, %sum : tensor<256x!tt.ptr<f32>>
  tt.return
}
