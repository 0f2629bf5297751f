// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline assembly that reads results of matrix instructions comes late enough after them, in the
// same block and in a loop, and matrix instructions that read its results after it: --check reports
// missing wait states.
// RUN: for w in 1 4; do kiln run --device=sim --check %s --kernel=twice --num-warps=$w 'a=f16[64,32]:integers:1' 'b=f16[32,64]:integers:2' \
// RUN:   'c=f32[64,64]' 'd=f32[64,64]' n=3 --save c=%t.c --save d=%t.d && cmp %t.c %t.d || exit 1; done

// RUN: kiln run --device=sim --check %s --kernel=between --num-warps=1 'a=f32[16,16]:integers:1' 'b=f32[16,16]:integers:2' \
// RUN:   'c=f32[16,16]' 'd=f32[16,16]' --save c=%t.c --save d=%t.d && cmp %t.c %t.d

kernel void between(const f32 *a, const f32 *b, f32 *c, f32 *d)
{
    i32 n[16] = range(16);
    f32 x[16][16] = load(a + n[:, None] * 16 + n[None, :]);
    f32 y[16][16] = load(b + n[:, None] * 16 + n[None, :]);
    f32 product[16][16] = dot(x, y), more[16][16];
    inline_asm("v_add_f32 $0, $1, 1.0", "=v,v", product, &more);
    store(c + n[:, None] * 16 + n[None, :], dot(x, y, more));
    store(d + n[:, None] * 16 + n[None, :], dot(x, y, product + 1.0f));
}

kernel void twice(const f16 *a, const f16 *b, f32 *c, f32 *d, i32 n)
{
    i32 m[64] = range(64), k[32] = range(32);
    f16 x[64][32] = load(a + m[:, None] * 32 + k[None, :]);
    f16 y[32][64] = load(b + k[:, None] * 64 + m[None, :]);
    f32 by_assembly[64][64] = 0, by_sum[64][64] = 0;
    for (i32 i = 0; i < n; i++) {
        f32 product[64][64] = dot(x, y, by_assembly);
        inline_asm("v_add_f32 $0, $1, $1", "=v,v", product, &by_assembly);
        f32 other[64][64] = dot(x, y, by_sum);
        by_sum = other + other;
    }
    store(c + m[:, None] * 64 + m[None, :], by_assembly);
    store(d + m[:, None] * 64 + m[None, :], by_sum);
}
