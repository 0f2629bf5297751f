// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 becomes bf16 by four instructions per element, rounded to nearest even; a NaN stays a NaN,
// even if its payload is only in the lower half, or all ones.
// RUN: kiln compile %s --kernel=round --num-warps=1 --emit=asm --no-line-info -o - | FileCheck %s
// RUN: python3 -c "import struct; open('%t.in','wb').write(struct.pack('<64I', *([0x3f808000, 0x3f818000, 0x3f808001, \
// RUN:   0x3f807fff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xffffffff, 0x7fffffff, 0x7fc00000, \
// RUN:   1, 0x80000000, 0x8000, 0x18000] * 4)))"
// RUN: kiln run --device=sim %s --kernel=round --num-warps=1 x=u32[64]@%t.in 'y=u16[64]' --save y=%t.out \
// RUN:   && python3 \
// RUN:   -c "import struct; print(*['%%04x' %% v for v in struct.unpack('<64H', open('%t.out','rb').read())[:16]])" \
// RUN:   | FileCheck %s --check-prefix=BITS

// CHECK-NOT: v_or_b32
// CHECK: v_bfe_u32
// CHECK: v_add3_u32
// CHECK: v_cmp_{{o|u}}_f32
// CHECK: v_cndmask_b32
// CHECK-NOT: v_or_b32
// CHECK: s_endpgm

// BITS: 3f80 3f82 3f81 3f80 7f80 ff80 7f80 ff80 7fc0 7fc0 7fc0 7fc0 0000 8000 0000 0002

kernel void round(const u32 *x, u16 *y)
{
    i32 i[64] = range(64);
    f32 numbers[64] = bitcast(f32, load(x + i));
    store(y + i, bitcast(u16, (bf16)numbers));
}

// RUN: python3 -c "import struct; open('%t.narrow','wb').write(struct.pack('<64H', *([0x3f80, 0x7f80, 0xff80, 0x7f81, \
// RUN:   0xff81, 0x7fff, 0xffff, 0x7fc0, 0x0001, 0x8000, 0x7f7f, 0xff7f, 0x4049, 0x0000, 0xc2f7, 0x3eaa] * 4)))"
// RUN: kiln compile %s --kernel=scale --num-warps=1 --emit=asm --no-line-info -o - | FileCheck %s --check-prefix=SHORT
// RUN: kiln run --device=sim %s --kernel=scale --num-warps=1 x=u16[64]@%t.narrow 'y=u16[64]' \
// RUN:   --save y=%t.out && python3 \
// RUN:   -c "import struct; print(*['%%04x' %% (v | (v & 0x7fff > 0x7f80) * 0x8000 | (v & 0x7fff > 0x7f80) * 0x7f) \
// RUN:   for v in struct.unpack('<64H', open('%t.out','rb').read())[:16]])" | FileCheck %s --check-prefix=SCALED

// Numbers that come from bf16 and integers have no NaN that the sum turns into a zero: 0 · ∞ and NaNs stay NaNs. In
// a chain, through selections and sums, too. A factor of f32 may have one.
// SHORT-NOT: v_cmp_{{o|u}}_f32
// SHORT: v_bfe_u32
// SHORT: v_add3_u32
// SHORT-NOT: v_cmp_{{o|u}}_f32
// SHORT: s_endpgm

// SCALED: 4040 7f80 ff80 ffff ffff ffff ffff ffff 0003 0000 7f80 ff80 4117 0000 c3b9 3f7f

kernel void scale(const u16 *x, u16 *y)
{
    i32 i[64] = range(64);
    f32 number[64] = (f32)bitcast(bf16, load(x + i)), factor[64] = 3 + 0 * (i % 2);
    store(y + i, bitcast(u16, (bf16)(number * factor + 0.0)));
}

// RUN: kiln compile %s --kernel=product --num-warps=1 --emit=asm --no-line-info -o - | FileCheck %s --check-prefix=LONG
// LONG: v_cmp_{{o|u}}_f32
kernel void product(const bf16 *x, const f32 *s, bf16 *y)
{
    i32 i[64] = range(64);
    store(y + i, (bf16)((f32)load(x + i) * load(s + i)));
}

// Integers of 8 bits are bf16 numbers: nothing is rounded.
// RUN: kiln compile %s --kernel=integers --num-warps=1 --emit=asm --no-line-info -o - | FileCheck %s --check-prefix=EXACT
// RUN: kiln run --device=interp %s --kernel=integers 'x=i8[256]:iota' 'y=bf16[256]' 'z=bf16[256]' \
// RUN:   --save y=%t.y.npy --save z=%t.z.npy
// RUN: kiln run --device=sim %s --kernel=integers --num-warps=1 'x=i8[256]:iota' 'y=bf16[256]' 'z=bf16[256]' \
// RUN:   --expect y=%t.y.npy --expect z=%t.z.npy
// EXACT-NOT: v_add3_u32
// EXACT: s_endpgm
kernel void integers(const i8 *x, bf16 *y, bf16 *z)
{
    i32 i[256] = range(256);
    i8 number[256] = load(x + i);
    store(y + i, (bf16)number);
    store(z + i, (bf16)bitcast(u8, number));
}
