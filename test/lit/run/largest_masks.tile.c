// x & m for m = 2^k - 1 is a remainder by 2^k; for m = 2^63 - 1 the divisor exceeds i64. Axis analysis divided by zero.
// RUN: for d in sim interp; do %kiln run --cache-mode=off --device=$d %s 'x=i64[64]:random:1' 'y=i64[64]:random:2' 'out=i64[4,64]' --save out=%t.$d || exit 1; done
// RUN: cmp %t.sim %t.interp
kernel void k(const i64 *x, const i64 *y, i64 *out)
{
    i32 i[64] = range(64);
    i64 a[64] = load(x + i) & 0x7fffffffffffffff, b[64] = ((i64)i << 32) & 0x7fffffffffffffff;
    store(out + i, (a * a) * (a * a));
    store(out + 64 + i, b * load(y + i) + a);
    store(out + 128 + i, load(y + (b >> 32)) - (a & 0x7ffffffffffffff));
    store(out + 192 + i, (load(y + i) & 0x7fffffff) * a - (i64)0x8000000000000000);
}
