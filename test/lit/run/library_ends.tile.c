// Compiled code and the interpreter agree at zeros, infinities and NaN: the signs of zero, powr, Bessel functions, ilogb.
// RUN: python3 -c "import struct; v = [0.0, -0.0, 0.5, -0.5, 1, -1, 1.5, -1.5, 2, -2, 2.5, -2.5, 3, -3, 1000, 1e10, 1e16, -90, 7.5, float('inf'), float('-inf'), float('nan'), 4, -4, 90, 1e-20, -1e-20, 720, 0.25, -0.25, 3.5, -3.5]; [open('%t.' + f, 'wb').write(struct.pack('32' + f, *v)) for f in 'fd']"
// RUN: for d in sim interp; do %kiln run --cache-mode=off --device=$d %s -D T=f32 x=f32[32]@%t.f out=i8[24,32,32] \
// RUN:   --save out=%t.$d || exit 1; done; cmp %t.sim %t.interp
// RUN: for d in sim interp; do %kiln run --cache-mode=off --device=$d %s -D T=f64 x=f64[32]@%t.d out=i8[24,32,32] \
// RUN:   --save out=%t.$d || exit 1; done; cmp %t.sim %t.interp
// RUN: %kiln run --cache-mode=off --device=interp %s -D T=f64 x=f64[32]@%t.d out=i8[24,32,32] --print 'out[12:13,0:2,0:2]' \
// RUN:   --print 'out[13:14,14:17,0:1]' | FileCheck %s
// CHECK: 8 8
// CHECK: 8 8
// CHECK: 4
// CHECK: 4
// CHECK: 4
#define PUT(N, E)                                                                                                      \
    {                                                                                                                  \
        auto v = E;                                                                                                    \
        i32 kind[32][32] = where(isnan(v), 8, where(isinf(v), 4, 0) + where(v == 0, 2, 0) + where(signbit(v), 1, 0));  \
        store(out + N * 1024 + at, (i8)kind);                                                                          \
    }
kernel void k(constexpr type T, i8 *out, const T *x)
{
    i32 at[32][32] = range(32)[:, None] * 32 + range(32)[None, :];
    T a[32][32] = load(x + at / 32), b[32][32] = load(x + at % 32);
    PUT(0, expm1(a)) PUT(1, log1p(a)) PUT(2, j1(a)) PUT(3, sinpi(a)) PUT(4, cospi(a)) PUT(5, tanpi(a)) PUT(6, erfcinv(a))
    PUT(7, normcdfinv(a)) PUT(8, fmax(a, b)) PUT(9, fmin(a, b)) PUT(10, maxmag(a, b)) PUT(11, minmag(a, b))
    PUT(12, powr(a, b)) PUT(13, cyl_bessel_i0(a)) PUT(14, (T)ilogb(a)) PUT(15, cyl_bessel_i1(a)) PUT(16, sinh(a))
    PUT(17, tgamma(a)) PUT(18, j0(a)) PUT(19, atan2(a, b)) PUT(20, fmod(a, b)) PUT(21, cbrt(a)) PUT(22, logb(a))
    i32 e[32][32] = ilogb(a);
    store(out + 23 * 1024 + at, (i8)(e >> 24));
}
