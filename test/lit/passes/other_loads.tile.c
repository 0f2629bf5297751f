// A load that feeds no dot, such as a scale, runs ahead of its iteration like the loads of the dot;
// its value waits in registers.
//
// RUN: %kiln compile %s --kernel=scaled --num-warps=4 --emit=ttg --no-line-info -o - | FileCheck %s
// CHECK-LABEL: @scaled
// CHECK: %[[FIRST:.*]] = tt.load {{.*}} : tensor<64x!tt.ptr<f32>
// CHECK: scf.for {{.*}} = %[[FIRST]]
// CHECK: %[[NEXT:.*]] = tt.load {{.*}} : tensor<64x!tt.ptr<f32>
// CHECK: tt.dot
// CHECK: scf.yield {{.*}}%[[NEXT]]

// An address that depends on the dot cannot run ahead.
// RUN: %kiln compile %s --kernel=depends --num-warps=4 --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=STAYS
// STAYS: scf.for
// STAYS: tt.dot
// STAYS: tt.load {{.*}} : !tt.ptr<f32>
// STAYS: scf.yield

// The results are the same.
// RUN: %kiln run %s --device=interp --cache-mode=off --kernel=scaled K=160 'a=f16[64,160]:random:1' 'b=f16[160,64]:random:2' \
// RUN:   's=f32[5,64]:random:3' 'c=f32[64,64]' --grid=1 --save c=%t.npy
// RUN: %kiln run %s --device=sim --cache-mode=off --kernel=scaled K=160 'a=f16[64,160]:random:1' 'b=f16[160,64]:random:2' \
// RUN:   's=f32[5,64]:random:3' 'c=f32[64,64]' --grid=1 --check=all --expect c=%t.npy
// RUN: %kiln run %s --device=sim --cache-mode=off --kernel=scaled K=160 'a=f16[64,160]:random:1' 'b=f16[160,64]:random:2' \
// RUN:   's=f32[5,64]:random:3' 'c=f32[64,64]' --grid=1 --num-stages=3 --check=all --expect c=%t.npy

kernel void scaled(const f16 *a, const f16 *b, const f32 *s, f32 *c, i32 K)
{
    i32 r[64] = range(64), rk[32] = range(32);
    f32 acc[64][64] = 0;
    for (i32 k = 0; k < K; k += 32) {
        f16 x[64][32] = load(a + r[:, None] * K + (k + rk)[None, :]), y[32][64] = load(b + (k + rk)[:, None] * 64 + r[None, :]);
        acc += dot(x, y) * load(s + k * 2 + r)[:, None];
    }
    store(c + r[:, None] * 64 + r[None, :], acc);
}

kernel void depends(const f16 *a, const f16 *b, const f32 *s, f32 *c, i32 K)
{
    i32 r[64] = range(64), rk[32] = range(32);
    f32 acc[64][64] = 0;
    for (i32 k = 0; k < K; k += 32) {
        f16 x[64][32] = load(a + r[:, None] * K + (k + rk)[None, :]), y[32][64] = load(b + (k + rk)[:, None] * 64 + r[None, :]);
        f32 d[64][64] = dot(x, y);
        acc += d * s[(i32)max(max(d, 1), 0)];
    }
    store(c + r[:, None] * 64 + r[None, :], acc);
}
