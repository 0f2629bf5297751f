// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two halves of a byte become two rows: the load's layout propagates through join, transposition
// and reshape, and back through split. The only remaining conversion is to the store's layout,
// once.
// RUN: %kiln compile %s --kernel=rows --arg q=*u8:16 --arg w=*f16:16 --emit=ttg --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=ROWS
// RUN: %kiln compile %s --kernel=halves --arg q=*f16:16 --arg w=*f16:16 --emit=ttg --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=HALVES
// RUN: %kiln run --device=sim --check %s --kernel=rows q=u8[2048]:random:1 w=f16[4096] --save w=%t.npy
// RUN: %kiln run --device=interp %s --kernel=rows q=u8[2048]:random:1 w=f16[4096] --expect w=%t.npy

// ROWS: tt.load {{.*}}, #[[BYTES:blocked[0-9]*]]>
// ROWS-NOT: ttg.convert_layout
// ROWS: tt.join {{.*}} : tensor<32x64xf16, #[[BYTES]]> ->
// ROWS-NOT: ttg.convert_layout
// ROWS: tt.trans
// ROWS-NOT: ttg.convert_layout
// ROWS: tt.reshape
// ROWS-COUNT-1: ttg.convert_layout
// ROWS-NOT: ttg.convert_layout
kernel void rows(const u8 *q, f16 *w)
{
    u8 x[32][64] = load(q + range(32)[:, None] * 64 + range(64)[None, :]);
    f16 low[32][64] = x & 15, high[32][64] = x >> 4;
    store(w + range(64)[:, None] * 64 + range(64)[None, :], reshape(trans(join(low, high), 0, 2, 1), 64, 64));
}

// HALVES: tt.load
// HALVES-NOT: ttg.convert_layout
// HALVES: tt.split
// HALVES-NOT: ttg.convert_layout
// HALVES: arith.addf
// HALVES-COUNT-1: ttg.convert_layout
// HALVES-NOT: ttg.convert_layout
kernel void halves(const f16 *q, f16 *w)
{
    f16 x[1024][2] = load(q + range(1024)[:, None] * 2 + range(2)[None, :]), low[1024], high[1024];
    split(x, &low, &high);
    store(w + range(1024), low + high);
}
