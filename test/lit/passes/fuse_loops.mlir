// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop with tt.flatten is merged with its inner loop: prologue and epilogue in branches, cheap
// operations computed in every iteration, the whole in a branch if the inner loop may have no
// iteration. Loops with a dot only if the inner one has few iterations; bounds that are functions
// of the outer index are counted before, and computed again when a tile begins. Every trip count
// gives the nest's results; stores in the epilogue's branch let loads run ahead.
// RUN: split-file %s %t
// RUN: %kiln compile %t/ragged.ttir --emit=ttg --passes=convert_to_ttg,fuse_loops,canonicalize,cse --num-warps=1 \
// RUN:   --no-line-info -o - | FileCheck %t/ragged.ttir --check-prefix=FUSED
// RUN: %kiln compile %t/ragged.ttir --emit=ttg --num-warps=1 --no-line-info -o - | FileCheck %t/ragged.ttir
// RUN: %kiln compile %t/forms.ttir --emit=ttg --passes=convert_to_ttg,fuse_loops,canonicalize,cse --no-line-info -o - \
// RUN:   | FileCheck %t/forms.ttir
// RUN: %kiln compile %t/refused.ttir --emit=ttg --passes=convert_to_ttg,fuse_loops --no-line-info -o - 2>&1 \
// RUN:   | FileCheck %t/refused.ttir
// RUN: %kiln compile %t/gemm.ttir --emit=ttg --num-warps=1 --no-line-info -o - | FileCheck %t/gemm.ttir
// RUN: awk '/%%lo = arith.addi/ { x = "%%part"; for (i = 0; i < 60; i++) { \
// RUN:   print "%%x" i " = arith.muli " x ", " x " : i32"; x = "%%x" i } sub("%%part", x) } { print }' \
// RUN:   %t/ragged.ttir > %t/shared.ttir
// RUN: timeout $((60 * %patience)) %kiln compile %t/shared.ttir --emit=ttg --num-warps=1 --no-line-info -o - \
// RUN:   | FileCheck %t/ragged.ttir
// RUN: awk '/%%r = scf.for/ && !done { done = 1; x = "%%n"; for (i = 0; i < 60; i++) { \
// RUN:   print "%%x" i " = arith.muli " x ", " x " : i32"; x = "%%x" i } sub("%%u", x) } { print }' \
// RUN:   %t/shared_before.ttir | timeout $((60 * %patience)) %kiln compile --from=tt - --emit=ttg \
// RUN:   --passes=convert_to_ttg,fuse_loops --no-line-info -o - | FileCheck %t/shared_before.ttir
// RUN: for s in 1 2 3; do %kiln compile %t/gemm.ttir --emit=ttg --passes=convert_to_ttg,fuse_loops --num-warps=1 \
// RUN:   --num-stages=$s --no-line-info -o - | FileCheck %t/gemm.ttir --check-prefix=FEW$s; done
// RUN: sed 's/%il to %iu step %is iter_args(%c/%c0 to %c3 step %c1 iter_args(%c/' %t/gemm.ttir \
// RUN:   | %kiln compile --from=tt - --emit=ttg --passes=convert_to_ttg,fuse_loops --num-warps=1 --no-line-info -o - \
// RUN:   | FileCheck %t/gemm.ttir --check-prefix=KNOWN
// RUN: sed 's/%il to %iu step %is iter_args(%c/%c0 to %c7 step %c1 iter_args(%c/' %t/gemm.ttir \
// RUN:   | %kiln compile --from=tt - --emit=ttg --passes=convert_to_ttg,fuse_loops --num-warps=1 --no-line-info -o - \
// RUN:   | FileCheck %t/gemm.ttir --check-prefix=LONG
// RUN: for k in nest three gemm ragged; do sed 's/ {tt.flatten}//' %t/$k.ttir > %t/plain.ttir; \
// RUN:   for r in '0 0 1 0 3 1' '0 4 1 0 0 1' '0 1 1 0 1 1' '0 2 1 0 1 1' '0 3 1 0 2 1' '0 3 1 0 5 1' '1 8 3 -2 9 4' \
// RUN:   '-7 7 2 5 6 9' '0 5 1 3 -3 1' '4 0 1 0 4 1'; do set -- $r; for p in $k plain; \
// RUN:   do %kiln run --device=sim --check --sim-limit=1000000 --cache-mode=off %t/$p.ttir l=$1 u=$2 s=$3 il=$4 iu=$5 \
// RUN:   is=$6 'x=i32[256]:iota' 'a=f16[1024]:iota' 'y=i32[1024]' 'z=f32[8192]' --save y=%t/$p.y.bin \
// RUN:   --save z=%t/$p.z.bin --num-warps=1 || exit 1; done; cmp %t/$k.y.bin %t/plain.y.bin \
// RUN:   && cmp %t/$k.z.bin %t/plain.z.bin || exit 1; done; done

//--- shared_before.ttir
// Shared operands are visited once: sixty products in a row, each of the previous one with itself, must not take 2^60 steps.
module {
  // CHECK-LABEL: @before(
  // CHECK-COUNT-60: arith.muli
  // CHECK: scf.if
  // CHECK: scf.for unsigned %{{.*}} iter_args(
  tt.func public @before(%y: !tt.ptr<i32>, %n: i32, %u: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    scf.for %i = %c0 to %c5 step %c1 : i32 {
      %r = scf.for %j = %c0 to %u step %c1 iter_args(%s = %c0) -> (i32) : i32 {
        %t = arith.addi %s, %j : i32
        scf.yield %t : i32
      }
      %p = tt.addptr %y, %i : !tt.ptr<i32>, i32
      tt.store %p, %r : !tt.ptr<i32>
    } {tt.flatten}
    tt.return
  }
}

//--- forms.ttir
module {
  // Known trip counts: no question, and no branch without a prologue that must be.
  // CHECK-LABEL: @known(
  // CHECK: scf.for unsigned %{{.*}} = %c0_i64 to %c15_i64 step %c1_i64 iter_args(%[[T:.*]] = %c0_i64, %[[I:.*]] = %c0_i32, %[[J:.*]] = %c2_i32, %[[S:.*]] = %c0_i32)
  // CHECK-NEXT: %[[MUL:.*]] = arith.muli %[[I]], %c100_i32
  // CHECK-NEXT: %[[AT:.*]] = arith.addi %[[MUL]], %[[J]]
  // CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[S]], %[[AT]]
  // CHECK-NEXT: %[[LAST:.*]] = arith.cmpi eq, %[[T]], %c2_i64
  // CHECK-NEXT: %[[RESET:.*]] = arith.select %[[LAST]], %c0_i32, %[[SUM]]
  // CHECK-NEXT: scf.if %[[LAST]] {
  // CHECK: tt.store %{{.*}}, %[[SUM]]
  // CHECK: }
  // CHECK: scf.yield
  // CHECK: } {tt.num_stages = 3 : i32}
  // CHECK-NOT: scf.for
  tt.func public @known(%y: !tt.ptr<i32>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c5 = arith.constant 5 : i32
    %c100 = arith.constant 100 : i32
    scf.for %i = %c0 to %c5 step %c1 : i32 {
      %m = arith.muli %i, %c100 : i32
      %r = scf.for %j = %c2 to %c5 step %c1 iter_args(%s = %c0) -> (i32) : i32 {
        %at = arith.addi %m, %j : i32
        %t = arith.addi %s, %at : i32
        scf.yield %t : i32
      } {tt.num_stages = 3 : i32}
      %p = tt.addptr %y, %i : !tt.ptr<i32>, i32
      tt.store %p, %r : !tt.ptr<i32>
    } {tt.flatten}
    tt.return
  }

  // A division is done once a tile and carried; what begins anew in each tile comes from the same branch.
  // CHECK-LABEL: @asked(
  // CHECK: %[[SOME:.*]] = arith.cmpi ne, %{{.*}}, %c0_i64
  // CHECK: scf.if %[[SOME]] {
  // CHECK: scf.for
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i64
  // CHECK: scf.if %[[FIRST]] -> (
  // CHECK: arith.divsi
  // CHECK: } else {
  // CHECK: arith.muli
  // CHECK: scf.if
  // CHECK: tt.store
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK-NOT: scf.for
  // CHECK: arith.divsi
  // CHECK: tt.store
  // CHECK-NOT: tt.flatten
  tt.func public @asked(%y: !tt.ptr<i32>, %u: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c5 = arith.constant 5 : i32
    scf.for %i = %c0 to %u step %c1 : i32 {
      %m = arith.divsi %i, %n : i32
      %k = arith.muli %m, %c5 : i32
      %r = scf.for %j = %c0 to %n step %c1 iter_args(%s = %m) -> (i32) : i32 {
        %at = arith.addi %k, %j : i32
        %t = arith.addi %s, %at : i32
        scf.yield %t : i32
      }
      %p = tt.addptr %y, %i : !tt.ptr<i32>, i32
      tt.store %p, %r : !tt.ptr<i32>
    } {tt.flatten}
    tt.return
  }
}

//--- refused.ttir
module {
  tt.func public @refused(%y: !tt.ptr<i32>, %u: i32, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: refused.ttir:[[@LINE+1]]:5: warning: this loop is not flattened: the inner loop has variable bounds and no dot
    scf.for %i = %c0 to %u step %c1 : i32 {
      scf.for %j = %c0 to %i step %c1 : i32 {
        %p = tt.addptr %y, %j : !tt.ptr<i32>, i32
        tt.store %p, %i : !tt.ptr<i32>
      }
    } {tt.flatten}
    // CHECK: refused.ttir:[[@LINE+1]]:5: warning: this loop is not flattened: it contains several loops
    scf.for %i = %c0 to %u step %c1 : i32 {
      scf.for %j = %c0 to %n step %c1 : i32 {
        %p = tt.addptr %y, %j : !tt.ptr<i32>, i32
        tt.store %p, %i : !tt.ptr<i32>
      }
      scf.for %j = %c0 to %n step %c1 : i32 {
        %p = tt.addptr %y, %j : !tt.ptr<i32>, i32
        tt.store %p, %j : !tt.ptr<i32>
      }
    } {tt.flatten}
    // What is in memory may be something else when the loop comes to it.
    %a = arith.constant dense<1.0> : tensor<16x16xf16>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    // CHECK: refused.ttir:[[@LINE+1]]:14: warning: this loop is not flattened: the inner loop's bounds are not a function of this loop's index
    %sum:1 = scf.for %i = %c0 to %u step %c1 iter_args(%t = %zero) -> (tensor<16x16xf32>) : i32 {
      %p = tt.addptr %y, %i : !tt.ptr<i32>, i32
      %m = tt.load %p : !tt.ptr<i32>
      %in = scf.for %j = %c0 to %m step %c1 iter_args(%s = %t) -> (tensor<16x16xf32>) : i32 {
        %d = tt.dot %a, %a, %s : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
        scf.yield %d : tensor<16x16xf32>
      }
      scf.yield %in : tensor<16x16xf32>
    } {tt.flatten}
    // CHECK-COUNT-8: scf.for
    // CHECK-NOT: scf.for
    // CHECK-NOT: tt.flatten
    tt.return
  }
}

//--- nest.ttir
// What is passed through both loops, begins anew by a load, and is reset; the outer loop's own; unused results.
module {
  tt.func public @nest(%x: !tt.ptr<i32> loc("x"), %a: !tt.ptr<f16> loc("a"), %y: !tt.ptr<i32> loc("y"), %z: !tt.ptr<f32> loc("z"), %l: i32 loc("l"), %u: i32 loc("u"), %s: i32 loc("s"), %il: i32 loc("il"), %iu: i32 loc("iu"), %is: i32 loc("is")) {
    %c3 = arith.constant 3 : i32
    %c7 = arith.constant 7 : i32
    %c15 = arith.constant 15 : i32
    %c64 = arith.constant 64 : i32
    %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %px = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %py = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %zero = arith.constant dense<0> : tensor<64xi32>
    %threes = arith.constant dense<3> : tensor<64xi32>
    %out:3 = scf.for %i = %l to %u step %s iter_args(%sum = %r, %own = %c7, %last = %zero) -> (tensor<64xi32>, i32, tensor<64xi32>) : i32 {
      %spread = arith.muli %i, %c15 : i32
      %where = arith.andi %spread, %c15 : i32
      %at = tt.splat %where : i32 -> tensor<64xi32>
      %there = arith.addi %at, %r : tensor<64xi32>
      %p = tt.addptr %px, %there : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
      %loaded = tt.load %p : tensor<64x!tt.ptr<i32>>
      %odd = arith.remsi %loaded, %threes : tensor<64xi32>
      %in:3 = scf.for %j = %il to %iu step %is iter_args(%all = %sum, %fresh = %loaded, %fixed = %zero) -> (tensor<64xi32>, tensor<64xi32>, tensor<64xi32>) : i32 {
        %k = arith.muli %j, %own : i32
        %ks = tt.splat %k : i32 -> tensor<64xi32>
        %all1 = arith.muli %all, %threes : tensor<64xi32>
        %all2 = arith.addi %all1, %ks : tensor<64xi32>
        %fresh1 = arith.addi %fresh, %odd : tensor<64xi32>
        %fixed1 = arith.addi %fixed, %fresh1 : tensor<64xi32>
        %fixed2 = arith.subi %fixed1, %there : tensor<64xi32>
        scf.yield %all2, %fresh1, %fixed2 : tensor<64xi32>, tensor<64xi32>, tensor<64xi32>
      }
      %both = arith.addi %in#1, %in#2 : tensor<64xi32>
      %more = arith.addi %both, %odd : tensor<64xi32>
      %next = arith.addi %own, %c3 : i32
      %place = arith.andi %next, %c7 : i32
      %o = arith.muli %place, %c64 : i32
      %os = tt.splat %o : i32 -> tensor<64xi32>
      %ro = arith.addi %r, %os : tensor<64xi32>
      %q = tt.addptr %py, %ro : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
      tt.store %q, %more : tensor<64x!tt.ptr<i32>>
      scf.yield %in#0, %next, %more : tensor<64xi32>, i32, tensor<64xi32>
    } {tt.flatten}
    %end = arith.constant dense<512> : tensor<64xi32>
    %re = arith.addi %r, %end : tensor<64xi32>
    %qe = tt.addptr %py, %re : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %owns = tt.splat %out#1 : i32 -> tensor<64xi32>
    %v = arith.xori %out#0, %owns : tensor<64xi32>
    %w = arith.addi %v, %out#2 : tensor<64xi32>
    tt.store %qe, %w : tensor<64x!tt.ptr<i32>>
    tt.return
  }
}

//--- three.ttir
// Three deep, with operations between all of them, and bounds that are computed inside.
module {
  tt.func public @three(%x: !tt.ptr<i32> loc("x"), %a: !tt.ptr<f16> loc("a"), %y: !tt.ptr<i32> loc("y"), %z: !tt.ptr<f32> loc("z"), %l: i32 loc("l"), %u: i32 loc("u"), %s: i32 loc("s"), %il: i32 loc("il"), %iu: i32 loc("iu"), %is: i32 loc("is")) {
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i64
    %c0 = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %c7 = arith.constant 7 : i32
    %c31 = arith.constant 31 : i32
    scf.for %i = %l to %u step %s : i32 {
      %wide = arith.extsi %iu : i32 to i64
      %n = arith.addi %wide, %c2 : i64
      %p0 = tt.addptr %x, %c7 : !tt.ptr<i32>, i32
      %v0 = tt.load %p0 : !tt.ptr<i32>
      %sum = scf.for %j = %il to %iu step %is iter_args(%t = %v0) -> (i32) : i32 {
        %m = arith.muli %i, %j : i32
        %in = scf.for %k = %c0 to %n step %one iter_args(%w = %m) -> (i32) : i64 {
          %ki = arith.trunci %k : i64 to i32
          %w1 = arith.addi %w, %ki : i32
          %w2 = arith.muli %w1, %c7 : i32
          scf.yield %w2 : i32
        }
        %t1 = arith.xori %t, %in : i32
        %t2 = arith.addi %t1, %c1 : i32
        scf.yield %t2 : i32
      }
      %at = arith.andi %i, %c31 : i32
      %q = tt.addptr %y, %at : !tt.ptr<i32>, i32
      tt.store %q, %sum : !tt.ptr<i32>
    } {tt.flatten}
    tt.return
  }
}

//--- gemm.ttir
// Up to 2 · num_stages − 1 iterations; else the loops stay two.
// FEW1-DAG: %[[MORE:.*]] = arith.constant 2 : i64
// FEW2-DAG: %[[MORE:.*]] = arith.constant 4 : i64
// FEW3-DAG: %[[MORE:.*]] = arith.constant 6 : i64
// FEW1: %[[FEW:.*]] = arith.cmpi ult, %{{.*}}, %[[MORE]] : i64
// FEW2: %[[FEW:.*]] = arith.cmpi ult, %{{.*}}, %[[MORE]] : i64
// FEW3: %[[FEW:.*]] = arith.cmpi ult, %{{.*}}, %[[MORE]] : i64
// FEW2: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[FEW]]
// FEW2: scf.if %[[BOTH]]
// FEW2-COUNT-3: scf.for
// FEW2-NOT: scf.for
// KNOWN-COUNT-1: scf.for
// KNOWN-NOT: scf.for
// LONG-COUNT-2: scf.for
// LONG-NOT: scf.for
// CHECK: scf.if
// CHECK: ttg.local_alloc
// CHECK: tt.load
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.dot
// CHECK: scf.if
// CHECK: tt.store
module {
  tt.func public @gemm(%x: !tt.ptr<i32> loc("x"), %a: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc("a"), %y: !tt.ptr<i32> loc("y"), %z: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("z"), %l: i32 loc("l"), %u: i32 loc("u"), %s: i32 loc("s"), %il: i32 loc("il"), %iu: i32 loc("iu"), %is: i32 loc("is")) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c7 = arith.constant 7 : i32
    %c32 = arith.constant 32 : i32
    %c1024 = arith.constant 1024 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %ones = arith.constant dense<32> : tensor<32x1xi32>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %cols = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %at0 = arith.muli %rows, %ones : tensor<32x1xi32>
    %at1 = tt.broadcast %at0 : tensor<32x1xi32> -> tensor<32x32xi32>
    %at2 = tt.broadcast %cols : tensor<1x32xi32> -> tensor<32x32xi32>
    %at = arith.addi %at1, %at2 : tensor<32x32xi32>
    scf.for %i = %l to %u step %s : i32 {
      %tile = arith.andi %i, %c7 : i32
      %part = arith.remsi %tile, %c3 : i32
      %acc = scf.for %j = %il to %iu step %is iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
        %k = arith.addi %j, %part : i32
        %k3 = arith.andi %k, %c3 : i32
        %off = arith.muli %k3, %c32 : i32
        %p = tt.addptr %a, %off : !tt.ptr<f16>, i32
        %ps = tt.splat %p : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
        %some = arith.constant dense<896> : tensor<32x32xi32>
        %mask = arith.cmpi slt, %at, %some : tensor<32x32xi32>
        %none = arith.constant dense<1.0> : tensor<32x32xf16>
        %q = tt.addptr %ps, %at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
        %v = tt.load %q, %mask, %none : tensor<32x32x!tt.ptr<f16>>
        %d = tt.dot %v, %v, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
        scf.yield %d : tensor<32x32xf32>
      }
      %o = arith.muli %tile, %c1024 : i32
      %zp = tt.addptr %z, %o : !tt.ptr<f32>, i32
      %zs = tt.splat %zp : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
      %zq = tt.addptr %zs, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
      tt.store %zq, %acc : tensor<32x32x!tt.ptr<f32>>
    } {tt.flatten}
    tt.return
  }
}

//--- ragged.ttir
// Bounds that follow the outer index. A loop counts, and no bound is computed for an index past the last one: it would divide by what is left.
// FUSED: %[[TURNS:.*]]:3 = scf.for %[[I:.*]] = %l to %u step %s iter_args(%[[ALL:[^ ]*]] = %c0_i64, %[[LEAST:[^ ]*]] = %c9223372036854775807_i64, %[[MOST:[^ ]*]] = %c0_i64)
// FUSED: %[[LEFT:.*]] = arith.subi %u, %[[I]]
// FUSED: arith.divsi %c1_i32, %[[LEFT]]
// FUSED: arith.addi %[[ALL]], %[[N:.*]] : i64
// FUSED: arith.minui %[[LEAST]], %[[N]]
// FUSED: arith.maxui %[[MOST]], %[[N]]
// FUSED-DAG: arith.cmpi ne, %[[TURNS]]#0, %c0_i64
// FUSED-DAG: arith.cmpi ne, %[[TURNS]]#1, %c0_i64
// FUSED-DAG: arith.cmpi ult, %[[TURNS]]#2, %c4_i64
// FUSED: scf.if
// FUSED: scf.for unsigned %[[TURN:.*]] = %c0_i64 to %[[TURNS]]#0 step %c1_i64 iter_args(%[[T:[^ ]*]] = %c0_i64, %[[I:[^ ]*]] = %l, %[[J:[^ ]*]] = %{{[^ ]*}}, %[[LAST:[^ ]*]] = %{{[^ ]*}}, %{{.*}})
// FUSED: tt.dot
// FUSED: %[[ENDS:.*]] = arith.cmpi eq, %[[T]], %[[LAST]]
// FUSED: tt.store
// FUSED: %[[NEXT:.*]] = arith.addi %[[I]], %s
// FUSED: %[[COMES:.*]] = arith.cmpi ult, %[[TURN]],
// FUSED: %[[BOTH:.*]] = arith.andi %[[ENDS]], %[[COMES]]
// FUSED: scf.if %[[BOTH]] -> (i64, i32) {
// FUSED: %[[LEFT:.*]] = arith.subi %u, %[[NEXT]]
// FUSED: arith.divsi %c1_i32, %[[LEFT]]
// FUSED: } else {
// FUSED-NEXT: scf.yield %[[LAST]], %{{.*}}
// FUSED-COUNT-2: scf.for
// FUSED-NOT: scf.for
// CHECK: scf.if
// CHECK: ttg.local_store
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.dot
// CHECK: tt.store
// CHECK: ttg.local_store
module {
  tt.func public @ragged(%x: !tt.ptr<i32> loc("x"), %a: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc("a"), %y: !tt.ptr<i32> loc("y"), %z: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("z"), %l: i32 loc("l"), %u: i32 loc("u"), %s: i32 loc("s"), %il: i32 loc("il"), %iu: i32 loc("iu"), %is: i32 loc("is")) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c7 = arith.constant 7 : i32
    %c32 = arith.constant 32 : i32
    %c1024 = arith.constant 1024 : i32
    %zero = arith.constant dense<0.0> : tensor<32x32xf32>
    %ones = arith.constant dense<32> : tensor<32x1xi32>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %cols = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %at0 = arith.muli %rows, %ones : tensor<32x1xi32>
    %at1 = tt.broadcast %at0 : tensor<32x1xi32> -> tensor<32x32xi32>
    %at2 = tt.broadcast %cols : tensor<1x32xi32> -> tensor<32x32xi32>
    %at = arith.addi %at1, %at2 : tensor<32x32xi32>
    scf.for %i = %l to %u step %s : i32 {
      %tile = arith.andi %i, %c7 : i32
      %part = arith.remsi %tile, %c3 : i32
      %lo = arith.addi %il, %part : i32
      %left = arith.subi %u, %i : i32
      %end = arith.divsi %c1, %left : i32
      %hi = arith.addi %iu, %end : i32
      %acc = scf.for %j = %lo to %hi step %is iter_args(%c = %zero) -> (tensor<32x32xf32>) : i32 {
        %k = arith.addi %j, %part : i32
        %k3 = arith.andi %k, %c3 : i32
        %off = arith.muli %k3, %c32 : i32
        %p = tt.addptr %a, %off : !tt.ptr<f16>, i32
        %ps = tt.splat %p : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
        %some = arith.constant dense<896> : tensor<32x32xi32>
        %mask = arith.cmpi slt, %at, %some : tensor<32x32xi32>
        %none = arith.constant dense<1.0> : tensor<32x32xf16>
        %q = tt.addptr %ps, %at : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
        %v = tt.load %q, %mask, %none : tensor<32x32x!tt.ptr<f16>>
        %d = tt.dot %v, %v, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
        scf.yield %d : tensor<32x32xf32>
      }
      %o = arith.muli %tile, %c1024 : i32
      %zp = tt.addptr %z, %o : !tt.ptr<f32>, i32
      %zs = tt.splat %zp : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
      %zq = tt.addptr %zs, %at : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
      tt.store %zq, %acc : tensor<32x32x!tt.ptr<f32>>
    } {tt.flatten}
    tt.return
  }
}
