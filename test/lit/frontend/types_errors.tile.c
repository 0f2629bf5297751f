// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types: what an operator, an assignment or a cast cannot combine. The operands are underlined, the caret is at the operator.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(const f16 *a, f32 *p, i32 n, constexpr i32 B = 64)
{
    f32 x[128][B] = 0;
    f32 scale[32] = 1;
    f8e4m3fnuz e[B] = (f8e4m3fnuz)0.0;
    i32 r[B] = range(B);
    // CHECK: :[[@LINE+7]]:11: error: cannot broadcast f32[128][64] with f32[32][1]: dimension 0 is 128 here and 32 there
    // CHECK-NEXT: x = x * scale[:, None] + 1;
    // CHECK-NEXT: {{^}}        ~ ^ ~~~~~~~~~~~~~~{{$}}
    // CHECK: :[[@LINE-7]]:9: note: 'x' is declared here as f32[128][64]
    // CHECK: :[[@LINE-7]]:9: note: 'scale' is declared here as f32[32]
    // CHECK-NEXT: f32 scale[32] = 1;
    // CHECK-NEXT: {{^}}        ^~~~~{{$}}
    x = x * scale[:, None] + 1;
    // CHECK: :[[@LINE+1]]:11: error: '*' cannot be applied to f32 * and i32
    n = p * n;
    // CHECK: :[[@LINE+1]]:15: error: '%' needs integers, not f32[32] and i32
    n = scale % 2;
    // CHECK: :[[@LINE+1]]:12: error: '+' is not defined on 8-bit floats; convert to f32 first
    x = (e + 1)[None, :];
    // CHECK: :[[@LINE+1]]:11: error: cannot assign this: f32[128][64] does not broadcast to f32[32]
    scale = x;
    // CHECK: :[[@LINE+1]]:15: error: cannot assign this: that would drop the 'const' of const f16 *
    f16 *w; w = a;
    // CHECK: :[[@LINE+1]]:14: error: cannot initialise the variable: it is const f16 *, and f32 * is needed
    f32 *q = a;
    // CHECK: :[[@LINE+1]]:9: error: '-' cannot be applied to f32 *
    n = -p;
    // CHECK: :[[@LINE+1]]:9: error: '~' of a bool is true whatever it was; write '!'
    n = ~(n < 3);
    // CHECK: :[[@LINE+1]]:9: error: cannot convert f32 * to f32
    n = (f32)p;
    // CHECK: :[[@LINE+1]]:11: error: division by zero
    n = n / 0;
    // CHECK: :[[@LINE+1]]:9: error: a value of type f32 * is neither true nor false
    n = p && n;
    // CHECK: :[[@LINE+1]]:10: error: a single element of i32[64] cannot be used; a tile is read and changed as a whole
    n += r[3];
    // CHECK: :[[@LINE+1]]:9: error: i32[64] has 1 dimension, and the subscript names 2 by ':'
    n = r[:, :];
    // CHECK: :[[@LINE+1]]:14: error: a subscript of a tile is made of ':' and 'None'
    n = r[:, 3];
    // CHECK: :[[@LINE+1]]:9: error: a subscript is one index of a pointer, or ':' and 'None' for each dimension
    n = p[1, 2];
}
