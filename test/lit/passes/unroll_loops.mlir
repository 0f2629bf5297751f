// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops are unrolled by tt.loop_unroll_factor: a loop over whole groups, and a remainder loop that
// is not pipelined; no remainder if it would be empty. Every trip count gives the plain loop's
// results, up to the limits of the type's range.
// RUN: split-file %s %t
// RUN: %kiln compile %t/forms.ttir --from=tt --emit=ttg --passes=unroll_loops,canonicalize,cse --no-line-info -o - \
// RUN:   | FileCheck %s
// RUN: %kiln compile --list-passes | FileCheck %s --check-prefix=LIST
// RUN: sed 's/tt.loop_unroll_factor = 3 : i32/tt.num_stages = 1 : i32/' %t/sum.ttir > %t/plain.ttir
// RUN: for r in '0 0 1' '0 1 1' '0 2 1' '0 3 1' '0 4 1' '0 9 1' '5 3 1' '-7 6 2' '-7 7 2' '3 40 5' \
// RUN:   '2147483600 2147483636 9' '-2147483648 -2147483600 7' '2000000000 -2000000000 3' \
// RUN:   '-2000000000 2000000000 500000000' '7 7 0'; do set -- $r; for k in sum plain; \
// RUN:   do %kiln run --device=sim --check --sim-limit=100000 --cache-mode=off %t/$k.ttir a=$1 b=$2 s=$3 'y=i32[64]' \
// RUN:   --save y=%t/$k.bin || exit 1; done; cmp %t/sum.bin %t/plain.bin || exit 1; done
// RUN: %kiln run --device=sim --cache-mode=off %t/sum.ttir a=-7 b=7 s=2 'y=i32[64]' --print 'y[0:2]' \
// RUN:   | FileCheck %s --check-prefix=SUM

// LIST: tt   unroll_loops

// The sum over i = −7, −5, …, 5 of (acc · 3 + i), beginning with 0 and 1.
// SUM: y[0:2] =
// SUM-NEXT: {{^}}  -6565 -4378{{$}}

// CHECK-LABEL: @whole(
// CHECK: scf.for %[[J:.*]] = %c0_i32 to %c2_i32 step %c1_i32
// CHECK-COUNT-4: tt.store
// CHECK-NOT: tt.store
// CHECK: } {tt.loop_unroll_factor = 1 : i32, tt.num_stages = 2 : i32}
// CHECK-NOT: scf.for

// CHECK-LABEL: @rest(
// CHECK: %[[SPAN:.*]] = arith.subi %[[N:.*]], %[[A:.*]] : i64
// CHECK: %[[LAST:.*]] = arith.subi %[[SPAN]], %c1_i64
// CHECK: arith.divui %[[LAST]],
// CHECK: arith.cmpi slt, %[[A]], %[[N]]
// CHECK: %[[GROUPS:.*]] = arith.divui %{{.*}}, %c2_i64
// CHECK: %[[X:.*]] = scf.for %{{.*}} = %c0_i64 to %[[GROUPS]] step %c1_i64 iter_args(
// CHECK: %[[ONE:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}})
// CHECK: %[[TWO:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[ONE]])
// CHECK: scf.yield %[[TWO]]
// CHECK: } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 1 : i32, tt.warp_specialize}
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %[[X]])
// CHECK: } {tt.disallow_acc_multi_buffer, tt.flatten, tt.num_stages = 1 : i32, tt.warp_specialize}

// Fewer iterations than the factor, and a factor of one: the loop as it was, with its factor.
// CHECK-LABEL: @small(
// CHECK: scf.for %{{.*}} = %c0_i32 to %c2_i32
// CHECK: tt.store
// CHECK-NOT: tt.store
// CHECK: {{^    }$}}
// CHECK-NEXT: scf.for
// CHECK: } {tt.loop_unroll_factor = 1 : i32}

// CHECK-LABEL: @functions(
// CHECK: scf.for
// CHECK-COUNT-1: math.sin
// CHECK-NOT: math.sin
// CHECK: scf.for
// CHECK-COUNT-4: math.cos
// CHECK-NOT: math.cos

// A ring of two slots in a loop that is unrolled by two: the slots are constants. One of three stays.
// CHECK-LABEL: @ring(
// CHECK: scf.for %{{[^ ]*}} = %{{.*}} iter_args(%[[THREE:[^ ]*]] = %c0_i32)
// CHECK-NOT: arith.select
// CHECK: tt.store %{{.*}}, %c0_i32
// CHECK: arith.select
// CHECK: tt.store %{{.*}}, %c1_i32
// CHECK: arith.select
// CHECK-NOT: arith.select
// CHECK: scf.yield

//--- forms.ttir
module {
  tt.func public @whole(%p: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c16 = arith.constant 16 : i32
    scf.for %i = %c0 to %c16 step %c2  : i32 {
      %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
      tt.store %q, %i : !tt.ptr<i32>
    } {tt.loop_unroll_factor = 4 : i32, tt.num_stages = 2 : i32}
    tt.return
  }
  tt.func public @rest(%p: !tt.ptr<i64>, %a: i64, %n: i64, %s: i64) {
    %c0 = arith.constant 0 : i64
    %x = scf.for %i = %a to %n step %s iter_args(%acc = %c0) -> (i64)  : i64 {
      %y = scf.for %j = %c0 to %i step %s iter_args(%inner = %acc) -> (i64)  : i64 {
        %z = arith.muli %inner, %j : i64
        scf.yield %z : i64
      }
      scf.yield %y : i64
    } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 2 : i32, tt.warp_specialize}
    tt.store %p, %x : !tt.ptr<i64>
    tt.return
  }
  tt.func public @small(%p: !tt.ptr<i32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    scf.for %i = %c0 to %c2 step %c1  : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    } {tt.loop_unroll_factor = 3 : i32}
    scf.for %i = %c0 to %n step %c1  : i32 {
      tt.store %p, %i : !tt.ptr<i32>
    } {tt.loop_unroll_factor = 1 : i32}
    tt.return
  }
  // A function of the device libraries is large: 2000 copies took half a minute to compile.
  tt.func public @functions(%p: !tt.ptr<f32>, %x: f32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2000 = arith.constant 2000 : i32
    %a = scf.for %i = %c0 to %c2000 step %c1 iter_args(%v = %x) -> (f32)  : i32 {
      %y = math.sin %v : f32
      scf.yield %y : f32
    } {tt.loop_unroll_factor = 2000 : i32}
    %b = scf.for %i = %c0 to %c2000 step %c1 iter_args(%v = %a) -> (f32)  : i32 {
      %y = math.cos %v : f32
      scf.yield %y : f32
    } {tt.loop_unroll_factor = 4 : i32}
    tt.store %p, %b : !tt.ptr<f32>
    tt.return
  }
  tt.func public @ring(%p: !tt.ptr<i32>, %n: i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c3 = arith.constant 3 : i32
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%two = %c0, %three = %c0) -> (i32, i32) : i32 {
      %q = tt.addptr %p, %three : !tt.ptr<i32>, i32
      tt.store %q, %two : !tt.ptr<i32>
      %a = arith.addi %two, %c1 : i32
      %b = arith.cmpi slt, %a, %c2 : i32
      %c = arith.select %b, %a, %c0 : i32
      %d = arith.addi %three, %c1 : i32
      %e = arith.cmpi slt, %d, %c3 : i32
      %f = arith.select %e, %d, %c0 : i32
      scf.yield %c, %f : i32, i32
    } {tt.loop_unroll_factor = 2 : i32, tt.num_stages = 2 : i32}
    tt.return %r#0 : i32
  }
}

//--- sum.ttir
tt.func public @sum(%y: !tt.ptr<i32> loc("y"), %a: i32 loc("a"), %b: i32 loc("b"), %s: i32 loc("s")) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %three = arith.constant dense<3> : tensor<64xi32>
  %r = scf.for %k = %a to %b step %s iter_args(%acc = %i) -> (tensor<64xi32>)  : i32 {
    %t = arith.muli %acc, %three : tensor<64xi32>
    %ks = tt.splat %k : i32 -> tensor<64xi32>
    %u = arith.addi %t, %ks : tensor<64xi32>
    scf.yield %u : tensor<64xi32>
  } {tt.loop_unroll_factor = 3 : i32}
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %ys, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %p, %r : tensor<64x!tt.ptr<i32>>
  tt.return
}
