// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product in tf32 truncates the bits that tf32 does not have, in the interpreter as in the
// instructions: the largest f32 does not become an infinity, and 1 + 2^-10 + 2^-11 becomes 1 +
// 2^-10. Rows 3 and 4 of a begin with them.
// RUN: %python -c "import struct, sys; sys.stdout.buffer.write(struct.pack('<1024I', *[{96: 0x7f7fffff, \
// RUN:   128: 0x3f803000}.get(i, 0) for i in range(1024)]))" \
// RUN:   > %t.a
// RUN: %kiln run --device=sim --cache-mode=off %s a=f32[32,32]@%t.a c=f32[32,32] --print c[3:5,0:1] | FileCheck %s
// RUN: %kiln run --device=interp %s a=f32[32,32]@%t.a c=f32[32,32] --print c[3:5,0:1] | FileCheck %s
// CHECK: 3.401162e+38
// CHECK-NEXT: 1.000977
kernel void k(const f32 *a, f32 *c)
{
    i32 at[32][32] = range(32)[:, None] * 32 + range(32)[None, :];
    f32 x[32][32] = load(a + at);
    f32 y[32][32] = 1;
    store(c + at, dot(x, y, .precision = tf32));
}
