// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A histogram does not count what is below 0 or beyond its bins, whatever the type.
// RUN: %kiln run --device=sim --cache-mode=off %s q=i32[4,16] --print q | FileCheck %s
// RUN: %kiln run --device=interp %s q=i32[4,16] --print q | FileCheck %s

kernel void k(i32 *q)
{
    i32 e[64] = range(64), bin[16] = range(16);
    store(q + bin, histogram((i64)e << 32 | e % 32, 16));
    store(q + 16 + bin, histogram(e - 60, 16));
    store(q + 32 + bin, histogram((i8)(e * 8), 16));
    store(q + 48 + bin, histogram((u64)e * 4294967297u, 16));
}
// CHECK:      1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
// CHECK-NEXT: 1 1 1 1 0 0 0 0 0 0 0 0 0 0 0 0
// CHECK-NEXT: 2 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0
// CHECK-NEXT: 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
