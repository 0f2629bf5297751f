// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 dots of several passes are sums of dots over leading and trailing parts, the smallest first,
// without the NaNs of infinite operands' trailing parts. Micro-scaled operands are widened and
// multiplied by their scales.
// RUN: kiln compile %s --from=tt --emit=tt --passes=decompose_dots,canonicalize,cse --no-line-info -o - | FileCheck %s

module {
  // CHECK-LABEL: @bf16x3
  // CHECK: %[[A0:.*]] = arith.truncf %arg0
  // CHECK: %[[A0W:.*]] = arith.extf %[[A0]]
  // CHECK: %[[REST:.*]] = arith.subf %arg0, %[[A0W]]
  // CHECK: %[[A1:.*]] = arith.truncf %[[REST]]
  // CHECK: %[[B0:.*]] = arith.truncf %arg1
  // CHECK: %[[B1:.*]] = arith.truncf
  // CHECK: %[[S0:.*]] = tt.dot %[[A1]], %[[B0]], %{{cst.*}} : tensor<64x32xbf16> * tensor<32x64xbf16> -> tensor<64x64xf32>
  // CHECK: %[[S1:.*]] = tt.dot %[[A0]], %[[B1]], %[[S0]]
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[S1]], %[[S1]]
  // CHECK: %[[S2:.*]] = arith.select %[[NAN]], %{{cst.*}}, %[[S1]]
  // CHECK: %[[S3:.*]] = tt.dot %[[A0]], %[[B0]], %[[S2]]
  // CHECK: arith.addf %[[S3]], %arg2
  tt.func @bf16x3(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    tt.return %d : tensor<64x64xf32>
  }
  // CHECK-LABEL: @bf16x6
  // CHECK-COUNT-6: tt.dot
  // CHECK-NOT: tt.dot
  tt.func @bf16x6(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    tt.return %d : tensor<64x64xf32>
  }
  // A NaN whose payload tf32 does not hold stays one in the leading part.
  // CHECK-LABEL: @tf32x3
  // CHECK-SAME: (%[[A:.*]]: tensor<64x32xf32>, %{{.*}}: tensor<32x64xf32>
  // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[A]], %[[A]]
  // CHECK: arith.select %[[NAN]], %{{.*}}, %{{.*}} : tensor<64x32xi1>, tensor<64x32xf32>
  // CHECK-COUNT-3: tt.dot {{.*}}, inputPrecision = tf32 : tensor<64x32xf32>
  // CHECK-NOT: tt.dot
  tt.func @tf32x3(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    tt.return %d : tensor<64x64xf32>
  }
  // Where no instruction fits the parts, or the parts don't fit the registers, f32 is both exacter
  // and faster.
  // CHECK-LABEL: @few_rows
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: tt.return
  tt.func @few_rows(%a: tensor<2x32xf32>, %b: tensor<32x64xf32>, %c: tensor<2x64xf32>) -> tensor<2x64xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<2x32xf32> * tensor<32x64xf32> -> tensor<2x64xf32>
    tt.return %d : tensor<2x64xf32>
  }
  // CHECK-LABEL: @many_parts
  // CHECK-NEXT: tt.dot
  // CHECK-NEXT: tt.return
  tt.func @many_parts(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %c: tensor<128x128xf32>) -> tensor<128x128xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<128x128xf32> * tensor<128x128xf32> -> tensor<128x128xf32>
    tt.return %d : tensor<128x128xf32>
  }
  // One pass stays one dot; the precision of other types than f32 means nothing.
  // CHECK-LABEL: @plain
  // CHECK-NEXT: tt.dot {{.*}}, inputPrecision = tf32
  // CHECK-NEXT: tt.dot {{.*}}, inputPrecision = bf16x3 : tensor<64x32xf16>
  tt.func @plain(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %x: tensor<64x32xf16>, %y: tensor<32x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x64xf32> -> tensor<64x64xf32>
    %e = tt.dot %x, %y, %d, inputPrecision = bf16x3 : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    tt.return %e : tensor<64x64xf32>
  }
  // e2m1 comes two to a byte; along K of the first operand they are neighbours of one row, of the
  // second of one column.
  // CHECK-LABEL: @scaled
  // CHECK: tt.join {{.*}} : tensor<128x32xbf16> -> tensor<128x32x2xbf16>
  // CHECK: %[[A:.*]] = tt.reshape {{.*}} : tensor<128x32x2xbf16> -> tensor<128x64xbf16>
  // CHECK: %[[SCALES:.*]] = tt.broadcast {{.*}} : tensor<128x2x1xbf16> -> tensor<128x2x32xbf16>
  // CHECK: %[[FACTOR:.*]] = tt.reshape %[[SCALES]] : tensor<128x2x32xbf16> -> tensor<128x64xbf16>
  // The product is one of f32, rounded to nearest even.
  // CHECK-DAG: %[[A32:.*]] = arith.extf %[[A]] : tensor<128x64xbf16> to tensor<128x64xf32>
  // CHECK-DAG: %[[F32:.*]] = arith.extf %[[FACTOR]] : tensor<128x64xbf16> to tensor<128x64xf32>
  // CHECK: %[[PRODUCT:.*]] = arith.mulf %[[A32]], %[[F32]]
  // CHECK: %[[UPPER:.*]] = arith.trunci {{.*}} : tensor<128x64xi32> to tensor<128x64xi16>
  // CHECK: %[[LEFT:.*]] = tt.bitcast %[[UPPER]] : tensor<128x64xi16> -> tensor<128x64xbf16>
  // CHECK: %[[PAIR:.*]] = tt.join {{.*}} : tensor<32x64xbf16> -> tensor<32x64x2xbf16>
  // CHECK: tt.trans %[[PAIR]] {order = array<i32: 0, 2, 1>} : tensor<32x64x2xbf16> -> tensor<32x2x64xbf16>
  // CHECK: tt.trans {{.*}} {order = array<i32: 1, 0>} : tensor<64x64xbf16> -> tensor<64x64xbf16>
  // CHECK: arith.mulf
  // CHECK: %[[RIGHT:.*]] = tt.bitcast {{.*}} : tensor<64x64xi16> -> tensor<64x64xbf16>
  // CHECK: tt.dot %[[LEFT]], %[[RIGHT]], %arg4 : tensor<128x64xbf16> * tensor<64x64xbf16> -> tensor<128x64xf32>
  tt.func @scaled(%a: tensor<128x32xi8>, %as: tensor<128x2xi8>, %b: tensor<32x64xi8>, %bs: tensor<64x2xi8>, %c: tensor<128x64xf32>) -> tensor<128x64xf32> {
    %d = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<128x32xi8>, tensor<128x2xi8> * tensor<32x64xi8>, tensor<64x2xi8> -> tensor<128x64xf32>
    tt.return %d : tensor<128x64xf32>
  }
  // CHECK-LABEL: @unscaled
  // CHECK: tt.fp_to_fp %arg0 : tensor<128x64xf8E4M3FN> -> tensor<128x64xf16>
  // CHECK: tt.dot {{.*}}, %arg1, %arg2 : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
  tt.func @unscaled(%a: tensor<128x64xf8E4M3FN>, %b: tensor<64x64xf16>, %c: tensor<128x64xf32>) -> tensor<128x64xf32> {
    %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = fp16 {fastMath = false} : tensor<128x64xf8E4M3FN> * tensor<64x64xf16> -> tensor<128x64xf32>
    tt.return %d : tensor<128x64xf32>
  }
}
