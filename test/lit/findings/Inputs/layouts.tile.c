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
    [[unroll(1)]] for (i32 k = 0; k < K; k += BK) {
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
    const f32 *p[256] = x + i * 4;
    [[unroll(1)]] for (i32 k = 0; k < n; k++) {
        sum += load(p + k % 4);
        if (BARRIERS)
            barrier();
        sum = sum * 0.5f + 1;
        if (BARRIERS)
            barrier();
    }
    store(y + program_id(0) * 256 + i, sum);
}

// Divides values of 16 bits by a divisor of 12, which is the same in all iterations.
kernel void short_quotients(const i32 *x, i32 *y, i32 n, i32 m, constexpr i32 DIVIDES = 1)
{
    i32 s[256] = 0, d = m & 0xfff;
    [[unroll(1)]] for (i32 k = 0; k < n; k++) {
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

// Adds each row's sum to one total, by an atomic that orders other accesses or by one that does not.
kernel void totals(const f16 *x, f32 *total, i32 n, constexpr i32 RELAXED = 0)
{
    for (i32 k = 0; k < n; k++) {
        f32 v[512] = load(x + ((i64)program_id(0) * n + k) * 512 + range(512));
        f32 row = log(sum(exp(v - max(v))));
        if (RELAXED)
            atomic_add(total, row, .order = relaxed);
        else
            atomic_add(total, row);
    }
}

// Sums rows whose mask ends within what a lane loads, or does not.
kernel void bags(const f16 *table, const i32 *rows, f32 *y, i32 n, i32 columns, constexpr i32 UNROLL = 1)
{
    i32 c[1024] = range(1024);
    f32 s[1024] = 0;
    [[unroll(UNROLL)]] for (i32 k = 0; k < n; k++)
        s += load(table + (i64)(rows[program_id(0) * n + k] & 4095) * columns + c, c < columns, 0);
    store(y + (i64)program_id(0) * 1024 + c, s);
}

// Running sums along the dimension that waves share.
kernel void scans(const f32 *x, f32 *y, i32 n, constexpr i32 EACH = 1)
{
    i32 r[64] = range(64);
    f32 s[64][64] = 0;
    for (i32 k = 0; k < n; k++) {
        f32 t[64][64] = load(x + k % 4 * 4096 + r[:, None] * 64 + r[None, :]);
        s += EACH ? cumsum(t, 0) : t;
    }
    store(y + (i64)program_id(0) * 4096 + r[:, None] * 64 + r[None, :], EACH ? s : cumsum(s, 0));
}

// Looks up elements that are all in one bank of LDS, or in all banks.
kernel void look_ups(const f32 *table, f32 *y, i32 n, constexpr i32 STRIDE = 32)
{
    f32 t[2048] = load(table + range(2048)), s[2048] = 0;
    for (i32 k = 0; k < n; k++)
        s += gather(t, (range(2048) * STRIDE + k) % 2048, 0);
    store(y + (i64)program_id(0) * 2048 + range(2048), s);
}

// Dots in an inner loop whose loads are not pipelined, in an outer one.
kernel void nested(const f16 *a, const f16 *b, f32 *c, i32 K, i32 outer, constexpr i32 STAGES = 1)
{
    i32 m[64] = program_id(0) * 64 + range(64), n[64] = range(64), r[32] = range(32);
    f32 acc[64][64] = 0;
    for (i32 o = 0; o < outer; o++)
        [[num_stages(STAGES)]] for (i32 k = 0; k < K; k += 32)
            acc = dot(load(a + o * 64 + m[:, None] * K + k + r[None, :]), load(b + (k + r[:, None]) * 64 + n[None, :]), acc);
    store(c + m[:, None] * 64 + n[None, :], acc);
}

// Without a loop.
kernel void once(const f32 *x, f32 *y, constexpr i32 TILE = 32768)
{
    i64 i[TILE] = (i64)program_id(0) * TILE + range(TILE);
    store(y + i, tanh(load(x + i)));
}

// Ten running tiles.
kernel void statistics(const f32 *x, f32 *y, i32 n, constexpr i32 TILE = 16384)
{
    f32 a[TILE] = 0, b[TILE] = 0, c[TILE] = 0, d[TILE] = 0, e[TILE] = 0, f[TILE] = 0, g[TILE] = 0, h[TILE] = 0, p[TILE] = 1, q[TILE] = 1;
    for (i32 k = 0; k < n; k++) {
        f32 v[TILE] = load(x + k % 4 * TILE + range(TILE));
        a += v; b += v * v; c = maximum(c, v); d = minimum(d, v); e += a * v; f += b * v; g += c * v; h += d * v; p *= v; q += p * e;
    }
    store(y + (i64)program_id(0) * TILE + range(TILE), a + b + c + d + e + f + g + h + p + q);
}

// Dots of 16 rows and columns in nested loops, for which one wave is enough.
kernel void blocks(const f16 *a, const f16 *b, f32 *c, i32 rows, i32 n)
{
    i32 r[16] = range(16);
    for (i32 i = 0; i < rows; i++) {
        f32 acc[16][16] = 0;
        for (i32 k = 0; k < n; k++)
            acc = dot(load(a + (i * n + k) * 256 + r[:, None] * 16 + r[None, :]), load(b + k * 256 + r[:, None] * 16 + r[None, :]), acc);
        store(c + ((i64)program_id(0) * rows + i) * 256 + r[:, None] * 16 + r[None, :], acc);
    }
}

// Counts last digits, which are computed in the same statement or have a variable.
kernel void digits(const i32 *x, i32 *y, i32 n, constexpr bool NAMED = false)
{
    i32 h[16] = 0;
    for (i32 k = 0; k < n; k++) {
        i32 v[512] = load(x + k * 512 + range(512)), last[512] = v % 16;
        h += histogram(NAMED ? last : v % 16, 16);
    }
    store(y + program_id(0) * 16 + range(16), h);
}

// Sums pairs of bytes.
kernel void pairs(const u8 *x, i32 *y, i32 n)
{
    i32 s[512] = 0;
    for (i32 k = 0; k < 16; k++)
        s += load(x + k * n + range(512));
    store(y + program_id(0) * 512 + range(512), s);
}

// Programs of different length, or of the same.
kernel void triangle(const f32 *x, f32 *y, i32 n, constexpr bool UNEVEN = true)
{
    f32 s[1024] = 0;
    for (i32 k = 0; k < (UNEVEN ? program_id(0) * 2 : num_programs(0)); k++)
        s += load(x + k % n * 1024 + range(1024));
    store(y + program_id(0) * 1024 + range(1024), s);
}

// Normalizes rows in two passes, each of which loads them, or loads them once. In the second pass, with a shift other bytes are read, and with OTHER what the first one
// has stored, to which with OTHER = 2 the second one stores again.
kernel void scaled_rows(f32 *x, f32 *y, i32 columns, constexpr i32 B = 1024, constexpr i32 ONCE = 0, constexpr i32 SHIFT = 0, constexpr i32 OTHER = 0)
{
    i64 row = (i64)program_id(0) * columns;
    f32 total[B] = 0;
    if constexpr (ONCE) {
        f32 v[B] = load(x + row + range(B));
        store(y + row + range(B), v * (1 / sqrt(sum(v * v, 0))));
    } else {
        for (i32 c = 0; c < columns; c += B) {
            f32 v[B] = load(x + row + c + range(B));
            total += v * v;
            if (OTHER)
                store(x + row + c + range(B), v + 1);
        }
        f32 scale = 1 / sqrt(sum(total, 0));
        for (i32 c = 0; c < columns; c += B) {
            store(y + row + c + range(B), load(x + row + c + SHIFT + range(B)) * scale);
            if (OTHER == 2)
                store(x + row + c + range(B), total);
        }
    }
}

// Adds powers, or products.
kernel void powers_of(const f32 *x, f32 *y, i32 n, constexpr i32 PRODUCTS = 0)
{
    i32 i[1024] = program_id(0) * 1024 + range(1024);
    f32 v[1024] = load(x + i), s[1024] = 0;
    for (i32 k = 0; k < n; k++) {
        v += 0.25f;
        s += PRODUCTS ? v * v * v : pow(v, 3.0f);
    }
    store(y + i, s);
}

// Counts bytes by an atomic for each, or in LDS first, by barriers of which the atomic needs none.
kernel void counts_bytes(i32 *counts, const u8 *x, constexpr i32 EACH = 1)
{
    i32 v[4096] = (i32)load(x + program_id(0) * 4096 + range(4096));
    if constexpr (EACH)
        atomic_add(counts + v, 1, .order = relaxed);
    else
        atomic_add(counts + range(256), histogram(v, 256), .order = relaxed);
}

// Multiplies f16 that are widened to f32, exactly or rounded.
kernel void widened(const f16 *a, const f16 *b, f32 *c, i32 K, constexpr i32 ROUNDS = 0)
{
    i32 m[64] = range(64), k[32] = range(32);
    f32 acc[64][64] = 0;
    for (i32 first = 0; first < K; first += 32) {
        f16 x[64][32] = load(a + m[:, None] * K + first + k[None, :]);
        f16 y[32][64] = load(b + (first + k)[:, None] * 64 + m[None, :]);
        if constexpr (ROUNDS)
            acc = dot((f32)x, (f32)y, acc, .precision = tf32);
        else
            acc = dot((f32)x, (f32)y, acc);
    }
    store(c + program_id(0) * 4096 + m[:, None] * 64 + m[None, :], acc);
}
