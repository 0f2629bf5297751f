// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls are inlined and functions without callers dropped, also functions of several blocks called
// in a loop; noinline functions and their calls stay.
// RUN: kiln compile %s --from=tt --emit=tt --passes=inline --no-line-info -o - | FileCheck %s

module {
  // CHECK-LABEL: tt.func public @kernel
  // CHECK: %[[T:.*]] = arith.addf %arg1, %arg1 : f32
  // CHECK-NEXT: %[[R:.*]] = tt.call @kept(%[[T]])
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK-NOT: @twice
  // CHECK-NOT: @branches
  tt.func public @kernel(%p: !tt.ptr<f32>, %x: f32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %t = tt.call @twice(%x) : (f32) -> f32
    %r = tt.call @kept(%t) : (f32) -> f32
    tt.store %p, %r : !tt.ptr<f32>
    scf.for %i = %c0 to %n step %c1 : i32 {
      %b = tt.call @branches(%i, %x) : (i32, f32) -> f32
      tt.store %p, %b : !tt.ptr<f32>
    }
    tt.return
  }
  tt.func private @twice(%x: f32) -> f32 attributes {noinline = false} {
    %y = arith.addf %x, %x : f32
    tt.return %y : f32
  }
  // CHECK: tt.func private @kept
  tt.func private @kept(%x: f32) -> f32 attributes {noinline = true} {
    tt.return %x : f32
  }
  // CHECK-NOT: tt.func private @branches
  tt.func private @branches(%i: i32, %x: f32) -> f32 {
    %c0 = arith.constant 0 : i32
    %is = arith.cmpi eq, %i, %c0 : i32
    cf.cond_br %is, ^a, ^b
  ^a:
    tt.return %x : f32
  ^b:
    %y = arith.addf %x, %x : f32
    tt.return %y : f32
  }

  // Inside of a region whose values are elements every function is inlined, noinline ones too: a
  // function takes scalars.
  // CHECK-LABEL: tt.func public @elements
  // CHECK: "tt.reduce"
  // CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32):
  // CHECK-NEXT: arith.maxsi %[[A]], %[[B]]
  // CHECK-NOT: tt.call
  tt.func public @elements(%p: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m = "tt.reduce"(%r) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = tt.call @larger(%a, %b) : (i32, i32) -> i32
      tt.reduce.return %c : i32
    }) : (tensor<64xi32>) -> i32
    tt.store %p, %m : !tt.ptr<i32>
    tt.return
  }
  tt.func private @larger(%a: i32, %b: i32) -> i32 attributes {noinline = true} {
    %c = arith.maxsi %a, %b : i32
    tt.return %c : i32
  }

  // So is one of several blocks, which becomes one block first.
  // CHECK-LABEL: tt.func public @several_blocks
  // CHECK: "tt.reduce"
  // CHECK-NOT: cf.
  // CHECK: scf.if
  // CHECK-NOT: tt.call
  tt.func public @several_blocks(%p: !tt.ptr<i32>) {
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %m = "tt.reduce"(%r) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = tt.call @less_or_divided(%a, %b) : (i32, i32) -> i32
      tt.reduce.return %c : i32
    }) : (tensor<64xi32>) -> i32
    tt.store %p, %m : !tt.ptr<i32>
    tt.return
  }
  tt.func private @less_or_divided(%a: i32, %b: i32) -> i32 {
    %p = arith.cmpi slt, %a, %b : i32
    cf.cond_br %p, ^a, ^b
  ^a:
    tt.return %a : i32
  ^never:
    tt.return %b : i32
  ^b:
    %c = arith.divsi %b, %a : i32
    tt.return %c : i32
  }
}
