// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions of f16 and bf16 to neighbours in memory whose old values are unused are one instruction for
// each pair. A mask that may part a pair, an old value that is used and scattered elements need a
// compare-and-swap for each element.
// RUN: kiln compile %s --kernel=rows --num-warps=4 --arg 'y=*bf16:16' --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=BF16
// RUN: kiln compile %s --kernel=rows_f16 --num-warps=4 --arg 'y=*f16:16' --arg n=i32:16 --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=F16
// RUN: kiln compile %s --kernel=rows_f16 --num-warps=4 --arg 'y=*f16:16' --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=SINGLE
// RUN: kiln compile %s --kernel=rows_f16 --num-warps=4 --arg n=i32:16 --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=SINGLE
// RUN: kiln compile %s --kernel=used --num-warps=4 --arg 'y=*bf16:16' --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=SINGLE
// RUN: kiln compile %s --kernel=scattered --num-warps=4 --arg 'y=*bf16:16' --emit=asm --no-line-info -o - \
// RUN:   | FileCheck %s --check-prefix=SINGLE
// BF16-NOT: cmpswap
// BF16-COUNT-4: global_atomic_pk_add_bf16
// BF16-NOT: atomic
// BF16: s_endpgm
// F16-NOT: cmpswap
// F16-COUNT-2: atomic_pk_add_f16
// F16-NOT: atomic
// F16: s_endpgm
// SINGLE-NOT: pk_add_{{b?}}f16
// SINGLE: atomic_cmpswap
// SINGLE-NOT: pk_add_{{b?}}f16
// SINGLE: s_endpgm

// Two programs add whole numbers to the same elements.
// RUN: kiln run --device=interp %s --kernel=rows --grid=2 'x=f32[2048]:integers:1' 'y=bf16[2048]:integers:2' \
// RUN:   --save y=%t.rows.npy
// RUN: kiln run --device=sim --check %s --kernel=rows --grid=2 'x=f32[2048]:integers:1' 'y=bf16[2048]:integers:2' \
// RUN:   --expect y=%t.rows.npy
// RUN: kiln run --device=interp %s --kernel=rows_f16 --grid=2 'x=f32[1024]:integers:1' 'y=f16[1024]:integers:2' n=1008 \
// RUN:   --save y=%t.f16.npy
// RUN: kiln run --device=sim --check %s --kernel=rows_f16 --grid=2 'x=f32[1024]:integers:1' 'y=f16[1024]:integers:2' n=1008 \
// RUN:   --expect y=%t.f16.npy
// An odd number of elements: the last one's neighbour is not touched.
// RUN: kiln run --device=interp %s --kernel=rows_f16 --grid=2 'x=f32[1024]:integers:1' 'y=f16[1024]:integers:2' n=1001 \
// RUN:   --save y=%t.odd.npy
// RUN: kiln run --device=sim --check %s --kernel=rows_f16 --grid=2 'x=f32[1024]:integers:1' 'y=f16[1024]:integers:2' n=1001 \
// RUN:   --expect y=%t.odd.npy
// A dot's result passes LDS, as it does for a store.
// RUN: kiln run --device=interp %s --kernel=product --grid=2 'a=bf16[64,64]:integers:1' 'b=bf16[64,64]:integers:2' \
// RUN:   'y=bf16[64,64]:integers:3' --save y=%t.product.npy
// RUN: kiln run --device=sim --check %s --kernel=product --grid=2 'a=bf16[64,64]:integers:1' 'b=bf16[64,64]:integers:2' \
// RUN:   'y=bf16[64,64]:integers:3' --expect y=%t.product.npy
// RUN: kiln compile %s --kernel=product --num-warps=4 --arg 'a=*bf16:16' --arg 'b=*bf16:16' --arg 'y=*bf16:16' \
// RUN:   --emit=asm --no-line-info -o - | FileCheck %s --check-prefix=PRODUCT
// PRODUCT-NOT: cmpswap
// PRODUCT-COUNT-8: global_atomic_pk_add_bf16
// PRODUCT-NOT: atomic

kernel void rows(const f32 *x, bf16 *y)
{
    i32 at[2048] = range(2048);
    atomic_add(y + at, (bf16)load(x + at), .order = relaxed);
}

kernel void rows_f16(const f32 *x, f16 *y, i32 n)
{
    i32 at[1024] = range(1024);
    atomic_add(y + at, (f16)load(x + at), at < n, .order = relaxed);
}

kernel void used(const f32 *x, bf16 *y, bf16 *old)
{
    i32 at[1024] = range(1024);
    store(old + at, atomic_add(y + at, (bf16)load(x + at), .order = relaxed));
}

kernel void scattered(const f32 *x, bf16 *y)
{
    i32 at[1024] = range(1024);
    atomic_add(y + 2 * at, (bf16)load(x + at), .order = relaxed);
}

kernel void product(const bf16 *a, const bf16 *b, bf16 *y)
{
    i32 r[64] = range(64), at[64][64] = r[:, None] * 64 + r[None, :];
    atomic_add(y + at, (bf16)(dot(load(a + at), load(b + at)) * 0.125), .order = relaxed);
}
