// Products that are -0 stay negative where they are rounded to f16 (workarounds.def: mix_products).
// RUN: %kiln run --device=sim --cache-mode=off %s x=f32[256]:fill:-0.0 h=f16[256]:fill:-0.0 s=0.5 \
// RUN:   y=f32[256] z=f32[256] w=f32[256] --print 'y[0:2]' --print 'z[0:2]' --print 'w[0:2]' | FileCheck %s
// RUN: %kiln run --device=interp %s x=f32[256]:fill:-0.0 h=f16[256]:fill:-0.0 s=0.5 \
// RUN:   y=f32[256] z=f32[256] w=f32[256] --print 'y[0:2]' --print 'z[0:2]' --print 'w[0:2]' | FileCheck %s
// CHECK: {{^ *}}-inf -inf{{$}}
// CHECK: {{^ *}}-inf -inf{{$}}
// CHECK: {{^ *}}inf inf{{$}}
kernel void k(const f32 *x, const f16 *h, f32 s, f32 *y, f32 *z, f32 *w)
{
    auto e = range(256);
    f32 v[256] = x[e];
    y[e] = 1.0f / (f32)(f16)(v * s);
    z[e] = 1.0f / (f32)(f16)((f32)h[e] * s);
    w[e] = 1.0f / (f32)(f16)fma(v, s, 0.0f);
}
