// 24-bit operands are not divided in floats if v_rcp_f32's error matters (workarounds.def:
// float_quotients).
// RUN: %kiln compile %s --num-warps=1 --emit=asm --no-line-info -o - --kernel=narrow \
// RUN:   | FileCheck %s --check-prefix=NARROW
// RUN: %kiln compile %s --num-warps=1 --emit=asm --no-line-info -o - --kernel=wide | FileCheck %s
// RUN: %kiln compile %s --num-warps=1 --emit=asm --no-line-info -o - --kernel=signed_wide | FileCheck %s
// NARROW-NOT: v_mul_hi_u32
// CHECK: v_mul_hi_u32
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=every a=u32[256]:random:1 b=u32[256]:random:2 q=i32[256] \
// RUN:   --grid 1 --print q > %t.sim
// RUN: %kiln run --device=interp %s --kernel=every a=u32[256]:random:1 b=u32[256]:random:2 q=i32[256] --grid 1 \
// RUN:   --print q | diff %t.sim -
kernel void narrow(const u32 *a, const u32 *b, u32 *q)
{
    auto e = range(64);
    q[e] = (a[e] & 0x3fffff) / (b[e] & 0x3fffff);
}
kernel void wide(const u32 *a, const u32 *b, u32 *q)
{
    auto e = range(64);
    q[e] = (a[e] & 0x7fffff) % (b[e] & 0x7fffff);
}
kernel void signed_wide(const u32 *a, const u32 *b, i32 *q)
{
    auto e = range(64);
    q[e] = ((i32)a[e] >> 8) / ((i32)b[e] >> 8);
}
kernel void every(const u32 *a, const u32 *b, i32 *q)
{
    auto e = range(256);
    i32 x[256] = (i32)a[e] >> 8;
    i32 y[256] = (i32)(b[e] | 256) >> 8;
    u32 v[256] = a[e] & 0xffffff;
    u32 w[256] = b[e] & 0x7fffff | 1;
    q[e] = x / y + (x % y) * 3 + (i32)(v / w) * 5 + (i32)(v % w) * 7;
}
