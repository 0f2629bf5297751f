// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of 72 KB, which is more than an instruction cache of 64 KB holds; or a ninth of it, nine times as often.
#define TEN(text) text text text text text text text text text text
#define THOUSAND TEN(TEN(TEN("\nv_max3_f32 $0, $0, $0, $0")))
#define NINE_THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND THOUSAND
kernel void large(const f32 *x, f32 *y, i32 n, constexpr i32 LARGE = 1)
{
    i32 i[64] = range(64);
    f32 v[64] = load(x + i), r[64];
    for (i32 k = 0; k < (LARGE ? n : 9 * n); k++) {
        if (LARGE)
            inline_asm("v_mov_b32 $0, $1" NINE_THOUSAND, "=&v,v", v, &r, .pure = false);
        else
            inline_asm("v_mov_b32 $0, $1" THOUSAND, "=&v,v", v, &r, .pure = false);
        v = r;
    }
    store(y + program_id(0) * 64 + i, v);
}
