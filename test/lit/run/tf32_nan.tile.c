// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A NaN whose payload is only in the bits that tf32 truncates is a NaN in every precision of a
// product, not an infinity. Row 3 of a has one.
// RUN: %python -c "import struct, sys; sys.stdout.buffer.write(struct.pack('<1024I', *[0x7f800001 \
// RUN:   if i == 3 * 32 + 5 else 0x3f800000 for i in range(1024)]))" \
// RUN:   > %t.a
// RUN: sh %S/Inputs/each.sh '%kiln run --device=sim --cache-mode=off %s a=f32[32,32]@%t.a c=f32[32,32] --num-warps=1 --print c[2:5,0:2] --kernel' \
// RUN:   tf32_ tf32x3_ bf16x3_ bf16x6_ ieee_ | FileCheck %s
// RUN: %kiln run --device=interp %s a=f32[32,32]@%t.a c=f32[32,32] --print c[2:5,0:2] --kernel=tf32_ \
// RUN:   | FileCheck %s --check-prefix=ONE
// CHECK-COUNT-5: {{^ *32 32$[[:space:]]+-?nan -?nan$[[:space:]]+32 32$}}
// ONE: {{^ *32 32$[[:space:]]+-?nan -?nan$[[:space:]]+32 32$}}

#define KERNEL(p)                                                                                                      \
    kernel void p##_(const f32 *a, f32 *c)                                                                             \
    {                                                                                                                  \
        i32 at[32][32] = range(32)[:, None] * 32 + range(32)[None, :];                                                 \
        f32 x[32][32] = load(a + at);                                                                                  \
        f32 y[32][32] = 1;                                                                                             \
        store(c + at, dot(x, y, .precision = p));                                                                      \
    }

KERNEL(tf32)
KERNEL(tf32x3)
KERNEL(bf16x3)
KERNEL(bf16x6)
KERNEL(ieee)
