// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types that an operator, an assignment or a cast cannot combine. The operands are underlined, the caret is at the operator.
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
    // CHECK: :[[@LINE+1]]:15: error: '%' needs integers, got f32[32] and i32
    n = scale % 2;
    // CHECK: :[[@LINE+1]]:12: error: '+' is not supported on 8-bit floats; convert to f32 first
    x = (e + 1)[None, :];
    // CHECK: :[[@LINE+1]]:11: error: cannot assign this: f32[128][64] does not broadcast to f32[32]
    scale = x;
    // CHECK: :[[@LINE+1]]:15: error: cannot assign this: that would drop the 'const' of const f16 *
    f16 *w; w = a;
    // CHECK: :[[@LINE+1]]:14: error: cannot initialise the variable: got const f16 *, expected f32 *
    f32 *q = a;
    // CHECK: :[[@LINE+1]]:9: error: '-' cannot be applied to f32 *
    n = -p;
    // CHECK: :[[@LINE+1]]:9: error: '~' of a bool is always true; write '!'
    n = ~(n < 3);
    // CHECK: :[[@LINE+1]]:9: error: cannot convert f32 * to f32
    n = (f32)p;
    // CHECK: :[[@LINE+1]]:11: error: division by zero
    n = n / 0;
    // CHECK: :[[@LINE+1]]:27: error: this division overflows i32
    n = (-2147483647 - 1) / -1;
    // CHECK: :[[@LINE+1]]:36: error: this division overflows i64
    n = (-9223372036854775807 - 1) % -1;
    // CHECK: :[[@LINE+1]]:9: error: this division overflows i32
    n = cdiv(-2147483647 - 1, -1);
    // CHECK: :[[@LINE+1]]:9: error: a value of type f32 * cannot be converted to bool
    n = p && n;
    // CHECK: :[[@LINE+1]]:10: error: cannot access a single element of i32[64]; tiles are read and written as a whole
    n += r[3];
    // CHECK: :[[@LINE+1]]:9: error: i32[64] has 1 dimension, but the subscript has 2 ':'
    n = r[:, :];
    // CHECK: :[[@LINE+1]]:14: error: a subscript of a tile consists of ':' and 'None'
    n = r[:, 3];
    // CHECK: :[[@LINE+1]]:9: error: expected one index into a pointer, or ':' and 'None' for each dimension of a tile
    n = p[1, 2];
}
