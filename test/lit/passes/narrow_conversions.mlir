// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widened integers are converted to floating point from their original type, through masks and
// right shifts by constants; but not if the wide number differs, or has other uses. Results are the
// same with and without for all numbers.
// RUN: kiln compile %s --from=tt --emit=ttg --passes=narrow_conversions,cse --no-line-info -o - | FileCheck %s
// RUN: for d in "" --disable-pass=narrow_conversions; do kiln compile %s --from=tt --kernel=numbers $d --emit=ttg \
// RUN:   --num-warps=4 -o %t$d.ttgir && kiln run --device=sim %t$d.ttgir 'x=i8[256]:iota' 'y=f32[2048]' \
// RUN:   --save y=%t$d.bin || exit 1; done; cmp %t.bin %t--disable-pass=narrow_conversions.bin

module {
  // CHECK-LABEL: @numbers
  // CHECK: %[[X:.*]] = tt.load
  // CHECK: %[[FIFTEEN:.*]] = arith.constant dense<15> : tensor<256xi8>
  // CHECK: %[[LOW:.*]] = arith.andi %[[X]], %[[FIFTEEN]] : tensor<256xi8>
  // CHECK: arith.uitofp %[[LOW]] : tensor<256xi8> to tensor<256xf32>
  // CHECK: %[[FOUR:.*]] = arith.constant dense<4> : tensor<256xi8>
  // CHECK: %[[SHIFTED:.*]] = arith.shrui %[[X]], %[[FOUR]] : tensor<256xi8>
  // CHECK: arith.uitofp %[[SHIFTED]] : tensor<256xi8> to tensor<256xf32>
  // CHECK: %[[HIGH:.*]] = arith.constant dense<-16> : tensor<256xi8>
  // CHECK: %[[MASKED:.*]] = arith.andi %[[X]], %[[HIGH]] : tensor<256xi8>
  // CHECK: arith.uitofp %[[MASKED]] : tensor<256xi8> to tensor<256xf32>
  // CHECK: %[[SIGNED:.*]] = arith.shrsi %[[X]], %[[FOUR]] : tensor<256xi8>
  // CHECK: arith.sitofp %[[SIGNED]] : tensor<256xi8> to tensor<256xf32>
  // CHECK: arith.sitofp %[[X]] : tensor<256xi8> to tensor<256xf32>
  // CHECK: arith.uitofp %{{.*}} : tensor<256xi32> to tensor<256xf32>
  // CHECK: arith.uitofp %{{.*}} : tensor<256xi32> to tensor<256xf32>
  // CHECK: arith.sitofp %{{.*}} : tensor<256xi32> to tensor<256xf32>
  tt.func public @numbers(%x: !tt.ptr<i8> loc("x"), %y: !tt.ptr<f32> loc("y")) {
    %fifteen = arith.constant dense<15> : tensor<256xi32>
    %four = arith.constant dense<4> : tensor<256xi32>
    %high = arith.constant dense<-16> : tensor<256xi32>
    %i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %xs = tt.splat %x : !tt.ptr<i8> -> tensor<256x!tt.ptr<i8>>
    %px = tt.addptr %xs, %i : tensor<256x!tt.ptr<i8>>, tensor<256xi32>
    %v = tt.load %px : tensor<256x!tt.ptr<i8>>
    %u = arith.extui %v : tensor<256xi8> to tensor<256xi32>
    %s = arith.extsi %v : tensor<256xi8> to tensor<256xi32>
    // A number of 8 bits, without a sign and with one.
    %a0 = arith.andi %u, %fifteen : tensor<256xi32>
    %f0 = arith.sitofp %a0 : tensor<256xi32> to tensor<256xf32>
    %a1 = arith.shrsi %u, %four : tensor<256xi32>
    %f1 = arith.sitofp %a1 : tensor<256xi32> to tensor<256xf32>
    %a2 = arith.andi %u, %high : tensor<256xi32>
    %f2 = arith.uitofp %a2 : tensor<256xi32> to tensor<256xf32>
    %a3 = arith.shrsi %s, %four : tensor<256xi32>
    %f3 = arith.sitofp %a3 : tensor<256xi32> to tensor<256xf32>
    %f4 = arith.sitofp %s : tensor<256xi32> to tensor<256xf32>
    // −1 is 4294967295 here, and 268435455 there.
    %f5 = arith.uitofp %s : tensor<256xi32> to tensor<256xf32>
    %a6 = arith.shrui %s, %four : tensor<256xi32>
    %f6 = arith.uitofp %a6 : tensor<256xi32> to tensor<256xf32>
    // Another operation.
    %a7 = arith.xori %u, %fifteen : tensor<256xi32>
    %b7 = arith.andi %a7, %fifteen : tensor<256xi32>
    %f7 = arith.sitofp %b7 : tensor<256xi32> to tensor<256xf32>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %p0 = tt.addptr %ys, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %step = arith.constant dense<256> : tensor<256xi32>
    %p1 = tt.addptr %p0, %step : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %p2 = tt.addptr %p1, %step : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %p3 = tt.addptr %p2, %step : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %p4 = tt.addptr %p3, %step : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %p5 = tt.addptr %p4, %step : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %p6 = tt.addptr %p5, %step : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %p7 = tt.addptr %p6, %step : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    tt.store %p0, %f0 : tensor<256x!tt.ptr<f32>>
    tt.store %p1, %f1 : tensor<256x!tt.ptr<f32>>
    tt.store %p2, %f2 : tensor<256x!tt.ptr<f32>>
    tt.store %p3, %f3 : tensor<256x!tt.ptr<f32>>
    tt.store %p4, %f4 : tensor<256x!tt.ptr<f32>>
    tt.store %p5, %f5 : tensor<256x!tt.ptr<f32>>
    tt.store %p6, %f6 : tensor<256x!tt.ptr<f32>>
    tt.store %p7, %f7 : tensor<256x!tt.ptr<f32>>
    tt.return
  }

  // CHECK-LABEL: @used_elsewhere
  // CHECK: arith.sitofp %{{.*}} : i32 to f16
  tt.func public @used_elsewhere(%x: i16, %y: !tt.ptr<f16>, %z: !tt.ptr<i32>) {
    %c7 = arith.constant 7 : i32
    %w = arith.extui %x : i16 to i32
    %a = arith.andi %w, %c7 : i32
    %f = arith.sitofp %a : i32 to f16
    tt.store %y, %f : !tt.ptr<f16>
    tt.store %z, %a : !tt.ptr<i32>
    tt.return
  }

  // Numbers of 64 bits are converted from 32 if they fit: masked ones, remainders of 2^31; 2^32 − 1 only
  // without a sign, and not the unknown.
  // CHECK-LABEL: @words
  // CHECK: %[[MASKED:.*]] = arith.andi
  // CHECK: %[[WORD:.*]] = arith.trunci %[[MASKED]] : i64 to i32
  // CHECK: arith.sitofp %[[WORD]] : i32 to f32
  // CHECK: %[[REST:.*]] = arith.remsi
  // CHECK: %[[SIGNED:.*]] = arith.trunci %[[REST]] : i64 to i32
  // CHECK: arith.sitofp %[[SIGNED]] : i32 to f32
  // CHECK: %[[ALL:.*]] = arith.andi
  // CHECK: arith.sitofp %[[ALL]] : i64 to f32
  // CHECK: %[[UNSIGNED:.*]] = arith.trunci %[[ALL]] : i64 to i32
  // CHECK: arith.uitofp %[[UNSIGNED]] : i32 to f32
  // CHECK: arith.sitofp %{{.*}} : i64 to f32
  // CHECK: arith.uitofp %[[REST]] : i64 to f32
  tt.func public @words(%x: i64, %y: !tt.ptr<f32>) {
    %fifteen = arith.constant 15 : i64
    %all = arith.constant 4294967295 : i64
    %half = arith.constant 2147483648 : i64
    %a = arith.andi %x, %fifteen : i64
    %fa = arith.sitofp %a : i64 to f32
    tt.store %y, %fa : !tt.ptr<f32>
    %r = arith.remsi %x, %half : i64
    %fr = arith.sitofp %r : i64 to f32
    tt.store %y, %fr : !tt.ptr<f32>
    %b = arith.andi %x, %all : i64
    %fb = arith.sitofp %b : i64 to f32
    tt.store %y, %fb : !tt.ptr<f32>
    %fu = arith.uitofp %b : i64 to f32
    tt.store %y, %fu : !tt.ptr<f32>
    %fx = arith.sitofp %x : i64 to f32
    tt.store %y, %fx : !tt.ptr<f32>
    %fs = arith.uitofp %r : i64 to f32
    tt.store %y, %fs : !tt.ptr<f32>
    tt.return
  }
}
