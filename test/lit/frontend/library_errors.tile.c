// The device library's functions, roundings and random numbers.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    f32 x[B] = 0, y;
    i32 i[B] = 0;
    // CHECK: :[[@LINE+1]]:9: error: wrong number of arguments; pow takes 2
    x = pow(x);
    // CHECK: :[[@LINE+1]]:16: error: pow takes no named arguments
    x = pow(x, .y = 3);
    // CHECK: :[[@LINE+1]]:18: error: atan2 cannot be applied to f32 *
    x = atan2(x, p);
    // CHECK: :[[@LINE+1]]:9: error: cannot broadcast f32[32] with f32[64]: dimension 0 is 32 here and 64 there
    x = hypot(x, range(64));
    // CHECK: :[[@LINE+1]]:18: error: ldexp needs an integer here, got f32
    x = ldexp(x, 2.0);
    // CHECK: :[[@LINE+1]]:34: error: option 'rounding' must be one of rtne, rtz
    x = cast(f16, x, .rounding = up);
    // CHECK: :[[@LINE+1]]:34: error: .rounding applies to casts to a smaller float, not from f32[32] to f32
    x = cast(f32, x, .rounding = rtz);
    // CHECK: :[[@LINE+1]]:39: error: casts from f64 always round to nearest; cast to f32 first
    x = cast(f16, (f64)x, .rounding = rtz);
    // CHECK: :[[@LINE+1]]:14: error: the first argument of cast must be a type: cast(type, x)
    x = cast(x, f16);
    // CHECK: :[[@LINE+1]]:17: error: sqrt_rn needs floats, got i32[32]
    x = sqrt_rn(i);
    // CHECK: :[[@LINE+1]]:19: error: div_rn needs floats, got i32[32]
    x = div_rn(x, i);
    // CHECK: :[[@LINE+1]]:37: error: option 'ieee_rounding' is not known at compile time
    x = fdiv(x, x, .ieee_rounding = n > 2);
    // CHECK: :[[@LINE+1]]:9: error: random numbers need an integer seed and integer offsets
    x = rand(1.5, i);
    // CHECK: :[[@LINE+1]]:9: error: the seed of random numbers must be a scalar; offsets differ between elements
    x = randn(i, i);
    // CHECK: :[[@LINE+1]]:17: error: parameter 'whole' is a pointer, got f32; write &name for a variable's address
    x = modf(x, y);
    // CHECK-NOT: error:
}
