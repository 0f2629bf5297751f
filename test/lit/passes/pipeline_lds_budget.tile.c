// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of three stages and a reduction's own LDS together exceed what is available, so one stage
// less is used. The budget had counted only conversions, and the kernel then failed due to
// insufficient LDS.
//
// RUN: %kiln compile %s --num-warps=4 --num-stages=3 --emit=ttg --no-line-info -o - | FileCheck %s
// RUN: %kiln compile %s --num-warps=4 --num-stages=3 -o %t.hsaco
// CHECK: ttg.local_alloc {{.*}}: () -> !ttg.memdesc<1x128x64xf16
// CHECK: ttg.local_alloc {{.*}}: () -> !ttg.memdesc<1x64x128xf16
// CHECK: scf.for

kernel void f(const f16 *a, const f16 *b, f32 *c, f32 *d, i32 K)
{
    i32 rm[128] = range(128), rk[64] = range(64), rn[128] = range(128);
    const f16 *pa[128][64] = a + rm[:, None] * K + rk[None, :];
    const f16 *pb[64][128] = b + rk[:, None] * 128 + rn[None, :];
    f32 acc[128][128] = 0;
    f32 total[128] = 0;
    for (i32 k = 0; k < K; k += 64) {
        acc = dot(load(pa), load(pb), acc);
        total = total + sum(acc, 0);
        pa += 64;
        pb += 64 * 128;
    }
    store(c + rm[:, None] * 128 + rn[None, :], acc);
    store(d + rn, total);
}
