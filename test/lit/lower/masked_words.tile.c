// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks and shifts of bytes that become f32 are done for the four bytes of a register at once
// (compiler/codegen/ir/mask_words.c): both halves of 4-bit weights, and parts of other sizes. All
// numbers of a byte give the results of the interpreter.
// RUN: kiln compile %s --num-warps=1 --arg 'q=*u8:16' --arg 'y=*f32:16' --kernel=halves --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s
// RUN: kiln compile %s --num-warps=1 --kernel=single --emit=asm --no-line-info -o - | FileCheck %s --check-prefix=SINGLE
// RUN: for k in halves parts sums; do for d in sim interp; do kiln run --device=$d --cache-mode=off %s --kernel=$k \
// RUN:   'q=u8[256]:iota' 'y=f32[1024]' --save y=%t.$d || exit 1; done; cmp %t.sim %t.interp || exit 1; done

// CHECK-NOT: v_bfe_u32
// CHECK: s_mov_b32 [[MASK:s[0-9]+]], 0xf0f0f0f
// CHECK-NOT: v_bfe_u32
// CHECK: v_and_b32{{.*}} [[MASK]],
// CHECK-NOT: v_bfe_u32
// CHECK-COUNT-4: v_cvt_f32_ubyte3
// CHECK-NOT: v_bfe_u32
// CHECK: s_endpgm
kernel void halves(const u8 *q, f32 *y)
{
    i32 i[256] = range(256), k[512] = range(512);
    u8 byte[256] = load(q + i);
    f32 low[256] = byte & 15, high[256] = byte >> 4;
    store(y + 2 * i, low);
    store(y + 2 * i + 1, high);
    u8 twice[512] = load(q + k / 2);
    store(y + 512 + k, (f32)((twice >> (k % 2 * 4)) & 15));
}

kernel void parts(const u8 *q, f32 *y)
{
    i32 i[256] = range(256);
    u8 byte[256] = load(q + i);
    store(y + i, (f32)(byte >> 7));
    store(y + 256 + i, (f32)((byte >> 2) & 3));
    store(y + 512 + i, (f32)(((byte & 0x7e) >> 1) & 0x55));
    store(y + 768 + i, (f32)(((byte >> 3) >> 2) & 0xfe));
}

// RUN: kiln compile %s --num-warps=1 --arg 'q=*u8:16' --arg 'y=*f32:16' --kernel=sums --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=SUMS
// Bytes of the third have a sign, and the last sum is of two bytes.
// SUMS-DAG: v_cvt_f32_ubyte3
// SUMS-DAG: v_add_f32
// SUMS-DAG: v_cvt_f32_i32_sdwa
// SUMS: s_endpgm
kernel void sums(const u8 *q, f32 *y)
{
    i32 i[256] = range(256);
    u8 byte[256] = load(q + i);
    i32 word[256] = byte;
    store(y + i, (f32)((word & 15) - 8));
    store(y + 256 + i, (f32)(word - 128));
    store(y + 512 + i, (f32)(bitcast(i8, byte) - (i8)120));
    store(y + 768 + i, (f32)((word >> 4) + (word & 1)));
}

// A byte alone is not worth it.
// SINGLE-NOT: 0xf0f0f0f
kernel void single(const u8 *q, f32 *y)
{
    store(y, (f32)(load(q) & 15));
}

// The bytes of a word may be uniform, though vector instructions load them: the rows of uniform
// and, in a loop, of rows; the masked load may also be of no byte at all.
// RUN: for k in uniform rows masked; do for d in sim interp; do kiln run --device=$d --cache-mode=off %s --kernel=$k \
// RUN:   'q=u8[256]:iota' 'y=f32[4096]' K=64 --save y=%t.$d || exit 1; done; cmp %t.sim %t.interp || exit 1; \
// RUN:   for w in 1 2 8; do kiln run --device=sim --cache-mode=off %s --kernel=$k --num-warps=$w 'q=u8[256]:iota' 'y=f32[4096]' \
// RUN:   K=64 --save y=%t.sim || exit 1; cmp %t.sim %t.interp || exit 1; done; done
// RUN: kiln compile %s --kernel=uniform --arg 'q=*u8:16' --arg 'y=*f32:16' --arg K=i32:16 --num-warps=1 --emit=asm \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefix=UNIFORM
// UNIFORM: 0xf0f0f0f
// UNIFORM: v_cvt_f32_ubyte3
kernel void uniform(const u8 *q, f32 *y, i32 K)
{
    i32 n[256] = range(256), r[16] = range(16);
    u8 v[16][256] = load(q + r[:, None] + (n / 256)[None, :]);
    store(y + r[:, None] * 256 + n[None, :], (f32)(v & 15));
}

kernel void rows(const u8 *q, f32 *y, i32 K)
{
    i32 r[32] = range(32), n[128] = range(128);
    f32 sum[32][128] = 0;
    for (i32 k = 0; k < K; k += 32) {
        u8 v[32][128] = load(q + ((k + r) / 2)[:, None] + (n / 128)[None, :]);
        sum += (f32)(v & 15);
    }
    store(y + r[:, None] * 128 + n[None, :], sum);
}

kernel void masked(const u8 *q, f32 *y, i32 K)
{
    i32 n[256] = range(256), r[16] = range(16);
    u8 v[16][256] = load(q + r[:, None] + (n / 256)[None, :], r[:, None] < K - 55, 9);
    store(y + r[:, None] * 256 + n[None, :], (f32)((v >> 2) & 3));
}
