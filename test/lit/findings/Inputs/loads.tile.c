// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load that is used at once; with UNROLL, four are on their way together.
kernel void rows(const f32 *x, f32 *y, i32 n, constexpr i32 UNROLL = 1)
{
    i32 i[64] = range(64);
    f32 sum[64] = 0;
    const f32 *p[64] = x + program_id(0) * n * 64 + i;
    [[unroll(UNROLL)]] for (i32 k = 0; k < n; k++) {
        sum = sum * 0.5f + load(p);
        p += 64;
    }
    store(y + program_id(0) * 64 + i, sum);
}

// Every STRIDE-th element.
kernel void strided(const f32 *x, f32 *y, i32 n, constexpr i32 STRIDE = 32)
{
    i32 i[256] = range(256);
    f32 sum[256] = 0;
    [[unroll(1)]] for (i32 k = 0; k < n; k++)
        sum += load(x + k % 4 + i * STRIDE);
    store(y + program_id(0) * 256 + i, sum);
}

// Counts in one place, or each lane in its own.
kernel void count(i32 *x, i32 n, constexpr i32 APART = 0)
{
    i32 i[256] = range(256), one[256] = 1;
    for (i32 k = 0; k < n; k++)
        atomic_add(x + i * APART, one);
}

// A division in each iteration, or a shift.
kernel void quotients(const i32 *x, i32 *y, i32 n, i32 by, constexpr i32 DIVIDES = 1)
{
    i32 i[256] = range(256);
    i32 sum[256] = load(x + i);
    for (i32 k = 0; k < n; k++)
        sum = DIVIDES ? sum / (by + k) + 7 : (sum >> 3) + 7;
    store(y + program_id(0) * 256 + i, sum);
}

// Moves to accumulation registers and back, or none.
kernel void moves(const f32 *x, f32 *y, i32 n, constexpr i32 MOVES = 1)
{
    i32 i[256] = range(256);
    f32 v[256] = load(x + i), r[256];
    for (i32 k = 0; k < n; k++) {
        if (MOVES)
            inline_asm("v_accvgpr_write_b32 a0, $1\nv_accvgpr_write_b32 a1, $1\nv_accvgpr_write_b32 a2, $1\n"
                       "v_accvgpr_read_b32 $0, a2\nv_accvgpr_read_b32 $0, a1\nv_accvgpr_read_b32 $0, a0",
                       "=&v,v,~{a0},~{a1},~{a2}", v, &r, .pure = false);
        else
            r = v;
        v = r * 0.5f + 1;
    }
    store(y + program_id(0) * 256 + i, v);
}

// Sums of columns, n of 2048. Whether the mask lets a thread load 16 bytes at once depends on n.
kernel void sums(const f16 *x, f32 *y, i32 n, i32 m)
{
    i32 i[2048] = range(2048);
    f32 sum[2048] = 0;
    for (i32 k = 0; k < m; k++)
        sum += (f32)load(x + k * 2048 + i, i < n || i >= 2040, 0);
    store(y + program_id(0) * 2048 + i, sum);
}

// 64 rows of PITCH bytes: of each, a lane reads 16 bytes.
kernel void columns(const f32 *x, f32 *y, i32 n, constexpr i32 PITCH = 512)
{
    i32 r[256] = range(256), c[4] = range(4);
    f32 sum[256][4] = 0;
    [[unroll(1)]] for (i32 k = 0; k < n; k++)
        sum += load(x + k % 8 * 4 + r[:, None] % 64 * (PITCH / 4) + c[None, :]);
    store(y + program_id(0) * 1024 + r[:, None] * 4 + c[None, :], sum);
}

// A multiplication in f64 of values of f32, or none.
kernel void doubles(const f32 *x, f32 *y, i32 n, constexpr i32 DOUBLE = 1)
{
    i32 i[256] = range(256);
    f32 v[256] = load(x + i);
    for (i32 k = 0; k < n; k++)
        v = DOUBLE ? (f32)((f64)v * 0.1) + 1 : v * 0.1f + 1;
    store(y + program_id(0) * 256 + i, v);
}

// Waves of different length, with a barrier in each iteration that orders nothing.
kernel void waiting(const f32 *x, f32 *y, i32 n, constexpr i32 BARRIER = 1)
{
    i32 i[256] = range(256);
    f32 sum[256] = 0;
    const f32 *p[256] = x + i * 16;
    [[unroll(1)]] for (i32 k = 0; k < n; k++) {
        sum += load(p + k % 4);
        if (BARRIER)
            barrier();
    }
    store(y + program_id(0) * 256 + i, sum);
}

// Each program reads one of 8 panels of n * 1024 elements, which begin in different channels of the L2. NEAR: those that read the same one are on one XCD.
kernel void panels(const f32 *x, f32 *y, i32 n, constexpr i32 NEAR = 0)
{
    i32 i[1024] = range(1024);
    f32 sum[1024] = 0;
    i32 panel = NEAR ? program_id(0) % 8 : program_id(0) / 38;
    [[unroll(4)]] for (i32 k = 0; k < n; k++)
        sum += load(x + (panel * n + k) * 1024 + panel * 64 + i);
    store(y + program_id(0) * 1024 + i, sum);
}

// A quotient of what the same line computes, or a product.
kernel void ratios(const f32 *x, f32 *y, i32 n, constexpr i32 DIVIDES = 1)
{
    i32 i[1024] = range(1024);
    f32 sum[1024] = 0, all = load(x);
    for (i32 k = 0; k < n; k++)
        sum += DIVIDES ? exp(load(x + k % 4 * 1024 + i) - sum) / all : exp(load(x + k % 4 * 1024 + i) - sum) * (1 / all);
    store(y + program_id(0) * 1024 + i, sum);
}

// Sums of columns of rows that begin at any element, or at multiples of 16.
kernel void pitches(const f16 *x, f32 *y, i32 n, i32 pitch)
{
    i32 i[2048] = range(2048);
    f32 sum[2048] = 0;
    [[unroll(4)]] for (i32 k = 0; k < n; k++)
        sum += (f32)load(x + k * pitch + i);
    store(y + program_id(0) * 2048 + i, sum);
}

// A divisor that is the same in all iterations: its reciprocal is computed before the loop.
kernel void hashes(const i32 *x, i32 *y, i32 n, i32 by, constexpr i32 DIVIDES = 1)
{
    i32 r[256] = range(256), v[256] = load(x + r);
    for (i32 k = 0; k < n; k++) {
        v = v * 31 + k;
        v = DIVIDES ? v % by : v;
    }
    store(y + program_id(0) * 256 + r, v);
}

// Remainders of consecutive numbers, which wrap within the groups that are loaded together.
kernel void wrapped(const bf16 *x, f32 *y, i32 n, i32 m)
{
    i32 r[2048] = range(2048);
    f32 sum[2048] = 0;
    for (i32 k = 0; k < n; k++)
        sum += (f32)load(x + (r + k * 8) % m);
    store(y + program_id(0) * 2048 + r, sum);
}

// A mask of two comparisons, which may change at any element, or a selection after the load.
kernel void either(const f16 *x, f32 *y, i32 n, i32 m, constexpr i32 MASKED = 1)
{
    i32 r[2048] = range(2048);
    f32 sum[2048] = 0;
    for (i32 k = 0; k < n; k++) {
        const f16 *row[2048] = x + k * 2048 + r;
        if (MASKED)
            sum += (f32)load(row, r < m || r > 2040, 0);
        else
            sum += r < m || r > 2040 ? (f32)load(row) : 0;
    }
    store(y + program_id(0) * 2048 + r, sum);
}

// A sum in memory, or in a variable; or one of which only the last iteration's value is left.
kernel void sums_in_memory(const f32 *x, f32 *y, i32 n, constexpr i32 HOW = 0)
{
    i32 i[1024] = range(1024);
    f32 *at[1024] = y + program_id(0) * 1024 + i;
    f32 sum[1024] = load(at);
    [[unroll(1)]] for (i32 k = 0; k < n; k++) {
        f32 v[1024] = load(x + k % 16 * 1024 + i);
        if (HOW == 0)
            store(at, load(at) + v);
        sum = sum + v;
        if (HOW == 1)
            store(at, sum);
    }
    if (HOW > 0)
        store(at, sum);
}

// Stores that another load of the loop, or another program, may read.
kernel void exchanges(const f32 *x, f32 *y, i32 n, constexpr i32 READER = 1)
{
    i32 i[256] = range(256);
    f32 v[256] = load(x + i);
    for (i32 k = 0; k < n; k++) {
        store(y + i, v);
        if (READER)
            v = v + load(y + (i + k) % 256);
        else
            atomic_add(y + 256, 1);
    }
}

// Rows of 128 bytes at scattered places of a table, at multiples of `pitch` numbers.
kernel void rows_of_table(const f16 *x, f32 *y, i32 n, i32 pitch)
{
    i32 r[64] = program_id(0) * 64 + range(64), c[64] = range(64);
    f32 sum[64][64] = 0;
    [[unroll(4)]] for (i32 k = 0; k < n; k++)
        sum += (f32)load(x + ((r + k * 4099) * 7919 & 65535)[:, None] * pitch + c[None, :]);
    store(y + program_id(0) * 4096 + range(64)[:, None] * 64 + c[None, :], sum);
}

// A remainder by a constant, of which LLVM makes a product and shifts, or a number that is counted
// along; or random numbers, which products and shifts make, too.
kernel void wheel(const i32 *x, i32 *y, i32 n, constexpr i32 HOW = 0)
{
    i32 r[1024] = range(1024), v[1024] = load(x + r), at[1024] = r % 48;
    for (i32 k = 0; k < n; k++) {
        if (HOW == 0)
            v = v * 5 + (r + k) % 48;
        if (HOW == 1) {
            v = v * 5 + at;
            at = where(at == 47, 0, at + 1);
        }
        if (HOW == 2)
            v += (i32)(rand(7, r + k) * 48.0f32);
    }
    store(y + program_id(0) * 1024 + r, v);
}

// The maximum of a row: each lane's by an atomic, which LLVM combines lane by lane, or of all first.
kernel void largest(const i32 *x, i32 *y, i32 n, constexpr i32 EACH = 1)
{
    i32 i[1024] = range(1024), most[1024] = load(x + i);
    for (i32 k = 0; k < n; k++) {
        i32 v[1024] = load(x + k % 16 * 1024 + i);
        if (EACH)
            atomic_max(y + program_id(0) + i * 0, v, .order = relaxed);
        most = maximum(most, v);
    }
    atomic_max(y + program_id(0), max(most), .order = relaxed);
}

// A row of 256 numbers for each workgroup, without a loop.
kernel void centered(const f32 *x, f32 *y)
{
    i32 i[256] = program_id(0) * 256 + range(256);
    f32 v[256] = load(x + i);
    store(y + i, v - sum(v) / 256);
}

// Looks numbers up in a table of T, which LDS can hold throughout the loop, or not.
kernel void looks_up(const f32 *x, f32 *y, i32 n, constexpr i32 T = 16384)
{
    f32 table[T] = load(x + range(T));
    i32 at[256] = program_id(0) + range(256);
    f32 found[256] = 0;
    for (i32 k = 0; k < n; k++) {
        found += gather(table, at & 4095, 0);
        at = at * 5 + k;
    }
    store(y + program_id(0) * 256 + range(256), found);
}

// Dots of f32, rounded to tf32 or not.
kernel void products(const f32 *a, const f32 *b, f32 *c, i32 K, constexpr i32 ROUNDS = 0)
{
    i32 m[128] = range(128), n[128] = range(128), k[16] = range(16);
    f32 sum[128][128] = 0;
    for (i32 j = 0; j < K; j += 16) {
        f32 x[128][16] = load(a + m[:, None] * K + j + k[None, :]), y[16][128] = load(b + (j + k)[:, None] * 128 + n[None, :]);
        if constexpr (ROUNDS)
            sum = dot(x, y, sum, .precision = tf32);
        else
            sum = dot(x, y, sum);
    }
    store(c + program_id(0) * 16384 + m[:, None] * 128 + n[None, :], sum);
}

// The number of what is done, and a tile written through, which the host may be waiting for.
kernel void progress(const f32 *x, f32 *y, i32 *done, i32 n, constexpr i32 THROUGH = 0)
{
    i32 i[256] = range(256);
    f32 sum[256] = 0;
    for (i32 k = 0; k < n; k++) {
        sum += load(x + k * 256 + i);
        if constexpr (THROUGH)
            store(y + i, sum, .cache = wt);
        else
            store(done, k);
    }
    store(y + i, sum);
}

// A chain of products, by one or several iterations at a time.
kernel void powers(const f32 *x, f32 *y, i32 n, constexpr i32 UNROLL = 1)
{
    i32 i[256] = range(256);
    f32 v[256] = load(x + i), p[256] = 1;
    [[unroll(UNROLL)]]
    for (i32 k = 0; k < n; k++)
        p = p * v + 0.5f32;
    store(y + program_id(0) * 256 + i, p);
}

// A function in f64 of values of f32, or in f32.
kernel void sigmoids(const f32 *x, f32 *y, i32 n, constexpr i32 DOUBLE = 1)
{
    i32 i[1024] = range(1024);
    f32 v[1024] = load(x + i), sum[1024] = 0;
    for (i32 k = 0; k < n; k++)
        sum += DOUBLE ? (f32)(1 / (1 + exp((f64)(v + (f32)k)))) : 1 / (1 + exp(v + (f32)k));
    store(y + program_id(0) * 1024 + i, sum);
}

// A loop that counts and branches for a fifth of its time. LLVM's code for several iterations is no
// faster.
kernel void mixes(const i32 *x, i32 *y, i32 n, constexpr i32 UNROLL = 1)
{
    i32 i[1024] = range(1024);
    i32 v[1024] = load(x + i), sum[1024] = 0;
    [[unroll(UNROLL)]]
    for (i32 k = 0; k < n; k++)
        sum += v * (k * 77 + 3) ^ (v + k);
    store(y + program_id(0) * 1024 + i, sum);
}
