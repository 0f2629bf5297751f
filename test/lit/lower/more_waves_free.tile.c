// A few registers too many for a second wave: code for two spills none, and there is no loop in which
// it could.
// RUN: %kiln compile %s --arg a=*f16:16:2g --arg b=*f16:16:2g --arg c=*f32:16:2g --num-warps=1 -Werror -o %t
// RUN: %kiln inspect %t | FileCheck %s
// CHECK: vector registers spilled 0
// CHECK: waves per SIMD 2

kernel void once(f32 *c, const f16 *a, const f16 *b)
{
    i32 r[64] = range(64), k[32] = range(32);
    f16 x0[64][32] = load(a + r[:, None] * 1024 + k [None, :]);
    f16 y0[32][64] = load(b + k[:, None] * 2048 + r [None, :]);
    f32 s0[64][64] = 0;
    s0 = dot(x0, y0, s0);
    f16 x1[64][32] = load(a + r[:, None] * 2024 + k [None, :]);
    f16 y1[32][64] = load(b + k[:, None] * 3048 + r [None, :]);
    f32 s1[64][64] = 0;
    s1 = dot(x1, y1, s1);
    f16 x2[64][32] = load(a + r[:, None] * 3024 + k [None, :]);
    f16 y2[32][64] = load(b + k[:, None] * 4048 + r [None, :]);
    f32 s2[64][64] = 0;
    s2 = dot(x2, y2, s2);
    store(c + r[:, None] * 64 + r [None, :], exp(s0) * exp(s1) * exp(s2));
}
