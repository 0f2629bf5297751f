// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Broadcasting and shapes. Constants and scalars become tiles at once; a tile grows by expand_dims
// and broadcast.
// RUN: %kiln compile --from=tile --emit=tt %s -o - | FileCheck %s

// CHECK-LABEL: tt.func public @k
kernel void k(f32 *p, i32 n)
{
    // CHECK: arith.constant dense<1.000000e+00> : tensor<16x32xf32>
    f32 x[16][32] = 1;
    // CHECK: tt.make_range {end = 40 : i32, start = 8 : i32} : tensor<32xi32>
    i32 r[32] = range(8, 40);
    // CHECK: tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    // CHECK: tt.broadcast %{{.*}} : tensor<1x32xf32> -> tensor<16x32xf32>
    x += r[None, :];
    // As in NumPy, missing leading dimensions are added.
    // CHECK: tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
    x *= (f32)r;
    // CHECK: tt.reshape %{{.*}} : tensor<16x32xf32> -> tensor<4x4x32xf32>
    // CHECK: tt.trans %{{.*}} {order = array<i32: 0, 2, 1>} : tensor<4x4x32xf32> -> tensor<4x32x4xf32>
    // CHECK: tt.trans %{{.*}} {order = array<i32: 2, 0, 1>} : tensor<4x32x4xf32> -> tensor<4x4x32xf32>
    auto y = trans(trans(reshape(x, 4, 4, 32)), 2, 0, 1);
    // CHECK: tt.join %{{.*}} : tensor<32xi32> -> tensor<32x2xi32>
    auto z = join(r, r + 1);
    // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32}
    r = gather(r, r & 31, 0);
    // CHECK: "tt.reduce"(%{{.*}}) <{axis = 1 : i32}>
    // CHECK: (tensor<4x4x32xf32>) -> tensor<4x32xf32>
    auto s = sum(y, 1);
    // All elements: one row first.
    // CHECK: tt.reshape %{{.*}} : tensor<4x32xf32> -> tensor<128xf32>
    // CHECK: arith.maxnumf
    *p = max(s) + sum(z) + argmin(r, -1) + any(r > n, 0);
}
