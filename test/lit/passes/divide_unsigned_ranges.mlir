// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisions become unsigned if neither operand can be negative, by the ranges of both: program ids,
// which the grid bounds, loop variables, remainders, masked or shifted values. Not if a product may
// wrap, if the divisor is an argument, or if a loop decrements a carried number.
// RUN: kiln compile %s --from=tt --emit=ttg --passes=divide_unsigned --no-line-info -o - | FileCheck %s
module {
  // CHECK-LABEL: @proved
  tt.func public @proved(%x: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %c32 = arith.constant 32 : i32
    %c1023 = arith.constant 1023 : i32
    %pid = tt.get_program_id x : i32
    %row = tt.get_program_id y : i32
    %count = tt.get_num_programs y : i32
    // CHECK: arith.divui
    %a = arith.divsi %pid, %c7 : i32
    %start = arith.muli %pid, %c32 : i32
    // CHECK: arith.remui
    %b = arith.remsi %start, %c7 : i32
    // CHECK: arith.divui
    %c = arith.divsi %row, %count : i32
    %low = arith.andi %n, %c1023 : i32
    // CHECK: arith.remui
    %d = arith.remsi %low, %c7 : i32
    // CHECK: arith.ceildivui
    %f = arith.ceildivsi %row, %c7 : i32
    // CHECK: arith.divui
    %g = arith.floordivsi %f, %c7 : i32
    %ab = arith.addi %a, %b : i32
    %cg = arith.addi %c, %g : i32
    %cd = arith.addi %cg, %d : i32
    // CHECK: scf.for
    // CHECK: arith.divui
    %e = scf.for %i = %pid to %n step %c7 iter_args(%sum = %c0) -> (i32) : i32 {
      %q = arith.divsi %i, %c32 : i32
      %s = arith.addi %sum, %q : i32
      scf.yield %s : i32
    }
    %abcd = arith.addi %ab, %cd : i32
    %all = arith.addi %abcd, %e : i32
    tt.store %x, %all : !tt.ptr<i32>
    tt.return
  }
  // CHECK-LABEL: @open
  // CHECK-NOT: divui
  // CHECK-NOT: remui
  tt.func public @open(%x: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c7 = arith.constant 7 : i32
    %c1024 = arith.constant 1024 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c1024 : i32
    %a = arith.divsi %start, %c7 : i32
    %b = arith.divsi %pid, %n : i32
    %c = scf.for %i = %c0 to %n step %c7 iter_args(%down = %pid) -> (i32) : i32 {
      %s = arith.subi %down, %c7 : i32
      scf.yield %s : i32
    }
    %d = arith.remsi %c, %c7 : i32
    %ab = arith.addi %a, %b : i32
    %abd = arith.addi %ab, %d : i32
    tt.store %x, %abd : !tt.ptr<i32>
    tt.return
  }
}
