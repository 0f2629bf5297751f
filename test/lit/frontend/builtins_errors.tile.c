// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Invalid arguments of built-in functions.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(const f16 *a, f32 *p, i32 *q, i32 n, constexpr i32 B = 32)
{
    f32 x[B][B] = 0;
    f16 h[B][64] = 0;
    // CHECK: :[[@LINE+1]]:9: error: call to undeclared function 'softplus'
    x = softplus(x);
    // CHECK: :[[@LINE+1]]:9: error: wrong number of arguments; expected exp(x)
    x = exp(x, x);
    // CHECK: :[[@LINE+1]]:13: error: max reduces a tile along an axis; for two values write maximum(a, b)
    n = max(n, 3);
    // CHECK: :[[@LINE+1]]:16: error: axis 2 is out of range: the tile has 2 dimensions
    n = sum(x, 2);
    // CHECK: :[[@LINE+2]]:9: error: cannot multiply f16[32][64] by f16[32][64]: the inner dimensions are 64 and 32
    // CHECK: :[[@LINE-10]]:9: note: 'h' is declared here as f16[32][64]
    x = dot(h, h, x);
    // CHECK: :[[@LINE+1]]:9: error: dot takes two tiles of f16, bf16, f32, f64, of i8 and u8 or of 8-bit floats, got f16[32][64] and f32[64][32]
    x = dot(h, zeros(f32, 64, B), x);
    // CHECK: :[[@LINE+1]]:9: error: dot multiplies two matrices, or two batches of equally many matrices, got f32[32] and f32[32][32]
    x = dot(zeros(f32, B), x);
    // CHECK: :[[@LINE+1]]:35: error: dot of f16 accumulates in f32, got i32[32][32]
    x = dot(h, zeros(f16, 64, B), zeros(i32, B, B));
    // CHECK: :[[@LINE+2]]:11: error: cannot store through a pointer to const, const f16 *
    // CHECK: :[[@LINE-22]]:26: note: 'a' is declared here as const f16 *
    store(a, 3);
    // CHECK: :[[@LINE+1]]:6: error: cannot store through a pointer to const, const f16 *
    *a = 3;
    // CHECK: :[[@LINE+1]]:14: error: load needs a pointer, got i32
    n = load(n);
    // CHECK: :[[@LINE+1]]:14: error: cannot store this: f32[32][32] does not broadcast to f32
    store(p, x);
    // CHECK: :[[@LINE+1]]:29: error: cannot broadcast bool[32] with f32 *[64]: dimension 0 is 32 here and 64 there
    store(p + range(64), 1, range(32) < n);
    // CHECK: :[[@LINE+1]]:16: error: atomic_xor does not support f32
    atomic_xor(p, 3.0);
    // CHECK: :[[@LINE+1]]:9: error: cannot reshape f32[32][32] to f32[32]: 1024 elements do not fit 32
    x = reshape(x, 32);
    // CHECK: :[[@LINE+1]]:9: error: the order must name each dimension exactly once
    x = trans(x, 0, 0);
    // CHECK: :[[@LINE+1]]:9: error: cannot bitcast between i32 and f16 of different sizes
    n = bitcast(f16, n);
    // CHECK: :[[@LINE+1]]:15: error: the first argument of zeros must be a type: zeros(type, sizes…)
    x = zeros(n, 4);
    // CHECK: :[[@LINE+1]]:12: error: assume needs a scalar condition
    assume(x > 3);
    // CHECK: :[[@LINE+1]]:9: error: multiple_of of f32[32][32] takes 2 values
    x = multiple_of(x, 16);
    // CHECK-NOT: error:
}
