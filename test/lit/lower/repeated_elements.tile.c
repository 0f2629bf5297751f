// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that repeat in a lane are computed once, also if a pipelined loop has loaded them one
// or two iterations before (compiler/codegen/ir/carry_distinct.c): a zero for the 16 weights that a
// lane has of a row. The results are the same as in a loop that loads them itself.
// RUN: kiln compile %s --kernel=products --num-warps=1 --arg 'q=*u8:16' --arg K=i32:16 --arg 'x=*bf16:16' --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s
// RUN: kiln compile %s --kernel=products --num-warps=1 --num-stages=3 --arg 'q=*u8:16' --arg K=i32:16 --arg 'x=*bf16:16' --emit=asm \
// RUN:   --no-line-info -o - | FileCheck %s
// RUN: for s in 1 2 3; do kiln run --device=sim %s --kernel=products --num-warps=1 --num-stages=$s --cache-mode=off K=256 \
// RUN:   'x=bf16[16,K]:integers:3' 'q=u8[16,K]:iota' 'z=u8[64]:iota' 'y=f32[16,16]' --save y=%t$s.bin || exit 1; done; \
// RUN:   cmp %t1.bin %t2.bin && cmp %t1.bin %t3.bin

// Without pipelining, too, zeros are converted and subtracted from two weights at a time.
// RUN: kiln compile %s --kernel=products --num-warps=1 --num-stages=1 --arg 'q=*u8:16' --arg K=i32:16 --arg 'x=*bf16:16' --emit=asm \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefix=ONE
// ONE-NOT: v_cvt_f32_i32
// ONE: v_pk_add_f32
// ONE-NOT: v_cvt_f32_i32
// ONE: s_endpgm

// CHECK-COUNT-17: v_cvt_f32_ubyte
// CHECK-NOT: v_cvt_f32_ubyte
// CHECK: s_cbranch_scc1

kernel void products(const bf16 *x, const u8 *q, const u8 *z, f32 *y, i32 K)
{
    i32 n[16] = range(16), r[64] = range(64);
    f32 sum[16][16] = 0;
    for (i32 k = 0; k < K; k += 64) {
        bf16 v[16][64] = load(x + n[:, None] * K + k + r[None, :]);
        f32 w[64][16] = load(q + n[None, :] * K + k + r[:, None]);
        f32 zero[64][16] = load(z + n[None, :] * 4 + ((k + r) / 64)[:, None]) >> 1;
        sum = dot(v, (bf16)(w - zero), sum);
    }
    store(y + n[:, None] * 16 + n[None, :], sum);
}

// Of 128 weights a lane has 16 of either group, whose scales and zeros are neighbours in memory and
// loaded together, though other lanes have the weights in between.
// RUN: kiln compile %s --num-warps=1 --kernel=groups --arg 'q=*u8:16' --arg 's=*f16:16' --arg 'z=*u8:16' --arg K=i32:16 \
// RUN:   --arg 'x=*f16:16' --emit=asm --no-line-info -o - | FileCheck %s --check-prefix=GROUPS
// RUN: for d in sim interp; do kiln run --device=$d %s --kernel=groups --cache-mode=off K=256 \
// RUN:   'x=f16[16,K]:integers:3' 'q=u8[16,K]:iota' 's=f16[64]:integers:5' 'z=u8[64]:iota' 'y=f32[16,16]' \
// RUN:   --save y=%t$d.bin || exit 1; done; cmp %tsim.bin %tinterp.bin
// GROUPS-NOT: load_ubyte
// GROUPS: load_ushort
// GROUPS-NOT: load_ubyte
// GROUPS: s_endpgm

kernel void groups(const f16 *x, const u8 *q, const f16 *s, const u8 *z, f32 *y, i32 K)
{
    i32 n[16] = range(16), r[128] = range(128);
    f32 sum[16][16] = 0;
    for (i32 k = 0; k < K; k += 128) {
        f16 v[16][128] = load(x + n[:, None] * K + k + r[None, :]);
        u8 byte[128][16] = load(q + n[None, :] * K + k + r[:, None]);
        i32 group[128] = (k + r) / 64;
        f32 zero[128][16] = load(z + n[None, :] * 4 + group[:, None]) & 15;
        f32 scale[128][16] = load(s + n[None, :] * 4 + group[:, None]);
        sum = dot(v, (f16)(((f32)(byte & 15) - zero) * scale), sum);
    }
    store(y + n[:, None] * 16 + n[None, :], sum);
}
