// Sums of shifted values that differ between lanes (workarounds.def: scalar_sums): the shifted value or the other one
// is in a vector register, or in half of one.
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=shifted o=i32[64] rows=i32[64]:iota a=5 b=3 c=2 d=7 e=1 \
// RUN:   --print 'o[1:3]' | FileCheck %s --check-prefix=SHIFTED
// SHIFTED: 307200 1494045
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=added o=i32[64] rows=i32[64]:iota a=5 b=3 c=2 d=7 e=1 \
// RUN:   --print 'o[3:5]' | FileCheck %s --check-prefix=ADDED
// RUN: %kiln run --device=interp %s --kernel=added o=i32[64] rows=i32[64]:iota a=5 b=3 c=2 d=7 e=1 \
// RUN:   --print 'o[3:5]' | FileCheck %s --check-prefix=ADDED
// ADDED: 7468032 11381760
// RUN: %kiln run --device=sim --cache-mode=off %s --kernel=upper o=i32[64] rows=i64[64]:iota a=5 b=3 c=2 d=7 e=1 \
// RUN:   --print 'o[1:3]' | FileCheck %s --check-prefix=UPPER
// RUN: %kiln run --device=interp %s --kernel=upper o=i32[64] rows=i64[64]:iota a=5 b=3 c=2 d=7 e=1 \
// RUN:   --print 'o[1:3]' | FileCheck %s --check-prefix=UPPER
// UPPER: 307200 1494045
kernel void shifted(i32 *o, const i32 *rows, i32 a, i32 b, i32 c, i32 d, i32 e)
{
    i32 row[64] = load(rows + range(64)), sum[64] = row * 8 + a;
    o[range(64)] = ((b * 4 + sum) ^ row) * ((c * 4 + sum) ^ row) * ((d * 4 + sum) ^ row) * ((e * 4 + sum) ^ row);
}

kernel void added(i32 *o, const i32 *rows, i32 a, i32 b, i32 c, i32 d, i32 e)
{
    i32 row[64] = load(rows + range(64)), sum[64] = a * 8 + row;
    o[range(64)] = ((b * 4 + sum) ^ row) * ((c * 4 + sum) ^ row) * ((d * 4 + sum) ^ row) * ((e * 4 + sum) ^ row);
}

kernel void upper(i32 *o, const i64 *rows, i32 a, i32 b, i32 c, i32 d, i32 e)
{
    i64 wide[64] = load(rows + range(64)) * 0x100000003;
    i32 row[64] = (i32)(wide >> 32), sum[64] = row * 8 + a;
    o[range(64)] = ((b * 4 + sum) ^ row) * ((c * 4 + sum) ^ row) * ((d * 4 + sum) ^ row) * ((e * 4 + sum) ^ row);
}
