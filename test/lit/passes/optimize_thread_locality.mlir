// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value that is reduced and accumulated in each iteration is reduced once, after the loop; not if
// the carried value has other uses, nor if threads share nothing of the axis, nor if a tile would
// take many registers. Results are the same for every trip count.
// RUN: split-file %s %t
// RUN: %kiln compile %t/sums.ttir --kernel=sums --num-warps=4 --emit=ttg \
// RUN:   --passes=convert_to_ttg,coalesce,remove_layout_conversions,optimize_thread_locality,canonicalize \
// RUN:   --no-line-info -o - | FileCheck %t/sums.ttir
// RUN: %kiln compile %t/left.ttir --num-warps=4 --emit=ttg \
// RUN:   --passes=convert_to_ttg,coalesce,remove_layout_conversions,optimize_thread_locality,canonicalize \
// RUN:   --no-line-info -o - | FileCheck %t/left.ttir
// RUN: %kiln compile %t/sums.ttir --num-warps=4 --emit=ttg -o %t/once.ttgir \
// RUN:   && %kiln compile %t/sums.ttir --num-warps=4 --emit=ttg --disable-pass=optimize_thread_locality \
// RUN:   -o %t/each.ttgir
// RUN: for n in 0 1 2 5; do for p in once each; do %kiln run --device=sim --check \
// RUN:   --cache-mode=off %t/$p.ttgir n=$n 'x=f32[20480]:iota' 'y=f32[64]' 'z=i32[64]' --save y=%t/$p.y.bin \
// RUN:   --save z=%t/$p.z.bin || exit 1; done; cmp %t/once.y.bin %t/each.y.bin && cmp %t/once.z.bin %t/each.z.bin \
// RUN:   || exit 1; done
// RUN: %kiln compile %t/peak.ttir --emit=ttg -o - | FileCheck %t/peak.ttir
// RUN: for n in 0 2; do for d in sim interp; do %kiln run --device=$d --cache-mode=off %t/peak.ttir n=$n \
// RUN:   'x=f32[256]:fill:nan' 'y=f32[1]:fill:nan' 'z=f32[1]' --save z=%t/$d.z.bin || exit 1; done; \
// RUN:   cmp %t/sim.z.bin %t/interp.z.bin || exit 1; done

//--- peak.ttir
// A maximum that ignores NaN is NaN if there is nothing else.
// CHECK: scf.for
// CHECK-NOT: tt.reduce
// CHECK: scf.yield
// CHECK: tt.reduce
module {
  tt.func public @peak(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"), %y: !tt.ptr<f32> loc("y"), %z: !tt.ptr<f32> loc("z"), %n: i32 loc("n")) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %px = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %p = tt.addptr %px, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %init = tt.load %y : !tt.ptr<f32>
    %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init) -> (f32) : i32 {
      %v = tt.load %p : tensor<256x!tt.ptr<f32>>
      %m = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%s: f32, %t: f32):
        %u = arith.maxnumf %s, %t : f32
        tt.reduce.return %u : f32
      }) : (tensor<256xf32>) -> f32
      %b = arith.maxnumf %a, %m : f32
      scf.yield %b : f32
    }
    tt.store %z, %q : !tt.ptr<f32>
    tt.return
  }
}

//--- sums.ttir
module {
  // CHECK-LABEL: @sums(
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : tensor<32x128xf32
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant dense<-2147483648> : tensor<32x128xi32
  // CHECK: %[[ALL:.*]]:2 = scf.for
  // CHECK-NOT: tt.reduce
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<32x128xf32
  // CHECK: arith.maxsi %{{.*}}, %{{.*}} : tensor<32x128xi32
  // CHECK-NOT: tt.reduce
  // CHECK: scf.yield
  // CHECK: "tt.reduce"(%[[ALL]]#0)
  // CHECK: arith.addf
  // CHECK: "tt.reduce"(%[[ALL]]#1)
  // CHECK: arith.maxsi
  tt.func public @sums(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"), %y: !tt.ptr<f32> loc("y"), %z: !tt.ptr<i32> loc("z"), %n: i32 loc("n")) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4096 = arith.constant 4096 : i32
    %one = arith.constant dense<1.0> : tensor<32xf32>
    %low = arith.constant dense<-7> : tensor<32xi32>
    %width = arith.constant dense<128> : tensor<32x1xi32>
    %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %c = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %rowsw = arith.muli %rows, %width : tensor<32x1xi32>
    %cols = tt.expand_dims %c {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
    %at0 = tt.broadcast %rowsw : tensor<32x1xi32> -> tensor<32x128xi32>
    %at1 = tt.broadcast %cols : tensor<1x128xi32> -> tensor<32x128xi32>
    %at = arith.addi %at0, %at1 : tensor<32x128xi32>
    %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %one, %most = %low) -> (tensor<32xf32>, tensor<32xi32>) : i32 {
      %o = arith.muli %i, %c4096 : i32
      %p = tt.addptr %x, %o : !tt.ptr<f32>, i32
      %ps = tt.splat %p : !tt.ptr<f32> -> tensor<32x128x!tt.ptr<f32>>
      %q = tt.addptr %ps, %at : tensor<32x128x!tt.ptr<f32>>, tensor<32x128xi32>
      %v = tt.load %q : tensor<32x128x!tt.ptr<f32>>
      %w = arith.fptosi %v : tensor<32x128xf32> to tensor<32x128xi32>
      %m = "tt.reduce"(%v) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %ab = arith.addf %a, %b : f32
        tt.reduce.return %ab : f32
      }) : (tensor<32x128xf32>) -> tensor<32xf32>
      %k = "tt.reduce"(%w) <{axis = 1 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %ab = arith.maxsi %b, %a : i32
        tt.reduce.return %ab : i32
      }) : (tensor<32x128xi32>) -> tensor<32xi32>
      %t = arith.addf %acc, %m : tensor<32xf32>
      %u = arith.maxsi %k, %most : tensor<32xi32>
      scf.yield %t, %u : tensor<32xf32>, tensor<32xi32>
    }
    %py = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %qy = tt.addptr %py, %r : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    tt.store %qy, %s#0 : tensor<32x!tt.ptr<f32>>
    %pz = tt.splat %z : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
    %qz = tt.addptr %pz, %r : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    tt.store %qz, %s#1 : tensor<32x!tt.ptr<i32>>
    tt.return
  }
}

//--- left.ttir
module {
  // The running sum is wanted in each iteration; sum and product cannot be one sum; 512 elements a thread are too many; a thread has the whole axis.
  // CHECK-LABEL: @left(
  // CHECK: scf.for
  // CHECK-COUNT-4: "tt.reduce"
  // CHECK: scf.yield
  // CHECK-NOT: "tt.reduce"
  tt.func public @left(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : tensor<256xf32>
    %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %ps = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %q = tt.addptr %ps, %r : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %s:4 = scf.for %i = %c0 to %n step %c1 iter_args(%a0 = %zero, %a1 = %zero, %a2 = %zero, %a3 = %zeros) -> (f32, f32, f32, tensor<256xf32>) : i32 {
      %v = tt.load %q : tensor<256x!tt.ptr<f32>>
      %m0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %ab = arith.addf %a, %b : f32
        tt.reduce.return %ab : f32
      }) : (tensor<256xf32>) -> f32
      %t0 = arith.addf %a0, %m0 : f32
      %py = tt.addptr %y, %i : !tt.ptr<f32>, i32
      tt.store %py, %t0 : !tt.ptr<f32>
      %m1 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %ab = arith.mulf %a, %b : f32
        tt.reduce.return %ab : f32
      }) : (tensor<256xf32>) -> f32
      %t1 = arith.addf %a1, %m1 : f32
      %vi = tt.splat %i : i32 -> tensor<131072xi32>
      %vf = arith.sitofp %vi : tensor<131072xi32> to tensor<131072xf32>
      %m2 = "tt.reduce"(%vf) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %ab = arith.addf %a, %b : f32
        tt.reduce.return %ab : f32
      }) : (tensor<131072xf32>) -> f32
      %t2 = arith.addf %a2, %m2 : f32
      %v1 = tt.expand_dims %v {axis = 1 : i32} : tensor<256xf32> -> tensor<256x1xf32>
      %m3 = "tt.reduce"(%v1) <{axis = 1 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %ab = arith.addf %a, %b : f32
        tt.reduce.return %ab : f32
      }) : (tensor<256x1xf32>) -> tensor<256xf32>
      %t3 = arith.addf %a3, %m3 : tensor<256xf32>
      scf.yield %t0, %t1, %t2, %t3 : f32, f32, f32, tensor<256xf32>
    }
    tt.store %q, %s#3 : tensor<256x!tt.ptr<f32>>
    %all = arith.addf %s#1, %s#2 : f32
    tt.store %y, %all : !tt.ptr<f32>
    tt.return
  }
}
