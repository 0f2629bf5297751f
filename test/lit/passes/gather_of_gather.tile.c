// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gather in a loop whose source is another loop's gather: each is written to LDS before its own
// loop.
// RUN: kiln run --device=interp %s 'x=i32[16,64]:random:1' 'y=i32[64]' --save y=%t.interp \
// RUN:   && KILN_SIM_CHECK=all kiln run --device=sim %s --num-warps=4 'x=i32[16,64]:random:1' 'y=i32[64]' \
// RUN:   --save y=%t.sim && cmp %t.interp %t.sim
// RUN: kiln compile %s --num-warps=4 --emit=ttg --no-line-info -o - | FileCheck %s
// CHECK-COUNT-2: ttg.local_gather
// CHECK-NOT: tt.gather

kernel void twice(const i32 *x, i32 *y)
{
    i32 r[16] = range(16), c[64] = range(64);
    i32 tile[16][64] = load(x + r[:, None] * 64 + c[None, :]);
    i32 sums[1][64] = 0;
    for (i32 i = 0; i < 5; i++) {
        i32 rows[16][64] = gather(tile, (r[:, None] + i) % 16 + 0 * c[None, :], 0);
        for (i32 j = 0; j < 7; j++) {
            i32 row[1][64] = (i * 3 + j) % 16;
            sums += gather(rows, row, 0) * (j + 1);
        }
    }
    store(y + c, reshape(sums, 64));
}
