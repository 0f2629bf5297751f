// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partial results of many waves are read by neighbouring lanes, one each, and combined by moves
// between lanes: LDS would be busy if each lane of all waves read all of them. The results of four
// waves are one read of 16 bytes.
// RUN: kiln compile %s --num-warps=16 --emit=asm --no-line-info -o - | FileCheck %s --check-prefix=MANY
// RUN: kiln compile %s --num-warps=4 --emit=asm --no-line-info -o - | FileCheck %s --check-prefix=FEW
// RUN: for w in 4 8 16; do kiln run --device=sim %s --num-warps=$w --check 'x=i32[4096]:random:7' 'y=i64[4096]:random:8' \
// RUN:   'all=i32[8]' 'wide=i64[2]' 'at=i32[1]' 'columns=i32[32]' --print all --print wide --print at --print columns > %t.$w || exit 1; \
// RUN:   kiln run --device=interp %s 'x=i32[4096]:random:7' 'y=i64[4096]:random:8' \
// RUN:   'all=i32[8]' 'wide=i64[2]' 'at=i32[1]' 'columns=i32[32]' --print all --print wide --print at --print columns > %t.i || exit 1; \
// RUN:   cmp %t.$w %t.i || exit 1; done

// MANY: s_barrier
// MANY-NOT: ds_read_b128
// MANY: ds_read_b32
// MANY: row_ror:8
// FEW: s_barrier
// FEW-NOT: ds_read_b32
// FEW: ds_read_b128

kernel void reductions(const i32 *x, const i64 *y, i32 *all, i64 *wide, i32 *at, i32 *columns)
{
    i32 n[4096] = range(4096);
    i32 a[4096] = load(x + n);
    i64 b[4096] = load(y + n);
    store(all, sum(a));
    store(all + 1, max(a));
    store(wide, sum(b));
    store(wide + 1, min(b));
    store(at, argmax(a, 0));
    i32 r[128] = range(128), c[32] = range(32);
    i32 t[128][32] = load(x + r[:, None] * 32 + c[None, :]);
    store(columns + c, sum(t, 0));
}
