// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a pipelined loop has no iteration, its sum is the constant that it starts with, and not the
// value that the loop carried: the loop after it (here the iteration with a mask) would need the
// registers of both. The results are those of the loop without stages, for all numbers of iterations.
// RUN: kiln compile %s --num-warps=1 --arg 'a=*f16:16' --arg 'b=*f16:16' --emit=ttg --no-line-info -o - | FileCheck %s
// RUN: for k in 0 1 15 16 17 31 32 33 47 48 50; do for s in 1 2; do kiln run --device=sim --cache-mode=off %s \
// RUN:   --num-warps=1 --num-stages=$s K=$k 'a=f16[64,K]:integers:3' 'b=f16[K,64]:integers:4' \
// RUN:   'c=f32[64,64]' --save c=%t.$s || exit 1; done; \
// RUN:   cmp %t.1 %t.2 || exit 1; done

// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK: %[[LAST:.*]] = scf.if
// CHECK: tt.dot
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[ZERO]] :
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[LAST]])
// CHECK: tt.dot

kernel void product(const f16 *a, const f16 *b, f32 *c, i32 K)
{
    i32 i[16] = range(16), n[64] = range(64);
    f32 sum[64][64] = 0;
    for (i32 k = 0; k < K; k += 16) {
        f16 x[64][16] = load(a + n[:, None] * K + k + i[None, :], (i < K - k)[None, :], 0);
        f16 y[16][64] = load(b + (k + i)[:, None] * 64 + n[None, :], (i < K - k)[:, None], 0);
        sum = dot(x, y, sum);
    }
    store(c + n[:, None] * 64 + n[None, :], sum);
}
