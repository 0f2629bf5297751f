// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number converted to f32 and then to f16 is rounded twice. The numbers are above the middle
// between 1 and the next f16, by less than what an f32 keeps: rounded once, they would be 1.00098.
// RUN: kiln run --device=interp %s 'x=f64[256]:iota' 'y=f16[256]' --print 'y[0:4]' | FileCheck %s
// RUN: kiln run --device=sim --check %s 'x=f64[256]:iota' 'y=f16[256]' --print 'y[0:4]' | FileCheck %s
// CHECK: y[0:4] =
// CHECK-NEXT: {{^ *}}1 1 1 1{{$}}

kernel void f(const f64 *x, f16 *y)
{
    i32 at[256] = range(256);
    store(y + at, (f16)(f32)(1.0 + 0x1p-11 + load(x + at) * 0x1p-40));
}
