// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maxima of each column, or of each row.
kernel void maxima(const f32 *x, f32 *y, i32 n, constexpr i32 AXIS = 0)
{
    i32 r[64] = range(64);
    f32 sum[64] = 0;
    for (i32 k = 0; k < n; k++) {
        f32 t[64][64] = load(x + k * 4096 + r[:, None] * 64 + r[None, :]);
        sum += max(t, AXIS);
    }
    store(y + r, sum);
}

// The second operand comes from LDS as bytes, and is widened in registers.
kernel void bytes(const f16 *a, const i8 *b, f32 *c, i32 n)
{
    i32 r[64] = range(64);
    f32 acc[64][64] = 0;
    for (i32 k = 0; k < n; k++) {
        f16 x[64][64] = load(a + k * 64 + r[:, None] * 4096 + r[None, :]);
        i8 y[64][64] = load(b + k * 64 + r[None, :] * 4096 + r[:, None]);
        acc = dot(x, (f16)y, acc);
    }
    store(c + r[:, None] * 64 + r[None, :], acc);
}

// A load whose address depends on what the loop computes, or on its counter.
kernel void chain(const f16 *a, const f16 *b, const i32 *next, f32 *c, i32 n, constexpr i32 CHAINED = 1)
{
    i32 r[64] = range(64);
    f32 acc[64][64] = 0;
    i32 at = 0;
    for (i32 k = 0; k < n; k++) {
        f16 x[64][64] = load(a + (CHAINED ? at : k) * 4096 + r[:, None] * 64 + r[None, :]);
        f16 y[64][64] = load(b + k * 4096 + r[:, None] * 64 + r[None, :]);
        acc = dot(x, y, acc);
        at = (i32)max(max(acc, 1), 0);
    }
    store(c + r[:, None] * 64 + r[None, :], acc);
}

// Stores tiles transposed, or as they were loaded.
kernel void turned(const f32 *x, f32 *y, i32 n, constexpr i32 TURN = 1)
{
    i32 r[64] = range(64);
    for (i32 k = 0; k < n; k++) {
        f32 t[64][64] = load(x + k * 4096 + r[:, None] * 64 + r[None, :]);
        store(y + k * 4096 + r[:, None] * 64 + r[None, :], TURN ? trans(t) : t);
    }
}

// A loop that tests its condition after the dots.
kernel void until(const f16 *a, const f16 *b, f32 *c, i32 n)
{
    i32 r[64] = range(64);
    f32 acc[64][64] = 0;
    i32 k = 0;
    do {
        f16 x[64][64] = load(a + k * 4096 + r[:, None] * 64 + r[None, :]);
        f16 y[64][64] = load(b + k * 4096 + r[:, None] * 64 + r[None, :]);
        acc = dot(x, y, acc);
    } while (++k < n);
    store(c + r[:, None] * 64 + r[None, :], acc);
}
