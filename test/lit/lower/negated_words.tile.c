// Each element of a negated vector of floats that are made from integers is negated (workarounds.def: negated_words).
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=words x=i32[512]:random:1 y=f32[512] z=f32[512] \
// RUN:   --num-warps=1 --grid 1 --save y=%t.sim --save z=%t.sim1
// RUN: %kiln run --device=interp %s --kernel=words x=i32[512]:random:1 y=f32[512] z=f32[512] --grid 1 \
// RUN:   --save y=%t.interp --save z=%t.interp1
// RUN: cmp %t.sim %t.interp && cmp %t.sim1 %t.interp1
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=longs x=i64[512]:random:1 y=f64[512] --num-warps=1 \
// RUN:   --grid 1 --save y=%t.sim
// RUN: %kiln run --device=interp %s --kernel=longs x=i64[512]:random:1 y=f64[512] --grid 1 \
// RUN:   --save y=%t.interp && cmp %t.sim %t.interp
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=words x=i32[512]:iota y=f32[512] z=f32[512] \
// RUN:   --num-warps=1 --grid 1 --print 'y[0:4]' | FileCheck %s
// CHECK: -1.401298e-45 -2.802597e-45 -5.605194e-45 -1.121039e-44
kernel void words(const i32 *x, f32 *y, f32 *z)
{
    auto e = range(512);
    i32 a[512] = x[e];
    i32 power[512] = where(a >= 0 && a < 32, 1 << (a & 31), 1);
    y[e] = -bitcast(f32, power);
    z[e] = bitcast(f32, where(a % 3 == 0, a, 5) ^ (i32)0x80000000) * 3.0f32;
}
kernel void longs(const i64 *x, f64 *y)
{
    auto e = range(512);
    i64 a[512] = x[e];
    y[e] = -bitcast(f64, where(a >= 0 && a < 64, (i64)1 << (a & 63), 1));
}
