// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More invalid arguments of built-in functions.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(f32 *p, f16 *h, i32 n, constexpr i32 B = 32)
{
    f32 x[B] = 0;
    // CHECK: :[[@LINE+1]]:13: error: sum needs a tile, got i32
    n = sum(n);
    // CHECK: :[[@LINE+1]]:20: error: expected a numeric type, got f32 *
    auto z = zeros(f32 *, 4);
    // CHECK: :[[@LINE+1]]:15: error: cannot exchange dimensions of f32[32]: it has fewer than two
    x = trans(x);
    // CHECK: :[[@LINE+1]]:9: error: the order of f32[32] has 1 entries
    x = trans(x, 0, 1);
    // CHECK: :[[@LINE+1]]:19: error: f32[32] cannot index f32[32] along axis 0
    x = gather(x, x, 0);
    // CHECK: :[[@LINE+1]]:16: error: atomic_cas does not support bool
    atomic_cas((bool *)p, 1, 2);
    // CHECK: :[[@LINE+1]]:17: error: xor_sum needs integers, got f32[32]
    n = xor_sum(x);
    // CHECK: :[[@LINE+1]]:9: error: fma needs floats, got i32
    n = fma(n, n, 3);
    // CHECK: :[[@LINE+1]]:9: error: umulhi needs integers
    n = umulhi(x, x);
    // CHECK: :[[@LINE+1]]:9: error: cdiv needs integers, got f32[32] and i32
    n = cdiv(x, 3);
    // CHECK: :[[@LINE+1]]:24: error: a hint must be at least 1
    n = multiple_of(n, 0);
    // CHECK: :[[@LINE+1]]:13: error: exp cannot be applied to f32 *
    x = exp(p);
    // CHECK: :[[@LINE+1]]:16: error: atomic_add does not support bool
    atomic_add((bool *)p, 1);
    // CHECK: :[[@LINE+1]]:9: error: wrong number of arguments; expected zeros(type, sizes…)
    x = zeros(f32, 1, 1, 1, 1, 1, 1, 1, 1, 1);
}
