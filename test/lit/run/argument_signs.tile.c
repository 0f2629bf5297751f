// Integer arguments are in the range of the parameter's type, with its sign; u64 takes 2^63 and more.
// RUN: for d in sim interp; do %kiln run --cache-mode=off --device=$d %s out=i64[6] a=-2147483648 e=-128 \
// RUN:   u=18446744073709551615 w=0xFFFFFFFF z=0x7FFFFFFFFFFFFFFF b=255 --print out || exit 1; done | FileCheck %s
// CHECK-COUNT-2: -2147483648 -128 -1 4294967295 9223372036854775807 255
// RUN: for d in sim interp; do \
// RUN:   for x in a=2147483648 a=0xFFFFFFFF e=128 w=-1 u=-1 u=18446744073709551616 z=9223372036854775808 b=256; do \
// RUN:     set -- $(for y in a=1 e=1 u=1 w=1 z=1 b=1; do \
// RUN:       if [ ${y%%%%=*} = ${x%%%%=*} ]; then echo $x; else echo $y; fi; done); \
// RUN:     if %kiln run --cache-mode=off --device=$d %s out=i64[6] "$@"; then exit 1; fi; done; done 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: argument 'a' = 2147483648 does not fit in i32
// REFUSED: error: argument 'a' = 4294967295 does not fit in i32
// REFUSED: error: argument 'e' = 128 does not fit in i8
// REFUSED: error: argument 'w' = -1 does not fit in u32
// REFUSED: error: argument 'u' = -1 does not fit in u64
// REFUSED: the number does not fit in 64 bits
// REFUSED: error: argument 'z' = 9223372036854775808 does not fit in i64
// REFUSED: error: argument 'b' = 256 does not fit in u8
// REFUSED: error: argument 'a' = 2147483648 does not fit in i32
// A Triton program's i32 is int32 or uint32, so both ranges are accepted.
// RUN: %kiln compile %s --emit=tt -o %t.ttir
// RUN: %kiln run --cache-mode=off --device=interp %t.ttir out=i64[6] a=4294967295 e=255 u=18446744073709551615 w=-1 \
// RUN:   z=18446744073709551615 b=-1 --print out | FileCheck %s --check-prefix=BOTH
// BOTH: -1 -1 -1 4294967295 -1 255
// RUN: %kiln compile %s -o %t.hsaco
// RUN: FileCheck %s --check-prefix=MANIFEST < %t.json
// MANIFEST: "name": "a"
// MANIFEST: "signed": true
// MANIFEST: "name": "u"
// MANIFEST: "signed": false
kernel void k(i64 *out, i32 a, i8 e, u64 u, u32 w, i64 z, u8 b)
{
    out[0] = a;
    out[1] = e;
    out[2] = (i64)u;
    out[3] = w;
    out[4] = z;
    out[5] = (i64)b;
}
