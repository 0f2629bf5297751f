// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pipelined loop inside another one tests for a second iteration before its loads, so that each
// turn of the outer loop does without the masked loads of absent iterations. Every trip count from
// 0 on, with every distance, gives the plain loop's results: of an operand in LDS, and of one that
// waits in registers and is scaled before the dot. A tile of pointers that the loop carries would
// lose its form in a branch, and two stages need none.
//
// RUN: for k in 0 1 32 33 64 65 96 160; do for s in 1 2 3 4; do \
// RUN:   %kiln run --device=sim --check --cache-mode=off %s T=3 K=$k 'a=f16[3,40,192]:random:1' 'b=i8[3,192,64]:random:2' \
// RUN:   'c=f32[40,64]:fill:7' -D STEPPED=false --grid 1 --num-stages=$s --save c=%t.c$s || exit 1; cmp %t.c1 %t.c$s || exit 1; \
// RUN:   %kiln run --device=sim --check --cache-mode=off %s T=3 K=$k 'a=f16[3,40,192]:random:1' 'b=i8[3,192,64]:random:2' \
// RUN:   'c=f32[40,64]:fill:7' -D STEPPED=true --grid 1 --num-stages=$s --save c=%t.d$s || exit 1; cmp %t.c1 %t.d$s || exit 1; \
// RUN:   done; done
// RUN: %kiln compile %s -D STEPPED=false --num-stages=3 --emit=ttg --no-line-info -o - | FileCheck %s
// RUN: %kiln compile %s -D STEPPED=false --num-stages=1 --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=PLAIN
// RUN: %kiln compile %s -D STEPPED=true --num-stages=3 --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=PLAIN

// CHECK: scf.for
// CHECK: scf.if
// CHECK-COUNT-4: tt.load
// CHECK: else
// CHECK-COUNT-2: tt.load
// CHECK-NOT: tt.load
// CHECK: scf.for
// CHECK-COUNT-2: tt.load

// PLAIN: scf.for
// PLAIN-NOT: scf.if
// PLAIN: tt.load
// PLAIN-NOT: scf.if
// PLAIN: scf.for

kernel void f(const f16 *a, const i8 *b, f32 *c, i32 T, i32 K, constexpr bool STEPPED)
{
    i32 rm[64] = range(64), rn[64] = range(64), rk[32] = range(32);
    f32 acc[64][64] = 0;
    for (i32 t = 0; t < T; t++) {
        const f16 *pa[64][32] = a + t * 7680 + rm[:, None] * 192 + rk[None, :];
        const i8 *pb[32][64] = b + t * 12288 + rk[:, None] * 64 + rn[None, :];
        if (STEPPED) {
            for (i32 k = 0; k < K; k += 32) {
                f16 x[64][32] = load(pa, rm[:, None] < 40 && rk[None, :] < K - k, 0);
                i8 y[32][64] = load(pb, rk[:, None] < K - k, 0);
                acc = dot(x, (f16)y, acc);
                pa += 32;
                pb += 32 * 64;
            }
        } else {
            for (i32 k = 0; k < K; k += 32) {
                f16 x[64][32] = load(pa + k, rm[:, None] < 40 && rk[None, :] < K - k, 0);
                i8 y[32][64] = load(pb + k * 64, rk[:, None] < K - k, 0);
                acc = dot(x, (f16)y, acc);
            }
        }
    }
    store(c + rm[:, None] * 64 + rn[None, :], acc, rm[:, None] < 40);
}
