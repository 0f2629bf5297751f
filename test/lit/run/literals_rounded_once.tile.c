// Literals are rounded once, from the number as it is written: these lie so close to the middle of
// two neighbours that their doubles are that middle. Values of -D, too.
//
// RUN: %kiln run --device=interp %s -D D=1.0000000596046447753906250000001 'x=i32[8]:fill:1065353216' 'h=i16[8]' 'd=i64[4]' --print x --print h --print d | FileCheck %s
// CHECK: x =
// CHECK-NEXT: 1065353217 1065353216 -1082130431 1065353217 1065353217 1065353216 1065353217 1065353217
// CHECK: h =
// CHECK-NEXT: 15361 15360 15361 16257 16256 16257 -17407 15361
// CHECK: d =
// CHECK-NEXT: 4607182418800017408 4607182418800017408 4607182418800017409 4607182418800017408
[[grid(1)]] kernel void k(i32 *x, i16 *h, i64 *d, constexpr f32 D = 0)
{
    f32 one = load((f32 *)x + 1);
    x[0] = bitcast(i32, 1.00000005960464477539062500000001f); // 2^-24 + 1 is the middle of 1 and its successor
    x[1] = bitcast(i32, 1.00000005960464477539062499999999f);
    x[2] = bitcast(i32, (f32)-1.00000005960464477539062500000001);
    x[3] = bitcast(i32, one * 1.00000005960464477539062500000001); // takes its type from the operand
    x[4] = bitcast(i32, 0x1.0000010000000000000000000001p0f);
    x[5] = bitcast(i32, 0x1.000001p0f); // exactly the middle: even
    x[6] = bitcast(i32, D);
    x[7] = bitcast(i32, (f32)1.00000005960464477539062500000001);
    h[0] = bitcast(i16, 1.0004882812500000000000000000001f16);
    h[1] = bitcast(i16, 1.00048828125f16);
    h[2] = bitcast(i16, (f16)0x1.0020000000000000000000001p0);
    h[3] = bitcast(i16, 1.0039062500000000000000000000001bf16);
    h[4] = bitcast(i16, 1.00390625bf16);
    h[5] = bitcast(i16, (bf16)1.0039062500000000000000000000001);
    h[6] = bitcast(i16, -1.0004882812500000000000000000001f16);
    f16 y = 1.0004882812500000000000000000001;
    h[7] = bitcast(i16, y);
    d[0] = bitcast(i64, (f64)1.0000000000000001110223024625156540423631668090820312);    // below the middle
    d[1] = bitcast(i64, (f64)1.00000000000000011102230246251565404236316680908203125); // the middle
    d[2] = bitcast(i64, (f64)1.00000000000000011102230246251565404236316680908203125000001);
    d[3] = bitcast(i64, (f64)0.99999999999999999999999999);
}
