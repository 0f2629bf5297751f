// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers are expanded at each call, with that call's types and constants; locations include the
// call.
// RUN: %kiln compile --from=tile --emit=tt %s -o - | FileCheck %s

auto square(auto x)
{
    return x * x;
}

f32[B] row(const f32 *p, i32 n, constexpr i32 B)
{
    if constexpr (B > 32)
        return load(p + range(B));
    return load(p + range(B), range(B) < n, 0);
}

i32 find(const i32 *p, i32 n, i32 key)
{
    for (i32 i = 0; i < n; i++)
        if (p[i] == key)
            return i;
    return -1;
}

// CHECK-LABEL: tt.func public @k
kernel void k(f32 *p, i32 *q, i32 n)
{
    // CHECK: arith.muli %{{.*}} : i32
    i32 a = square(n);
    // CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>>
    // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x!tt.ptr<f32>>
    // CHECK: arith.mulf %{{.*}} : tensor<32xf32>
    p[range(64)] = row(p, n, 64);
    p[range(32)] = square(row(p, n, 32));
    // CHECK: scf.while
    // CHECK: arith.addi
    *q = find(q, n, 3) + a;
    // CHECK-COUNT-3: arith.addf
    f32 s = *p;
    for (constexpr i32 i = 0; i < 3; i++)
        s += i;
    *p = s;
    // CHECK: tt.return
    // CHECK-NOT: tt.func
}
