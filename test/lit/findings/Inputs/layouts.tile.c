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

// Multiplies rows that are `ld` elements apart with a vector, by lanes with a row or a part of one.
kernel void rows_times(const f16 *w, const f16 *x, f32 *y, i32 K, i32 ld, constexpr i32 M = 64, constexpr i32 BK = 8)
{
    i32 m[M] = program_id(0) * M + range(M), r[BK] = range(BK);
    f32 acc[M][BK] = 0;
    for (i32 k = 0; k < K; k += BK) {
        f32 a[M][BK] = load(w + m[:, None] * ld + k + r[None, :]);
        f32 b[BK] = load(x + k + r);
        acc += a * b[None, :];
    }
    store(y + m, sum(acc, 1));
}

// Multiplies only blocks that are not masked.
kernel void sparse(const f16 *a, const f16 *b, const i32 *mask, f32 *c, i32 n, constexpr i32 BRANCH = 1)
{
    i32 r[64] = range(64);
    f32 acc[64][64] = 0;
    for (i32 k = 0; k < n; k++)
        if (!BRANCH || mask[k] == 0)
            acc = dot(load(a + k * 4096 + r[:, None] * 64 + r[None, :]), load(b + k * 4096 + r[:, None] * 64 + r[None, :]), acc);
    store(c + r[:, None] * 64 + r[None, :], acc);
}

// Sorts, by a function that is itself written in Tile C.
kernel void sorts(const f32 *x, f32 *y, i32 n)
{
    f32 s[1024] = 0;
    for (i32 k = 0; k < n; k++)
        s += sort(load(x + k % 4 * 1024 + range(1024)));
    store(y + program_id(0) * 1024 + range(1024), s);
}

// Waves of different length, with two barriers in each iteration that order nothing.
kernel void waiting_twice(const f32 *x, f32 *y, i32 n, constexpr i32 BARRIERS = 1)
{
    i32 i[256] = range(256);
    f32 sum[256] = 0;
    const f32 *p[256] = x + i * 32;
    for (i32 k = 0; k < n; k++) {
        sum += load(p + k % 4);
        if (BARRIERS)
            barrier();
        sum += load(p + k % 4 + 8);
        if (BARRIERS)
            barrier();
    }
    store(y + program_id(0) * 256 + i, sum);
}

// Divides values of 16 bits by a divisor of 12, which is the same in all iterations.
kernel void short_quotients(const i32 *x, i32 *y, i32 n, i32 m, constexpr i32 DIVIDES = 1)
{
    i32 s[256] = 0, d = m & 0xfff;
    for (i32 k = 0; k < n; k++) {
        i32 v[256] = load(x + k % 4 * 256 + range(256)) & 0xffff;
        s += DIVIDES ? v % d + (v >> 3) % d + (v >> 5) % d + (v >> 7) % d : v ^ d;
    }
    store(y + program_id(0) * 256 + range(256), s);
}

// Rows of 128 elements, for which two waves are enough.
kernel void short_rows(const f32 *x, f32 *y, i32 n)
{
    f32 s[128] = 0;
    for (i32 k = 0; k < n; k++) {
        f32 v[128] = load(x + k % 4 * 128 + range(128));
        s += exp(v) * sin(v);
    }
    store(y + program_id(0) * 128 + range(128), s);
}
