// 0 - x is +0 for x = +0, also where an operation that can negate its operand uses it (workarounds.def:
// zero_minus), and -x is -0. exp(0 - x) needs no subtraction, as both zeros give 1.
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=k x=f32[256] h=f16[256] y=f32[3072] --save y=%t.sim \
// RUN:   --print 'y[0:1]' --print 'y[256:257]' --print 'y[512:513]' --print 'y[768:769]' --print 'y[1024:1025]' \
// RUN:   --print 'y[1280:1281]' --print 'y[1536:1537]' --print 'y[2048:2049]' --print 'y[2304:2305]' \
// RUN:   --print 'y[2560:2561]' --print 'y[2816:2817]' | FileCheck %s
// RUN: %kiln run --device=interp %s --kernel=k x=f32[256] h=f16[256] y=f32[3072] --save y=%t.interp && \
// RUN: cmp %t.sim %t.interp
// CHECK: {{^ *}}inf{{$}}
// CHECK: {{^ *}}inf{{$}}
// CHECK: {{^ *}}inf{{$}}
// CHECK: {{^ *}}inf{{$}}
// CHECK: {{^ *}}inf{{$}}
// CHECK: {{^ *}}inf{{$}}
// CHECK: {{^ *}}-inf{{$}}
// CHECK-COUNT-4: {{^ *}}inf{{$}}
// RUN: %kiln compile %s --kernel=free --emit=asm -o - | FileCheck %s --check-prefix=FREE
// FREE-NOT: v_sub_f32
// FREE-NOT: v_pk_add_f32
// FREE: s_endpgm
//
// Sums of uniform values.
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=uniform x=f32[1]:fill:-0.0 y=f32[2] --print y \
// RUN:   | FileCheck %s --check-prefix=UNIFORM
// UNIFORM: {{^ *}}inf inf{{$}}
kernel void k(const f32 *x, const f16 *h, f32 *y)
{
    auto e = range(256);
    f32 v[256] = x[e];
    y[e] = 1.0f / ((0.0f - v) * 2.0f);
    y[e + 256] = 1.0f / (0.0f - v);
    y[e + 512] = 1.0f / (f32)(f16)(0.0f - v);
    y[e + 768] = 1.0f / (f32)(0.0f16 - h[e]);
    y[e + 1024] = 1.0f / sqrt(0.0f - v);
    y[e + 1280] = 1.0f / ((-v + 0.0f) * 2.0f);
    y[e + 1536] = 1.0f / (-v * 2.0f);
    y[e + 1792] = 1.0f / (f32)fma(v, -1.0f, 0.0f);
    // Neither sign is irrelevant because the other operand is not -0.
    f32 d[256] = 0.0f - v, u[256] = 0.0f - x[e ^ 1];
    y[e + 2048] = 1.0f / (d + d);
    y[e + 2304] = 1.0f / (d + (0.0f - u));
    y[e + 2560] = 1.0f / ((v > 1.0f ? v : d) + (-v + 0.0f));
    y[e + 2816] = 1.0f / fma(v, 2.0f, d);
}
kernel void free(const f32 *x, f32 *y)
{
    auto e = range(256);
    y[e] = exp(0.0f - x[e]);
}
kernel void uniform(const f32 *x, f32 *y)
{
    y[0] = 1.0f / (x[0] + 0.0f);
    y[1] = 1.0f / (-(-x[0]) * 0.0f + 0.0f);
}
