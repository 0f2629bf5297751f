// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every trip count from 0 on, with every distance, gives the plain loop's results: masked loads
// with `other`, loop-carried pointers, and an operand that is scaled by the loop's variable before
// the dot.
//
// RUN: for k in 0 1 32 33 64 96 100 160; do for s in 1 2 3 4; \
// RUN:   do %kiln run --device=sim --cache-mode=off %s M=40 N=70 K=$k 'a=f16[40,192]:random:1' \
// RUN:   'b=f16[192,70]:random:2' 'c=f32[40,70]:fill:7' 'd=f32[40,70]:fill:7' -D BLOCK_K=32 --grid 2 --num-stages=$s \
// RUN:   --save c=%t.c$s --save d=%t.d$s || exit 1; cmp %t.c1 %t.c$s && cmp %t.d1 %t.d$s || exit 1; done; done
// RUN: for k in 0 1 32 64 65; do %kiln run --device=sim --cache-mode=off %s M=40 N=70 K=$k 'a=f16[40,192]:fill:1' \
// RUN:   'b=f16[192,70]:fill:2' 'c=f32[40,70]' 'd=f32[40,70]' --grid 2 --num-stages=3 -D BLOCK_K=32 \
// RUN:   --print 'c[39:40,69:70]' --print 'd[0:1,0:1]' || exit 1; done | FileCheck %s
// RUN: %kiln compile %s -D BLOCK_K=32 --num-stages=3 --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=IR

// CHECK: c[39:40,69:70] =
// CHECK-NEXT: {{^}}  0{{$}}
// CHECK-NEXT: d[0:1,0:1] =
// CHECK-NEXT: {{^}}  0{{$}}
// CHECK: c[39:40,69:70] =
// CHECK-NEXT: {{^}}  2{{$}}
// CHECK-NEXT: d[0:1,0:1] =
// CHECK-NEXT: {{^}}  2{{$}}
// CHECK: c[39:40,69:70] =
// CHECK-NEXT: {{^}}  64{{$}}
// CHECK-NEXT: d[0:1,0:1] =
// CHECK-NEXT: {{^}}  64{{$}}
// CHECK: c[39:40,69:70] =
// CHECK-NEXT: {{^}}  128{{$}}
// CHECK-NEXT: d[0:1,0:1] =
// CHECK-NEXT: {{^}}  192{{$}}
// CHECK: c[39:40,69:70] =
// CHECK-NEXT: {{^}}  130{{$}}
// CHECK-NEXT: d[0:1,0:1] =
// CHECK-NEXT: {{^}}  198{{$}}

// IR: ttg.local_alloc {{.*}}: () -> !ttg.memdesc<2x

kernel void f(const f16 *a, const f16 *b, f32 *c, f32 *d, i32 M, i32 N, i32 K, constexpr i32 BLOCK_K)
{
    i32 rm[64] = range(64), rn[64] = program_id(0) * 64 + range(64), rk[BLOCK_K] = range(BLOCK_K);
    const f16 *pa[64][BLOCK_K] = a + rm[:, None] * 192 + rk[None, :];
    const f16 *pb[BLOCK_K][64] = b + rk[:, None] * N + rn[None, :];
    f32 acc[64][64] = 0;
    f32 weighted[64][64] = 0;
    i32 turn = 1;
    for (i32 k = 0; k < K; k += BLOCK_K) {
        f16 x[64][BLOCK_K] = load(pa, rm[:, None] < M && rk[None, :] < K - k, 0);
        f16 y[BLOCK_K][64] = load(pb, rk[:, None] < K - k && rn[None, :] < N, 0);
        acc = dot(x, y, acc);
        weighted = dot((f16)((f32)x * turn), y, weighted);
        pa += BLOCK_K;
        pb += BLOCK_K * N;
        turn += 1;
    }
    store(c + rm[:, None] * N + rn[None, :], acc, rm[:, None] < M && rn[None, :] < N);
    store(d + rm[:, None] * N + rn[None, :], weighted, rm[:, None] < M && rn[None, :] < N);
}
