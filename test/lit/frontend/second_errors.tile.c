// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error in a helper is reported for each set of types that it is called with; the same one only
// once.
// RUN: not %kiln compile --from=tile --emit=tt --kernel=k %s -o - 2>&1 | FileCheck %s

f32[8] narrow(auto x)
{
    f32 a[8] = x;
    return a;
}

auto flipped(auto x, constexpr i32 axis)
{
    return flip(x, axis);
}

kernel void k(f32 *q)
{
    f32 u[4] = 1, v[16] = 1;
    store(q + range(8), narrow(u));
    store(q + range(8), narrow(v));
    store(q + range(8), narrow(u));
    store(q + range(4), flipped(u, 2));
    store(q + range(4), flipped(u, 3));
    store(q + range(4), flipped(u, 3));
}

// CHECK: error: cannot initialise the variable: f32[4] does not broadcast to f32[8]
// CHECK: note: in this call of 'narrow'
// CHECK: error: cannot initialise the variable: f32[16] does not broadcast to f32[8]
// CHECK: note: in this call of 'narrow'
// CHECK-NOT: error: cannot initialise the variable: f32[4]
// CHECK: error: axis 2 is out of range: the tile has 1 dimension
// CHECK: error: axis 3 is out of range: the tile has 1 dimension
// CHECK-NOT: error:
