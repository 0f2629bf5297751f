// The device library's functions, roundings and random numbers.
// RUN: not %kiln compile --from=tile --emit=tt %s -o - 2>&1 | FileCheck %s

kernel void k(f32 *p, i32 n, constexpr i32 B = 32)
{
    f32 x[B] = 0, y;
    i32 i[B] = 0;
    // CHECK: :[[@LINE+1]]:9: error: wrong number of arguments: pow takes 2
    x = pow(x);
    // CHECK: :[[@LINE+1]]:16: error: the arguments of pow have no names
    x = pow(x, .y = 3);
    // CHECK: :[[@LINE+1]]:18: error: atan2 cannot be applied to f32 *
    x = atan2(x, p);
    // CHECK: :[[@LINE+1]]:9: error: cannot broadcast f32[32] with f32[64]: dimension 0 is 32 here and 64 there
    x = hypot(x, range(64));
    // CHECK: :[[@LINE+1]]:18: error: ldexp needs an integer here, and this is f32
    x = ldexp(x, 2.0);
    // CHECK: :[[@LINE+1]]:34: error: option 'rounding' is one of rtne, rtz
    x = cast(f16, x, .rounding = up);
    // CHECK: :[[@LINE+1]]:34: error: only a cast to a smaller float rounds, and this is from f32[32] to f32
    x = cast(f32, x, .rounding = rtz);
    // CHECK: :[[@LINE+1]]:39: error: a cast from f64 rounds to nearest; go through f32
    x = cast(f16, (f64)x, .rounding = rtz);
    // CHECK: :[[@LINE+1]]:14: error: the first argument of cast is a type: cast(type, x)
    x = cast(x, f16);
    // CHECK: :[[@LINE+1]]:17: error: sqrt_rn needs floats, and this is i32[32]
    x = sqrt_rn(i);
    // CHECK: :[[@LINE+1]]:19: error: div_rn needs floats, and this is i32[32]
    x = div_rn(x, i);
    // CHECK: :[[@LINE+1]]:37: error: option 'ieee_rounding' is not known when compiling
    x = fdiv(x, x, .ieee_rounding = n > 2);
    // CHECK: :[[@LINE+1]]:9: error: random numbers are made of an integer seed and integer offsets
    x = rand(1.5, i);
    // CHECK: :[[@LINE+1]]:9: error: the seed of random numbers is a scalar; each element has an offset
    x = randn(i, i);
    // CHECK: :[[@LINE+1]]:17: error: parameter 'whole' is a pointer, and this is f32; a variable's address is &name
    x = modf(x, y);
    // CHECK-NOT: error:
}
