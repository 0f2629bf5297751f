// NaNs of 8 bits have the same byte in every device and in constants: quiet and without a sign.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import struct; open('%t/x', 'wb').write(struct.pack('<4I', 0x7fc00000, 0xffc00000, 0xff800001, 0x7fffffff))"
// RUN: %kiln run --device=interp %s x=f32[4]@%t/x 'y=f8e5m2[8]' 'z=f8e4m3fn[8]' 'v=f8e5m2fnuz[8]' 'w=f8e4m3fnuz[8]' --save y=%t/y --save z=%t/z --save v=%t/v --save w=%t/w
// RUN: %python -c "[print(open('%t/' + n, 'rb').read().hex()) for n in 'yzvw']" | FileCheck %s
// RUN: %kiln run --device=sim %s x=f32[4]@%t/x 'y=f8e5m2[8]' 'z=f8e4m3fn[8]' 'v=f8e5m2fnuz[8]' 'w=f8e4m3fnuz[8]' --save y=%t/y --save z=%t/z --save v=%t/v --save w=%t/w
// RUN: %python -c "[print(open('%t/' + n, 'rb').read().hex()) for n in 'yzvw']" | FileCheck %s
// CHECK: 7e7e7e7e7e7e7e7e
// CHECK-NEXT: 7f7f7f7f7f7f7f7f
// CHECK-NEXT: 8080808080808080
// CHECK-NEXT: 8080808080808080
[[grid(1)]] kernel void k(const f32 *x, f8e5m2 *y, f8e4m3fn *z, f8e5m2fnuz *v, f8e4m3fnuz *w)
{
    i32 i[4] = range(4);
    auto a = x[i];
    y[i] = (f8e5m2)a;
    z[i] = (f8e4m3fn)a;
    v[i] = (f8e5m2fnuz)a;
    w[i] = (f8e4m3fnuz)a;
    i32 j[2] = range(2);
    y[4 + j] = (f8e5m2)NAN;
    z[4 + j] = (f8e4m3fn)NAN;
    v[4 + j] = (f8e5m2fnuz)NAN;
    w[4 + j] = (f8e4m3fnuz)NAN;
    y[6 + j] = (f8e5m2)-NAN;
    z[6 + j] = (f8e4m3fn)-NAN;
    v[6 + j] = (f8e5m2fnuz)-NAN;
    w[6 + j] = (f8e4m3fnuz)-NAN;
}
