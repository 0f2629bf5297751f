// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of a tile is needed only by the next iteration, so its scratch has the bytes of a buffer
// that is dead at the end of the step: two workgroups on a compute unit. No wave overtakes another
// there, and the results are those of a loop without pipelining.
// RUN: kiln compile %s --emit=ttg --no-line-info -o - | FileCheck %s
// RUN: for s in 1 2; do KILN_SIM_CHECK=all kiln run --device=sim %s --num-stages=$s K=512 'a=f16[128,512]:random:1' \
// RUN:   'b=f16[512,128]:random:2' 'c=f32[128,128]' 'total=f32[1]' --save c=%t.c.$s --save total=%t.total.$s || exit 1; done; \
// RUN:   cmp %t.c.1 %t.c.2 && cmp %t.total.1 %t.total.2

// CHECK: ttg.shared = 32768
// CHECK: scf.for
// CHECK: tt.dot
// CHECK: ttg.barrier local
// CHECK: tt.reduce
// CHECK: allocation.offset = {{[0-9]+}}
// CHECK: ttg.barrier local
// CHECK: ttg.local_store
// CHECK: scf.yield

kernel void halve_and_add(const f16 *a, const f16 *b, f32 *c, f32 *total, i32 K)
{
    i32 m[128] = range(128), k[64] = range(64);
    f32 sums[128][128] = 0, all = 0;
    for (i32 start = 0; start < K; start += 64) {
        f16 x[128][64] = load(a + m[:, None] * K + (start + k)[None, :]);
        f16 y[64][128] = load(b + (start + k)[:, None] * 128 + m[None, :]);
        sums = dot(x, y, sums);
        all = all * 0.5f + sum((f32)x);
    }
    store(c + m[:, None] * 128 + m[None, :], sums);
    store(total, all);
}
