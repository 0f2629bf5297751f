// Attributes of a module from which program ids are computed (analysis/program_order.h): each program runs once. A module
// that has them keeps them.
// RUN: for order in "0" "1" "2" "1, 0" "0, 1" "2, 0" "1, 2, 0" "2, 1, 0" "0, 2, 1"; do for descends in "" "kiln.last_axis_descends, "; do \
// RUN:   sed "s/{ORDER}/{${descends}kiln.program_order = array<i32: $order>}/" %s > %t.ttir && \
// RUN:   %kiln compile %t.ttir --emit=ttg --num-warps=1 -o %t.ttgir && \
// RUN:   grep -q "module attributes {${descends}kiln.program_order = array<i32: $order>" %t.ttgir && \
// RUN:   %kiln run --device=sim --cache-mode=off %t.ttgir 'arg0=i32[42]' --grid 3,7,2 --print arg0 > %t.txt && \
// RUN:   FileCheck %s --input-file=%t.txt || exit 1; done; done
// CHECK: arg0 =
// CHECK-NEXT: 0 1 2 3 4 5 6 7
// CHECK: 40 41
//
// RUN: for order in ": 0, 0" ": 3" ": 0, 1, 2, 0" ""; do sed "s/{ORDER}/{kiln.program_order = array<i32$order>}/" %s > %t.ttir; \
// RUN:   not %kiln compile %t.ttir --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=BAD || exit 1; done
// RUN: sed "s/{ORDER}/{kiln.program_order = 1 : i32}/" %s > %t.ttir
// RUN: not %kiln compile %t.ttir --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: kiln.program_order: expected an array<i32> of one to three different axes from 0 to 2
// RUN: sed "s/{ORDER}/{kiln.last_axis_descends}/" %s > %t.ttir
// RUN: not %kiln compile %t.ttir --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: sed "s/{ORDER}/{kiln.last_axis_descends = false, kiln.program_order = array<i32: 0>}/" %s > %t.ttir
// RUN: not %kiln compile %t.ttir --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: for above in "-1 : i32" "4.0 : f32" "4294967296 : i64"; do sed "s/{ORDER}/{kiln.ordered_above = $above, kiln.program_order = array<i32: 0>}/" %s > %t.ttir; \
// RUN:   not %kiln compile %t.ttir --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=ABOVE || exit 1; done
// RUN: sed "s/{ORDER}/{kiln.ordered_above = 304 : i32}/" %s > %t.ttir
// RUN: not %kiln compile %t.ttir --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=ABOVE
// ABOVE: error: kiln.ordered_above: expected a non-negative i32 beside kiln.program_order
//
// With kiln.ordered_above the order of more programs than that is another one. All run once
// either way.
// RUN: for above in 2 3; do sed "s/{ORDER}/{kiln.last_axis_descends, kiln.ordered_above = $above : i32, kiln.program_order = array<i32: 0>}/" %s > %t.ttir && \
// RUN:   %kiln run --device=sim --cache-mode=off %t.ttir 'arg0=i32[42]' --grid 3,7,2 --print arg0 > %t.txt && \
// RUN:   FileCheck %s --input-file=%t.txt && %kiln compile %t.ttir --emit=llvm -o - | FileCheck %s --check-prefix=LIMIT -DABOVE=$above || exit 1; done
// LIMIT: icmp ugt i32 %{{.*}}, [[ABOVE]]
//
// With kiln.xcds, rows of more programs than that are rotated, by as much as their first number is beyond a multiple of
// it. All run once.
// RUN: for order in "0" "1, 0" "0, 1" "2, 0" "1, 2, 0" "2, 1, 0" "0, 2, 1"; do for xcds in 2 3 4 8; do \
// RUN:   sed "s/{ORDER}/{kiln.last_axis_descends, kiln.program_order = array<i32: $order>, kiln.xcds = $xcds : i32}/" \
// RUN:   %s > %t.ttir && \
// RUN:   %kiln run --device=sim --cache-mode=off %t.ttir 'arg0=i32[42]' --grid 3,7,2 --print arg0 > %t.txt && \
// RUN:   FileCheck %s --input-file=%t.txt || exit 1; done; done
// RUN: sed "s/{ORDER}/{kiln.xcds = 8 : i32}/" %s > %t.ttir
// RUN: not %kiln compile %t.ttir --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=XCDS
// RUN: sed "s/{ORDER}/{kiln.program_order = array<i32: 0>, kiln.xcds = -1 : i32}/" %s > %t.ttir
// RUN: not %kiln compile %t.ttir --emit=asm -o - 2>&1 | FileCheck %s --check-prefix=XCDS
// XCDS: error: kiln.xcds: expected a non-negative i32 beside kiln.program_order
// ALONE: error: kiln.last_axis_descends: expected a unit attribute beside kiln.program_order
module attributes {ORDER} {
  tt.func public @k(%out: !tt.ptr<i32>) {
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %z = tt.get_program_id z : i32
    %nx = tt.get_num_programs x : i32
    %ny = tt.get_num_programs y : i32
    %zy = arith.muli %z, %ny : i32
    %row = arith.addi %zy, %y : i32
    %start = arith.muli %row, %nx : i32
    %number = arith.addi %start, %x : i32
    %t = arith.constant true
    %q = tt.addptr %out, %number : !tt.ptr<i32>, i32
    %old = tt.atomic_rmw add, relaxed, gpu, %q, %number, %t : (!tt.ptr<i32>, i32, i1) -> i32
    tt.return
  }
}
