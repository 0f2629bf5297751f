// Constants round to narrow floats as values do at run time: 8-bit floats saturate, infinities too; f64 and integers
// go to 8 bits through f32.
// RUN: for d in sim interp; do %kiln run --cache-mode=off -Wno-constant-conversion --device=$d %s out=i32[7] one=1 \
// RUN:   done=1 none=0 --print out || exit 1; done | FileCheck %s
// CHECK-COUNT-2: 0 0 0 0 0 0 448
#define SAME(T, U, V, R)                                                                                               \
    {                                                                                                                  \
        constexpr T c = (T)(V);                                                                                        \
        T r = (T)(R);                                                                                                  \
        wrong += bitcast(U, c) != bitcast(U, r);                                                                       \
    }
#define OF(T, U, V) SAME(T, U, V, (V)*one) SAME(T, U, -(V), (-(V)) * one)
#define WIDE(T, U, V) SAME(T, U, V, (V)*done) SAME(T, U, -(V), (-(V)) * done)
#define WHOLE(T, U, V) SAME(T, U, V, (V) + none)
#define ALL(T, U, AT)                                                                                                  \
    {                                                                                                                  \
        i32 wrong = 0;                                                                                                 \
        OF(T, U, 0.0f) OF(T, U, 0.1f) OF(T, U, 247.9f) OF(T, U, 248.0f) OF(T, U, 256.0f) OF(T, U, 448.0f)              \
        OF(T, U, 463.9f) OF(T, U, 464.0f) OF(T, U, 464.1f) OF(T, U, 480.0f) OF(T, U, 500.0f) OF(T, U, 57344.0f)        \
        OF(T, U, 61439.9f) OF(T, U, 61440.0f) OF(T, U, 65519.9f) OF(T, U, 65520.0f) OF(T, U, 1e5f) OF(T, U, 1e30f)     \
        OF(T, U, 3.3895e38f) OF(T, U, 3.3961e38f) OF(T, U, 3.4e38f) OF(T, U, INFINITY)                                 \
        OF(T, U, 0x1p-7f) OF(T, U, 0x1.8p-9f) OF(T, U, 0x1p-10f) OF(T, U, 0x1.01p-10f) OF(T, U, 0x1p-11f)              \
        OF(T, U, 0x1.8p-16f) OF(T, U, 0x1p-17f) OF(T, U, 0x1.01p-17f) OF(T, U, 0x1p-18f) OF(T, U, 0x1.8p-24f)          \
        OF(T, U, 0x1p-25f) OF(T, U, 0x1.01p-25f) OF(T, U, 0x1p-133f) OF(T, U, 0x1p-134f) OF(T, U, 0x1.01p-134f)        \
        OF(T, U, 1e-45f) OF(T, U, 1.0625f) OF(T, U, 1.1875f) OF(T, U, 0x1.008p0f) OF(T, U, 0x1.018p0f)                 \
        WIDE(T, U, 0x1.1000000001p0f64) WIDE(T, U, 0x1.0080000001p0f64) WIDE(T, U, 1e300f64) WIDE(T, U, 1e-320f64)     \
        WHOLE(T, U, 16777217) WHOLE(T, U, 2147483647) WHOLE(T, U, -17) WHOLE(T, U, 300) WHOLE(T, U, 70000)             \
        WHOLE(T, U, 1073741825l) WHOLE(T, U, 9007199254740993l)                                                        \
        out[AT] = wrong;                                                                                               \
    }
kernel void k(i32 *out, f32 one, f64 done, i32 none)
{
    ALL(f8e4m3fn, u8, 0)
    ALL(f8e4m3fnuz, u8, 1)
    ALL(f8e5m2, u8, 2)
    ALL(f8e5m2fnuz, u8, 3)
    ALL(f16, u16, 4)
    ALL(bf16, u16, 5)
    f8e4m3fn t[64] = 1e9f;
    out[6] = (i32)max((f32)t);
}
