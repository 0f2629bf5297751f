// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations of one program happen in the order of its statements, also where other waves
// perform the later ones. Those that commute, and whose results nobody uses, need no barrier.
// RUN: %kiln run --device=sim --cache-mode=off --num-warps=1 --kernel=orders %s \
// RUN:   x=i32[512]:iota x8=u8[512] s=i32[1] q=i32[512] \
// RUN:   --print q[0:4] --print x[0:4] --print x8[62:66] --print s | FileCheck %s
// RUN: %kiln run --device=sim --cache-mode=off --num-warps=4 --kernel=orders %s \
// RUN:   x=i32[512]:iota x8=u8[512] s=i32[1] q=i32[512] \
// RUN:   --print q[0:4] --print x[0:4] --print x8[62:66] --print s | FileCheck %s
// RUN: %kiln run --device=sim --cache-mode=off --num-warps=8 --kernel=orders %s \
// RUN:   x=i32[512]:iota x8=u8[512] s=i32[1] q=i32[512] \
// RUN:   --print q[0:4] --print x[0:4] --print x8[62:66] --print s | FileCheck %s
// RUN: %kiln run --device=interp --kernel=orders %s \
// RUN:   x=i32[512]:iota x8=u8[512] s=i32[1] q=i32[512] \
// RUN:   --print q[0:4] --print x[0:4] --print x8[62:66] --print s | FileCheck %s
// RUN: %kiln compile --kernel=sums %s --emit=ttg --num-warps=4 -o - | FileCheck %s --check-prefix=SUMS

kernel void orders(i32 *x, u8 *x8, i32 *s, i32 *q)
{
    i32 e[512] = range(512), back[512] = 511 - e;
    atomic_xchg(x + e, e);
    i32 before[512] = atomic_add(x + back, 1000); // gives back
    atomic_max(x + (e ^ 256), 5000 - e);          // 5000 - (e ^ 256)
    before += atomic_add(x + back, 1);            // + 5000 - (back ^ 256) = 4489 + (e ^ 256)
    atomic_or(x8 + e, (u8)3);
    atomic_and(x8 + back, (u8)6);
    for (i32 i = 0; i < 3; i++)
        atomic_xchg(x8 + ((e + i * 64) & 511), (u8)(i + 2), e < 448);
    atomic_xchg(s, 7);
    atomic_add(s + zeros(i32, 512), 1);
    store(q + e, before);
}
// CHECK: q[0:4] =
// CHECK-NEXT: 5256 5256 5256 5256
// CHECK: x[0:4] =
// CHECK-NEXT: 4745 4744 4743 4742
// CHECK: x8[62:66] =
// CHECK-NEXT: 4 4 3 3
// CHECK: s =
// CHECK-NEXT: 519

kernel void sums(f32 *x, f32 *y)
{
    f32 v[512] = load(y + range(512));
    for (i32 i = 0; i < 8; i++)
        atomic_add(x + ((range(512) + 64 * i) & 511), v);
}
// SUMS: tt.func public @sums
// SUMS-NOT: barrier
