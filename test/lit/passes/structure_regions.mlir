// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switches become two-way branches, and a region of several blocks is structured and replaces its
// operation.
// RUN: kiln compile %s --from=tt --emit=tt --passes=structure_regions --no-line-info -o - | FileCheck %s

module {
// CHECK-LABEL: @switch
// CHECK: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %[[TWO]] : i32
// CHECK: cf.cond_br %[[IS]], ^[[A:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[NEXT]]:
// CHECK: %[[MINUS:.*]] = arith.constant -1 : i32
// CHECK: %[[IS:.*]] = arith.cmpi eq, %{{.*}}, %[[MINUS]] : i32
// CHECK: cf.cond_br %[[IS]], ^[[B:bb[0-9]+]](%{{.*}} : i32), ^[[A]]
// CHECK-NOT: cf.switch
tt.func public @switch(%p: !tt.ptr<i32>, %n: i32) {
  cf.switch %n : i32, [
    default: ^a,
    2: ^a,
    -1: ^b(%n : i32)
  ]
^a:
  tt.return
^b(%m: i32):
  tt.store %p, %m : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: @index_switch
// CHECK: arith.constant 7 : index
// CHECK: arith.cmpi eq
// CHECK: scf.if %{{.*}} -> (i32) {
// CHECK: arith.constant 9 : index
// CHECK: scf.if %{{.*}} -> (i32) {
// CHECK-NOT: scf.index_switch
tt.func public @index_switch(%p: !tt.ptr<i32>, %n: i32) {
  %i = arith.index_cast %n : i32 to index
  %r = scf.index_switch %i -> i32
  case 7 {
    scf.yield %n : i32
  }
  case 9 {
    %m = arith.muli %n, %n : i32
    scf.yield %m : i32
  }
  default {
    %m = arith.addi %n, %n : i32
    scf.yield %m : i32
  }
  tt.store %p, %r : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: @region
// CHECK: scf.for
// CHECK: arith.cmpi slt
// CHECK: scf.if
// CHECK: scf.yield
// CHECK: tt.store
// CHECK-NOT: scf.execute_region
tt.func public @region(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1  : i32 {
    %r = scf.execute_region -> i32 no_inline {
      %c = arith.cmpi slt, %i, %c1 : i32
      cf.cond_br %c, ^a, ^b
    ^a:
      scf.yield %n : i32
    ^b:
      scf.yield %i : i32
    }
    tt.store %p, %r : !tt.ptr<i32>
  }
  tt.return
}

// CHECK-LABEL: @endless
// CHECK: scf.while
// CHECK: tt.return
tt.func public @endless(%p: !tt.ptr<i32>, %n: i32) {
  scf.execute_region {
    cf.br ^a
  ^a:
    tt.store %p, %n : !tt.ptr<i32>
    cf.br ^a
  }
  tt.return
}
}
