// The type of an integer literal is C's: only decimal numbers skip u32.
// RUN: for d in sim interp; do %kiln run --cache-mode=off --device=$d %s out=i64[15] a=-128 b=1 --print out || exit 1; \
// RUN:   done | FileCheck %s
// CHECK: 127 4294967294 2147483647 1 0 -2147483648 0 2147483647 0 0 -4294967296 -4294967296 -4294967297 1 1
// CHECK: 127 4294967294 2147483647 1 0 -2147483648 0 2147483647 0 0 -4294967296 -4294967296 -4294967297 1 1
kernel void k(i64 *out, i32 a, u32 b)
{
    out[0] = (i64)(0xFFFFFFFF - a);
    out[1] = (i64)(0xFFFFFFFF << 1);
    out[2] = (i64)(~(b * 0x80000000));
    out[3] = 0xFFFFFFFF == -1;
    out[4] = (i64)(0x80000000 >> 31 << 31 << 1);
    out[5] = (i64)~0x7FFFFFFF;                                  // i32
    out[6] = (i64)~037777777777;                                // u32
    out[7] = (i64)~0b1000'0000'0000'0000'0000'0000'0000'0000;   // u32
    out[8] = (i64)~0xFFFFFFFFu;                                 // u32
    out[9] = (i64)~0XFFFF'FFFF;                                 // u32
    out[10] = (i64)~4294967295;                                 // i64
    out[11] = (i64)~0xFFFFFFFFl;                                // i64
    out[12] = (i64)~0x100000000;                                // i64
    out[13] = (i64)(0x8000000000000000 >> 63);                  // u64
    out[14] = (i64)(~0xFFFFFFFFul >> 63);                       // u64
}
