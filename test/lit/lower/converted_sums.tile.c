// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences of converted integers stay in floating point (compiler/codegen/ir/fence_conversions.c),
// also where LLVM has made vectors of the conversions, whose elements are the same in all lanes.
// RUN: kiln compile %s --num-warps=1 --kernel=uniform --emit=llvm --no-line-info -o - | FileCheck %s
// RUN: for k in uniform signs; do for d in sim interp; do kiln run --device=$d --cache-mode=off %s --kernel=$k \
// RUN:   'p=i32[64]:iota' 'y=f32[256]' --save y=%t.$d || exit 1; done; cmp %t.sim %t.interp || exit 1; done

// CHECK-NOT: sub nsw
// CHECK-NOT: call float @llvm.arithmetic.fence
// CHECK: fsub
// CHECK-NOT: call float @llvm.arithmetic.fence
// CHECK: ret void
kernel void uniform(const i32 *p, f32 *y)
{
    f32 a = load(p + 3) & 15, b = load(p + 4) & 15;
    store(y, a);
    store(y + 1, b);
    store(y + 7, a - b);
}

kernel void signs(const i32 *p, f32 *y)
{
    i32 i[64] = range(64), x[64] = load(p + i);
    f32 low[64] = x & 7, high[64] = x >> 3, less[64] = x - 32;
    store(y + i, low - high);
    store(y + 64 + i, less + high);
    store(y + 128 + i, low - low);
    store(y + 192 + i, less - low);
}
