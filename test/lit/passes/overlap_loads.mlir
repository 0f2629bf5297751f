// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of few loads are unrolled, so that several loads are on their way at once; but not if an
// address depends on an earlier load, if the loop writes, or if four copies do not fit registers.
// RUN: kiln compile %s --from=tt --emit=ttg --passes=overlap_loads --no-line-info -o - | FileCheck %s
// RUN: for n in 0 7 8 61; do for d in "" --disable-pass=overlap_loads; do \
// RUN:   kiln compile %s --from=tt --kernel=sum $d -o %t$d.hsaco && kiln run --device=sim --grid=1 %t$d.hsaco \
// RUN:   'x=f32[4096]:random:1' 'y=f32[64]' n=$n --save y=%t$d.bin || exit 1; done; \
// RUN:   cmp %t.bin %t--disable-pass=overlap_loads.bin || exit 1; done

module {
  // CHECK-LABEL: @sum
  // CHECK: tt.loop_unroll_factor = 8 : i32
  tt.func public @sum(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<f32> loc("y"), %n: i32 loc("n")) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %step = arith.constant dense<64> : tensor<64xi32>
    %s0 = arith.constant dense<0.0> : tensor<64xf32>
    %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %p0 = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %r:2 = scf.for %k = %zero to %n step %one iter_args(%p = %p0, %s = %s0) -> (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) : i32 {
      %v = tt.load %p : tensor<64x!tt.ptr<f32>>
      %t = arith.addf %s, %v : tensor<64xf32>
      %q = tt.addptr %p, %step : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
      scf.yield %q, %t : tensor<64x!tt.ptr<f32>>, tensor<64xf32>
    }
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %yp, %r#1 : tensor<64x!tt.ptr<f32>>
    tt.return
  }

  // An address may depend on a load of the same iteration. Two registers in each: four copies.
  // CHECK-LABEL: @gather
  // CHECK: tt.loop_unroll_factor = 4 : i32
  tt.func public @gather(%x: !tt.ptr<i32>, %y: !tt.ptr<f32>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %s0 = arith.constant 0.0 : f32
    %s = scf.for %k = %zero to %n step %one iter_args(%s = %s0) -> (f32) : i32 {
      %p = tt.addptr %x, %k : !tt.ptr<i32>, i32
      %i = tt.load %p : !tt.ptr<i32>
      %q = tt.addptr %y, %i : !tt.ptr<f32>, i32
      %v = tt.load %q : !tt.ptr<f32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    tt.store %y, %s : !tt.ptr<f32>
    tt.return
  }

  // Eight registers in each iteration: four copies, too.
  // CHECK-LABEL: @wide
  // CHECK: tt.loop_unroll_factor = 4 : i32
  tt.func public @wide(%wide: tensor<2048x!tt.ptr<f32>>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %s0 = arith.constant dense<0.0> : tensor<2048xf32>
    %w = scf.for %k = %zero to %n step %one iter_args(%s = %s0) -> (tensor<2048xf32>) : i32 {
      %v = tt.load %wide : tensor<2048x!tt.ptr<f32>>
      %t = arith.addf %s, %v : tensor<2048xf32>
      scf.yield %t : tensor<2048xf32>
    }
    tt.store %wide, %w : tensor<2048x!tt.ptr<f32>>
    tt.return
  }

  // CHECK-LABEL: @others
  // CHECK-NOT: tt.loop_unroll_factor
  // CHECK: tt.num_stages = 1
  // CHECK-NOT: tt.loop_unroll_factor = {{[^1]}}
  tt.func public @others(%x: !tt.ptr<i32>, %wide: tensor<4096x!tt.ptr<f32>>, %n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    // A list, a step later: the address is loaded by the iteration before the last one.
    %l:2 = scf.for %k = %zero to %n step %one iter_args(%a = %zero, %b = %zero) -> (i32, i32) : i32 {
      %p = tt.addptr %x, %a : !tt.ptr<i32>, i32
      %v = tt.load %p : !tt.ptr<i32>
      scf.yield %b, %v : i32, i32
    }
    // A write.
    scf.for %k = %zero to %n step %one : i32 {
      %p = tt.addptr %x, %k : !tt.ptr<i32>, i32
      %v = tt.load %p : !tt.ptr<i32>
      tt.store %x, %v : !tt.ptr<i32>
    }
    // Sixteen registers.
    %s0 = arith.constant dense<0.0> : tensor<4096xf32>
    %w = scf.for %k = %zero to %n step %one iter_args(%s = %s0) -> (tensor<4096xf32>) : i32 {
      %v = tt.load %wide : tensor<4096x!tt.ptr<f32>>
      %t = arith.addf %s, %v : tensor<4096xf32>
      scf.yield %t : tensor<4096xf32>
    }
    // Three iterations.
    %few = scf.for %k = %zero to %three step %one iter_args(%s = %zero) -> (i32) : i32 {
      %p = tt.addptr %x, %k : !tt.ptr<i32>, i32
      %v = tt.load %p : !tt.ptr<i32>
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    }
    // The rest of an unrolled loop, and one whose factor is given.
    %rest = scf.for %k = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {
      %p = tt.addptr %x, %k : !tt.ptr<i32>, i32
      %v = tt.load %p : !tt.ptr<i32>
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    } {tt.num_stages = 1 : i32}
    %own = scf.for %k = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {
      %p = tt.addptr %x, %k : !tt.ptr<i32>, i32
      %v = tt.load %p : !tt.ptr<i32>
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    } {tt.loop_unroll_factor = 1 : i32}
    tt.store %x, %few : !tt.ptr<i32>
    tt.store %x, %rest : !tt.ptr<i32>
    tt.store %x, %own : !tt.ptr<i32>
    tt.store %x, %l#0 : !tt.ptr<i32>
    tt.store %wide, %w : tensor<4096x!tt.ptr<f32>>
    tt.return
  }
}
