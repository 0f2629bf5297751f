// Factors of dot_scaled have the range of f32 beside f16 operands, too, and so has bf16 beside f16.
// RUN: for s in 50 102 127 145 200; do for d in interp sim; do \
// RUN:   %kiln run --device=$d --cache-mode=off %s --kernel=small s=u8[16]:fill:$s \
// RUN:     'a=u8[16,32]:fill:0x44' 'b=f16[32,16]:fill:1.0009765625' 'c=f32[16,16]' --save c=%t.$d \
// RUN:   || exit 1; done; cmp %t.interp %t.sim || exit 1; done
// RUN: for s in 50 102 127 145 200; do for d in interp sim; do \
// RUN:   %kiln run --device=$d --cache-mode=off %s --kernel=halves s=u8[16]:fill:$s \
// RUN:     'a=f16[16,32]:fill:1.0009765625' 'b=bf16[32,16]:fill:100000' 'c=f32[16,16]' --save c=%t.$d \
// RUN:   || exit 1; done; cmp %t.interp %t.sim || exit 1; done
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=small s=u8[16]:fill:145 \
// RUN:   'a=u8[16,32]:fill:0x44' 'b=f16[32,16]:fill:1' 'c=f32[16,16]' --print 'c[0:1]' | FileCheck %s
// 3 · 2^18 · 32
// CHECK: 2.516582e+07
kernel void small(const u8 *a, const f16 *b, const u8 *s, f32 *c)
{
    auto m = range(16);
    u8 left[16][32] = a[m[:, None] * 32 + range(32)[None, :]], scale[16][1] = s[m[:, None]];
    f16 right[32][16] = b[range(32)[:, None] * 16 + m[None, :]];
    c[m[:, None] * 16 + m[None, :]] = dot_scaled(left, right, zeros(f32, 16, 16), .a_scale = scale, .a_format = e4m3);
}
kernel void halves(const f16 *a, const bf16 *b, const u8 *s, f32 *c)
{
    auto m = range(16);
    f16 left[16][32] = a[m[:, None] * 32 + range(32)[None, :]];
    u8 scale[16][1] = s[m[:, None]];
    bf16 right[32][16] = b[range(32)[:, None] * 16 + m[None, :]];
    c[m[:, None] * 16 + m[None, :]] = dot_scaled(left, right, zeros(f32, 16, 16), .a_scale = scale);
}
