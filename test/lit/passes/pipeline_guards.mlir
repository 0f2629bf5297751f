// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a pipelined loop tests which of its first iterations exist: by the sum if that fits its type,
// by the unsigned sum if lower is not negative, otherwise by the remaining distance; and how the
// lowered loop continues.
// RUN: %kiln compile %s --from=ttg --emit=ttg --passes=pipeline_loops --no-line-info -o - | FileCheck %s
// RUN: %kiln compile %s --from=ttg --emit=llvm --passes=pipeline_loops --kernel=fits -o - \
// RUN:   | FileCheck %s --check-prefix=FITS
// RUN: %kiln compile %s --from=ttg --emit=llvm --passes=pipeline_loops --kernel=may_wrap -o - \
// RUN:   | FileCheck %s --check-prefix=WRAPS
// RUN: %kiln compile %s --from=ttg --emit=llvm --kernel=not_negative -o - | FileCheck %s --check-prefix=UNSIGNED

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {

// CHECK-LABEL: @fits
// CHECK: %[[SUM:.*]] = arith.addi %c0_i32, %c1_i32
// CHECK: scf.for %{{.*}} = %[[SUM]] to %arg2 step %c1_i32
// FITS: icmp {{slt|ne|eq}}
tt.func public @fits(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  scf.for %i = %c0_i32 to %n step %c1_i32 : i32 {
    %a = tt.addptr %p, %i {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<i32>, i32
    %x = tt.load %a {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<i32>
    tt.store %q, %x {loop.stage = 1 : i32, loop.cluster = 1 : i32} : !tt.ptr<i32>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}

// CHECK-LABEL: @fits_unsigned
// CHECK: %[[SUM:.*]] = arith.addi %c1000000000_i32, %c1500000000_i32
// CHECK: %[[END:.*]] = arith.maxsi %arg2, %c0_i32
// CHECK: %[[HAS:.*]] = arith.cmpi ult, %{{.*}}, %[[END]]
// CHECK: %[[UPPER:.*]] = arith.select %[[HAS]], %arg2, %[[SUM]]
// CHECK: scf.for %{{.*}} = %[[SUM]] to %[[UPPER]] step
tt.func public @fits_unsigned(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %n: i32) {
  %c1000000000_i32 = arith.constant 1000000000 : i32
  %c1500000000_i32 = arith.constant 1500000000 : i32
  scf.for %i = %c1000000000_i32 to %n step %c1500000000_i32 : i32 {
    %a = tt.addptr %p, %i {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<i32>, i32
    %x = tt.load %a {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<i32>
    tt.store %q, %x {loop.stage = 1 : i32, loop.cluster = 1 : i32} : !tt.ptr<i32>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}

// WRAPS: icmp ugt i32 %{{.*}}, 64
// CHECK-LABEL: @may_wrap
// CHECK: %[[SUM:.*]] = arith.addi %arg2, %c64_i32
// CHECK: %[[MOST:.*]] = arith.maxsi %arg3, %arg2
// CHECK: %[[REST:.*]] = arith.subi %[[MOST]], %arg2
// CHECK: %[[LEAST:.*]] = arith.maxui %[[REST]], %c64_i32
// CHECK: %[[NEXT:.*]] = arith.subi %[[LEAST]], %c64_i32
// CHECK: %[[HAS:.*]] = arith.cmpi ne, %[[NEXT]]
// CHECK: %[[UPPER:.*]] = arith.select %[[HAS]], %arg3, %[[SUM]]
// CHECK: scf.for %{{.*}} = %[[SUM]] to %[[UPPER]] step %c64_i32
tt.func public @may_wrap(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>, %l: i32, %n: i32) {
  %c64_i32 = arith.constant 64 : i32
  scf.for %i = %l to %n step %c64_i32 : i32 {
    %a = tt.addptr %p, %i {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<i32>, i32
    %x = tt.load %a {loop.stage = 0 : i32, loop.cluster = 0 : i32} : !tt.ptr<i32>
    tt.store %q, %x {loop.stage = 1 : i32, loop.cluster = 1 : i32} : !tt.ptr<i32>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}

// Tiles from the program's own on: no index is negative, so that a sum without a sign does not
// wrap.
// UNSIGNED: icmp ult i32
tt.func public @not_negative(%q: !tt.ptr<i32>, %n: i32) {
  %l = tt.get_program_id x : i32
  %s = tt.get_num_programs x : i32
  scf.for %i = %l to %n step %s : i32 {
    %a = tt.addptr %q, %i : !tt.ptr<i32>, i32
    tt.store %a, %i : !tt.ptr<i32>
  }
  tt.return
}
}
