// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes and their parts become pairs of f16 without being extracted one by one
// (compiler/codegen/ir/pair_bytes.c), also as differences from zero points. All numbers of a byte
// give the results of the interpreter.
// RUN: kiln compile %s --num-warps=1 --arg 'q=*u8:16' --arg 'y=*f16:16' --kernel=halves --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s
// RUN: kiln compile %s --num-warps=1 --arg 'q=*u8:16' --arg 'z=*u8:16' --arg 'y=*f16:16' --kernel=differences --emit=asm \
// RUN:   --no-line-info -o - | FileCheck %s --check-prefix=ZEROS
// RUN: kiln compile %s --num-warps=1 --arg 'q=*u8:16' --arg 'y=*f16:16' --kernel=centred --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=CENTRED
// RUN: for k in halves bytes centred signs; do for d in sim interp; do kiln run --device=$d --cache-mode=off %s --kernel=$k \
// RUN:   'q=u8[256]:iota' 'y=f16[2048]' --save y=%t.$d || exit 1; done; cmp %t.sim %t.interp || exit 1; done
// RUN: for k in differences weights; do for d in sim interp; do kiln run --device=$d --cache-mode=off %s --kernel=$k \
// RUN:   'q=u8[256]:iota' 'z=u8[256]:random:3' 'y=f16[65536]' --grid=64 --save y=%t.$d || exit 1; done; \
// RUN:   cmp %t.sim %t.interp || exit 1; done

// CHECK-NOT: v_cvt
// CHECK: v_perm_b32
// CHECK-NEXT: v_perm_b32
// CHECK-NOT: v_cvt
// CHECK: v_and_or_b32
// CHECK: v_pk_add_f16
// CHECK-NOT: v_cvt
// CHECK: s_endpgm
kernel void halves(const u8 *q, f16 *y)
{
    i32 k[512] = range(512);
    u8 twice[512] = load(q + k / 2);
    store(y + k, (f16)((twice >> (k % 2 * 4)) & 15));
}

kernel void bytes(const u8 *q, f16 *y)
{
    i32 i[256] = range(256);
    u8 byte[256] = load(q + i);
    store(y + i, (f16)byte);
    store(y + 256 + i, (f16)(byte >> 3));
    store(y + 512 + i, (f16)((byte >> 1) & 0x2d));
    store(y + 768 + i, (f16)((i32)byte - 128));
    store(y + 1024 + i, (f16)((byte & 15) - 8));
    store(y + 1280 + i, (f16)((byte & 15) + 8));
    store(y + 1536 + i, (f16)((i32)byte - 1025));
}

// LLVM makes one difference of vectors of integers of it.
// CENTRED-NOT: v_cvt
// CENTRED: v_and_or_b32
// CENTRED: v_pk_add_f16
// CENTRED-NOT: v_cvt
// CENTRED: s_endpgm
kernel void centred(const u8 *q, f16 *y)
{
    i32 i[256] = range(256);
    i32 byte[256] = load(q + i);
    store(y + i, (f16)((f32)(byte & 15) - 8.0f));
}

// Differences of 8 bits that wrap.
kernel void signs(const u8 *q, f16 *y)
{
    i32 i[256] = range(256);
    u8 byte[256] = load(q + i);
    store(y + i, (f16)(bitcast(i8, byte) - (i8)100));
    store(y + 256 + i, (f16)bitcast(i8, (u8)(byte - (u8)8)));
    store(y + 512 + i, (f16)bitcast(i8, (u8)((byte & 15) - (u8)8)));
    store(y + 768 + i, (f16)bitcast(i8, (u8)((byte & 127) - (u8)200)));
}

// A zero point is converted once for the weights that it belongs to.
// ZEROS-COUNT-1: v_cvt_f16
// ZEROS-NOT: v_cvt_f16
// ZEROS: v_pk_add_f16
// ZEROS-NOT: v_cvt_f16
// ZEROS: s_endpgm
kernel void differences(const u8 *q, const u8 *z, f16 *y)
{
    i32 k[512] = range(512);
    u8 twice[512] = load(q + k / 2);
    i32 p = program_id(0);
    f16 zero = (f16)(load(z + p) & 15);
    f16 w[512] = (f16)((twice >> (k % 2 * 4)) & 15);
    store(y + p * 512 + k, w - zero);
}

// The same in f32, with a scale.
kernel void weights(const u8 *q, const u8 *z, f16 *y)
{
    i32 k[512] = range(512);
    u8 twice[512] = load(q + k / 2);
    i32 p = program_id(0);
    f32 zero = (f32)(load(z + p) & 15), scale = (f32)((f16)load(z + 64 + p) * (f16)0.0371);
    f32 w[512] = (f32)((twice >> (k % 2 * 4)) & 15);
    store(y + p * 512 + k, (f16)((w - zero) * scale));
}
