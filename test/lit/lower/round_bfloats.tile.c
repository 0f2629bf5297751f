// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f32 becomes bf16 by four instructions per element, rounded to nearest even; a NaN stays a NaN,
// even if its payload is only in the lower half, or all ones.
// RUN: kiln compile %s --num-warps=1 --emit=asm --no-line-info -o - | FileCheck %s
// RUN: python3 -c "import struct; open('%t.in','wb').write(struct.pack('<64I', *([0x3f808000, 0x3f818000, 0x3f808001, \
// RUN:   0x3f807fff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0xffffffff, 0x7fffffff, 0x7fc00000, \
// RUN:   1, 0x80000000, 0x8000, 0x18000] * 4)))"
// RUN: kiln run --device=sim %s --num-warps=1 x=u32[64]@%t.in 'y=u16[64]' --save y=%t.out \
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
