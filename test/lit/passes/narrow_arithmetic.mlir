// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed in f32 from integers and f16 numbers and rounded to f16 is computed in f16; but
// not if a part of it is no f16 number, is rounded in between, or has other uses. Results are the
// same with and without.
// RUN: kiln compile %s --from=tt --emit=ttg --passes=narrow_arithmetic,canonicalize,cse --no-line-info -o - | FileCheck %s
// RUN: for k in weights sums repeated; do for d in "" --disable-pass=narrow_arithmetic; do \
// RUN:   kiln compile %s --from=tt --kernel=$k $d --emit=ttg --num-warps=4 -o %t$d.ttgir && kiln run --device=sim %t$d.ttgir \
// RUN:   'q=u8[256]:iota' 'z=u8[256]:random:1' 's=f16[256]:random:2' 'y=f16[2048]' --save y=%t$d.bin || exit 1; done; \
// RUN:   cmp %t.bin %t--disable-pass=narrow_arithmetic.bin || exit 1; done

module {
  // CHECK-LABEL: @weights
  // CHECK: arith.uitofp %{{.*}} : tensor<256xi8> to tensor<256xf16>
  // CHECK: arith.subf %{{.*}} : tensor<256xf16>
  // CHECK: arith.mulf %{{.*}} : tensor<256xf16>
  // CHECK-NOT: f32
  // CHECK: arith.subf %{{.*}} : tensor<256xf16>
  // CHECK: arith.mulf %{{.*}} : tensor<256xf16>
  // CHECK: arith.addf %{{.*}} : tensor<256xf16>
  // CHECK-NOT: f32
  // CHECK: tt.return
  tt.func public @weights(%q: !tt.ptr<i8> loc("q"), %z: !tt.ptr<i8> loc("z"), %s: !tt.ptr<f16> loc("s"), %y: !tt.ptr<f16> loc("y")) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %qs = tt.splat %q : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %qp = tt.addptr %qs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %qv = tt.load %qp : tensor<256x!tt.ptr<i8>>
    %zs = tt.splat %z : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %zp = tt.addptr %zs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %zv = tt.load %zp : tensor<256x!tt.ptr<i8>>
    %ss = tt.splat %s : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
    %sp = tt.addptr %ss, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    %sv = tt.load %sp : tensor<256x!tt.ptr<f16>>
    %qf = arith.uitofp %qv : tensor<256xi8> to tensor<256xf32>
    %zf = arith.sitofp %zv : tensor<256xi8> to tensor<256xf32>
    %sf = arith.extf %sv : tensor<256xf16> to tensor<256xf32>
    %d = arith.subf %qf, %zf : tensor<256xf32>
    %w = arith.mulf %d, %sf : tensor<256xf32>
    %h = arith.truncf %w : tensor<256xf32> to tensor<256xf16>
    %ys = tt.splat %y : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
    %p0 = tt.addptr %ys, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    tt.store %p0, %h : tensor<256x!tt.ptr<f16>>
    // A constant, sums, and a product of integers.
    %step = arith.constant dense<256> : tensor<256xi32>
    %eight = arith.constant dense<8.0> : tensor<256xf32>
    %four = arith.constant dense<4.0> : tensor<256xf32>
    %e = arith.subf %qf, %eight : tensor<256xf32>
    %e4 = arith.mulf %e, %four : tensor<256xf32>
    %v = arith.addf %sf, %e4 : tensor<256xf32>
    %g = arith.truncf %v : tensor<256xf32> to tensor<256xf16>
    %p1 = tt.addptr %p0, %step : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    tt.store %p1, %g : tensor<256x!tt.ptr<f16>>
    tt.return
  }

  // A rounded product is not fused with the sum that uses it.
  // CHECK-LABEL: @sums
  // CHECK: arith.mulf %{{.*}} {kiln.rounded} : tensor<256xf16>
  // CHECK-NOT: f32
  // CHECK: tt.return
  tt.func public @sums(%q: !tt.ptr<i8> loc("q"), %z: !tt.ptr<i8> loc("z"), %s: !tt.ptr<f16> loc("s"), %y: !tt.ptr<f16> loc("y")) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %qs = tt.splat %q : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %qp = tt.addptr %qs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %qv = tt.load %qp : tensor<256x!tt.ptr<i8>>
    %zs = tt.splat %z : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %zp = tt.addptr %zs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %zv = tt.load %zp : tensor<256x!tt.ptr<i8>>
    %ss = tt.splat %s : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
    %sp = tt.addptr %ss, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    %sv = tt.load %sp : tensor<256x!tt.ptr<f16>>
    %qf = arith.uitofp %qv : tensor<256xi8> to tensor<256xf32>
    %sf = arith.extf %sv : tensor<256xf16> to tensor<256xf32>
    %w = arith.mulf %qf, %sf : tensor<256xf32>
    %h = arith.truncf %w : tensor<256xf32> to tensor<256xf16>
    %b = arith.uitofp %zv : tensor<256xi8> to tensor<256xf16>
    %sum = arith.addf %h, %b : tensor<256xf16>
    %difference = arith.subf %b, %h : tensor<256xf16>
    %step = arith.constant dense<256> : tensor<256xi32>
    %ys = tt.splat %y : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
    %p0 = tt.addptr %ys, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    %p1 = tt.addptr %p0, %step : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    tt.store %p0, %sum : tensor<256x!tt.ptr<f16>>
    tt.store %p1, %difference : tensor<256x!tt.ptr<f16>>
    tt.return
  }

  // CHECK-LABEL: @views
  // CHECK-NOT: f32
  // CHECK: tt.expand_dims %{{.*}} : tensor<16xf16> -> tensor<1x16xf16>
  // CHECK: tt.broadcast %{{.*}} : tensor<1x16xf16> -> tensor<16x16xf16>
  // CHECK-NOT: f32
  // CHECK: tt.return
  tt.func public @views(%x: tensor<16x16xi8>, %s: tensor<16xf16>, %y: tensor<16x16x!tt.ptr<f16>>) {
    %sf = arith.extf %s : tensor<16xf16> to tensor<16xf32>
    %row = tt.expand_dims %sf {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
    %all = tt.broadcast %row : tensor<1x16xf32> -> tensor<16x16xf32>
    %xf = arith.uitofp %x : tensor<16x16xi8> to tensor<16x16xf32>
    %w = arith.mulf %xf, %all : tensor<16x16xf32>
    %h = arith.truncf %w : tensor<16x16xf32> to tensor<16x16xf16>
    tt.store %y, %h : tensor<16x16x!tt.ptr<f16>>
    tt.return
  }

  // bf16 has numbers that f16 lacks, 32 bits are too many, the inner product is rounded, and a sum
  // of two integers can be 2049.
  // CHECK-LABEL: @others
  // CHECK-COUNT-5: arith.truncf
  // CHECK: tt.return
  tt.func public @others(%b: bf16, %i: i32, %c: i8, %h: f16, %y: !tt.ptr<f16>) {
    %ten = arith.constant 1025 : i32
    %bits = arith.constant 1023 : i32
    %bf = arith.extf %b : bf16 to f32
    %hf = arith.extf %h : f16 to f32
    %if = arith.sitofp %i : i32 to f32
    %cf = arith.sitofp %c : i8 to f32
    %w0 = arith.mulf %bf, %cf : f32
    %t0 = arith.truncf %w0 : f32 to f16
    tt.store %y, %t0 : !tt.ptr<f16>
    %w1 = arith.mulf %hf, %if : f32
    %t1 = arith.truncf %w1 : f32 to f16
    tt.store %y, %t1 : !tt.ptr<f16>
    %w2 = arith.mulf %hf, %cf : f32
    %v2 = arith.addf %w2, %cf : f32
    %t2 = arith.truncf %v2 : f32 to f16
    tt.store %y, %t2 : !tt.ptr<f16>
    %m = arith.andi %i, %bits : i32
    %n = arith.addi %m, %ten : i32
    %nf = arith.sitofp %n : i32 to f32
    %one = arith.constant 1.0 : f32
    %s3 = arith.addf %nf, %one : f32
    %w3 = arith.mulf %s3, %hf : f32
    %t3 = arith.truncf %w3 : f32 to f16
    tt.store %y, %t3 : !tt.ptr<f16>
    %d = arith.subf %cf, %one : f32
    %w4 = arith.mulf %d, %hf : f32
    %w5 = arith.mulf %d, %bf : f32
    %s5 = arith.addf %w4, %w5 : f32
    %t4 = arith.truncf %s5 : f32 to f16
    tt.store %y, %t4 : !tt.ptr<f16>
    tt.return
  }

  // What a splat repeats is computed once, in f16, also if the splat has uses that stay in f32.
  // CHECK-LABEL: @repeated
  // CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : f16
  // CHECK: %[[WIDE:.*]] = arith.extf %[[SUM]] : f16 to f32
  // CHECK-NOT: arith.addf
  // CHECK: arith.subf %{{.*}} : tensor<256xf16>
  // CHECK-NOT: arith.addf
  // CHECK: arith.divf %{{.*}} : tensor<256xf32>
  // CHECK-NOT: arith.addf
  // CHECK: tt.return
  tt.func public @repeated(%q: !tt.ptr<i8> loc("q"), %z: !tt.ptr<i8> loc("z"), %s: !tt.ptr<f16> loc("s"), %y: !tt.ptr<f16> loc("y")) {
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %qs = tt.splat %q : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %qp = tt.addptr %qs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %qv = tt.load %qp : tensor<256x!tt.ptr<i8>>
    %zv = tt.load %z : !tt.ptr<i8>
    %one = arith.constant 1.0 : f32
    %zf = arith.uitofp %zv : i8 to f32
    %z1 = arith.addf %zf, %one : f32
    %zs = tt.splat %z1 : f32 -> tensor<256xf32>
    %qf = arith.uitofp %qv : tensor<256xi8> to tensor<256xf32>
    %d = arith.subf %qf, %zs : tensor<256xf32>
    %h = arith.truncf %d : tensor<256xf32> to tensor<256xf16>
    %ys = tt.splat %y : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
    %p0 = tt.addptr %ys, %i : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    tt.store %p0, %h : tensor<256x!tt.ptr<f16>>
    %e = arith.divf %qf, %zs : tensor<256xf32>
    %g = arith.truncf %e : tensor<256xf32> to tensor<256xf16>
    %step = arith.constant dense<256> : tensor<256xi32>
    %p1 = tt.addptr %p0, %step : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    tt.store %p1, %g : tensor<256x!tt.ptr<f16>>
    tt.return
  }

  // Differences of integers that are no bytes stay integers: f16 would take more conversions.
  // CHECK-LABEL: @words
  // CHECK: arith.subi
  // CHECK: arith.sitofp %{{.*}} : tensor<256xi32> to tensor<256xf16>
  // CHECK-NOT: arith.subf
  // CHECK: arith.subf %{{.*}} : tensor<256xf16>
  // CHECK: tt.return
  tt.func public @words(%w: tensor<256xi32>, %v: tensor<256xi8>, %y: tensor<256x!tt.ptr<f16>>) {
    %mask = arith.constant dense<255> : tensor<256xi32>
    %a = arith.andi %w, %mask : tensor<256xi32>
    %b = arith.extui %v : tensor<256xi8> to tensor<256xi32>
    %ab = arith.subi %a, %b : tensor<256xi32>
    %abf = arith.sitofp %ab : tensor<256xi32> to tensor<256xf16>
    tt.store %y, %abf : tensor<256x!tt.ptr<f16>>
    %ba = arith.subi %b, %a : tensor<256xi32>
    %baf = arith.sitofp %ba : tensor<256xi32> to tensor<256xf16>
    tt.store %y, %baf : tensor<256x!tt.ptr<f16>>
    tt.return
  }
}
