// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load used unchanged by one dot and transposed by another has two buffers, each with neighbours
// for its dot, so that no element is read separately; not if LDS would then hold fewer workgroups
// than registers do, nor if elements have 32 bits. The results are those without pipelining.
// RUN: kiln compile %s -D M=128 -D N=64 -D D=128 --num-warps=8 --emit=ttg --no-line-info -o - | FileCheck %s
// RUN: kiln compile %s -D M=128 -D N=64 -D D=128 --num-warps=8 --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=ASM
// RUN: kiln compile %s -D M=32 -D N=64 -D D=64 --num-warps=4 --emit=ttg --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=ONE
// RUN: sed '/RUN:/d; s/f16/f32/g' %s > %t.tile.c && kiln compile %t.tile.c -D M=128 -D N=32 -D D=64 --num-warps=8 \
// RUN:   --emit=ttg --no-line-info -o - | FileCheck %s --check-prefix=ONE
// RUN: for s in 1 2; do KILN_SIM_CHECK=all kiln run --device=sim %s -D M=128 -D N=64 -D D=128 --num-warps=8 \
// RUN:   --num-stages=$s keys=200 'x=f16[128,128]:random:1' 'y=f16[256,128]:random:2' 'z=f32[128,128]' --save z=%t.$s \
// RUN:   || exit 1; done; cmp %t.1 %t.2

// CHECK-COUNT-2: ttg.local_alloc {{.*}} : () -> !ttg.memdesc<2x64x128xf16
// CHECK-NOT: ttg.local_alloc
// CHECK: scf.for
// CHECK: ttg.local_store
// CHECK: ttg.local_store
// CHECK: tt.load
// CHECK: ttg.local_load
// CHECK: ttg.local_load
// CHECK: scf.yield

// ASM-NOT: ds_read_u16
// ASM: s_endpgm

// ONE: ttg.local_alloc {{.*}} : () -> !ttg.memdesc
// ONE-NOT: ttg.local_alloc
// ONE: scf.yield

kernel void twice(const f16 *x, const f16 *y, f32 *z, i32 keys, constexpr i32 M, constexpr i32 N, constexpr i32 D)
{
    i32 m[M] = range(M), n[N] = range(N), d[D] = range(D);
    f16 a[M][D] = load(x + m[:, None] * D + d[None, :]);
    f32 sums[M][D] = 0;
    for (i32 start = 0; start < keys; start += N) {
        f16 b[N][D] = load(y + (start + n)[:, None] * D + d[None, :], (start + n)[:, None] < keys, 0);
        f32 p[M][N] = dot(a, trans(b));
        sums = dot((f16)exp2(p), b, sums);
    }
    store(z + m[:, None] * D + d[None, :], sums);
}
