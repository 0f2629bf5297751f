// Options of matrix products, and scaled ones.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    f16 h[B][B] = 0;
    f32 x[B][B] = 0;
    u8 b[B][B] = 0, s[B][1] = 127;
    // CHECK: :[[@LINE+1]]:32: error: option 'precision' must be one of ieee, tf32, tf32x3, bf16x3, bf16x6
    x = dot(x, x, .precision = high);
    // CHECK: :[[@LINE+1]]:32: error: .precision applies to f32 operands, got f16
    x = dot(h, h, .precision = tf32);
    // CHECK: :[[@LINE+1]]:44: error: .max_num_imprecise_acc applies to 8-bit floats
    x = dot(h, h, .max_num_imprecise_acc = 4);
    // CHECK: :[[@LINE+1]]:44: error: option 'max_num_imprecise_acc' must be an integer constant; make it 'constexpr'
    x = dot(h, h, .max_num_imprecise_acc = n);
    // CHECK: :[[@LINE+1]]:19: error: dot of u8 accumulates in i32, got f32[32][32]
    x = dot(b, b, x);
    // CHECK: :[[@LINE+1]]:23: error: operands of bytes need a format, for example .b_format = e2m1
    x = dot_scaled(h, b);
    // CHECK: :[[@LINE+1]]:20: error: f16[32][32] does not contain bf16
    x = dot_scaled(h, b, .a_format = bf16);
    // CHECK: :[[@LINE+1]]:20: error: f32[32][32] does not contain a format that dot_scaled takes
    x = dot_scaled(x, x);
    // CHECK: :[[@LINE+1]]:38: error: option 'a_format' must be one of e4m3, e5m2, e2m3, e3m2, e2m1, bf16, f16
    x = dot_scaled(b, b, .a_format = mx);
    // CHECK: :[[@LINE+1]]:9: error: cannot multiply u8[32][32] by u8[32][32]: the inner dimensions are 64 and 32 elements
    x = dot_scaled(b, b, .a_format = e2m1, .b_format = e4m3);
    // CHECK: :[[@LINE+1]]:37: error: expected a scale of type u8[32][1], one for each 32 elements along K, got u8[32][32]
    x = dot_scaled(h, h, .a_scale = b);
    // CHECK: :[[@LINE+1]]:26: error: dot_scaled accumulates in f32, got f16[32][32]
    x = dot_scaled(h, h, h, .b_scale = s);
    // CHECK: :[[@LINE+1]]:20: error: dot_scaled multiplies matrices or batches of them, got f16[1024]
    x = dot_scaled(ravel(h), h);
    // CHECK-NOT: error:
}
