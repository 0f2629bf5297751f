// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multi-head latent attention (DeepSeek's MLA) of one new token per sequence: all heads share one
// key per token, of LATENT + ROTATED numbers, whose latent part is the value, too. The cache is
// tokens × (LATENT + ROTATED); `table` lists the tokens of each sequence, `lengths` their number,
// at least one. q is sequences × heads × (LATENT + ROTATED), out sequences × heads × LATENT. Rows of a
// block behind the last head compute and store it again.
//
// Where there are fewer sequences than compute units, the tokens of each are divided among SPLITS
// programs, whose results and log2 of sums, SPLITS × sequences × heads, are combined by
// mla_decode_sum. A program without tokens leaves a sum of −∞. Programs (sequences,
// heads / BLOCK_M rounded up, SPLITS): those of a sequence share an L2 where sequences are a multiple
// of the XCDs.
//
// The columns of values are multiplied in another order: what a matrix instruction needs from a
// row are then neighbours for four instructions, which one access reads from LDS.
[[grid(elements(lengths), cdiv(heads, BLOCK_M), SPLITS)]]
[[arguments(sequences = 64, heads = 16, scale = 0.1, q = bf16[sequences, heads, LATENT + ROTATED]:random:1,
             cache = bf16[sequences * tokens_of_row, LATENT + ROTATED]:random:2, out = bf16[sequences, heads, LATENT],
             parts = f32[SPLITS, sequences, heads, LATENT], sums = f32[SPLITS, sequences, heads],
             table = i32[sequences, tokens_of_row]:iota, lengths = i32[sequences]:fill:tokens_of_row)]]
[[tune(BLOCK_M = 32..128*2, BLOCK_N = 16, 32, num_warps = 2, 4, num_stages = 1, 2)]]
kernel void mla_decode(const bf16 *q, const bf16 *cache, bf16 *out, f32 *parts, f32 *sums, const i32 *table, const i32 *lengths,
                       i32 heads, i32 tokens_of_row, f32 scale, constexpr i32 SPLITS = 1, constexpr i32 LATENT = 512, constexpr i32 ROTATED = 64,
                       constexpr i32 BLOCK_M = 64, constexpr i32 BLOCK_N = 16)
{
    constexpr i32 WIDTH = LATENT + ROTATED;
    constexpr f32 LOG2_E = 1.4426950408889634f32;
    i32 sequence = program_id(0), begin = sequence * tokens_of_row, length = lengths[sequence];
    i32 mine = cdiv(cdiv(length, BLOCK_N), SPLITS) * BLOCK_N, from = program_id(2) * mine, to = minimum(length, from + mine);
    i32 head[BLOCK_M] = minimum(program_id(1) * BLOCK_M + range(BLOCK_M), heads - 1);
    i32 row[BLOCK_M] = sequence * heads + head, n[BLOCK_N] = range(BLOCK_N);
    i32 d[LATENT] = range(LATENT), r[ROTATED] = range(ROTATED);
    bf16 x[BLOCK_M][LATENT] = load(q + (i64)row[:, None] * WIDTH + d[None, :]);
    bf16 xr[BLOCK_M][ROTATED] = load(q + (i64)row[:, None] * WIDTH + LATENT + r[None, :]);

    f32 acc[BLOCK_M][LATENT] = 0, top[BLOCK_M] = -INFINITY, total[BLOCK_M] = 0;
    i64 token[BLOCK_N] = load(table + begin + from + n, from + n < to, 0);
    for (i32 at = from; at < to; at += BLOCK_N) {
        bool present[BLOCK_N] = at + n < to;
        bf16 c[BLOCK_N][LATENT] = load(cache + token[:, None] * WIDTH + d[None, :]);
        bf16 k[BLOCK_N][ROTATED] = load(cache + token[:, None] * WIDTH + LATENT + r[None, :]);
        token = load(table + begin + at + BLOCK_N + n, at + BLOCK_N + n < to, 0);
        f32 score[BLOCK_M][BLOCK_N] = where(present[None, :], dot(xr, trans(k), dot(x, trans(c))), -INFINITY);
        f32 higher[BLOCK_M] = maximum(top, max(score, 1) * (scale * LOG2_E));
        f32 p[BLOCK_M][BLOCK_N] = exp2(score * (scale * LOG2_E) - higher[:, None]), shrink[BLOCK_M] = exp2(top - higher);
        total = total * shrink + sum(p, 1);
        acc = dot((bf16)p, reshape(trans(reshape(c, BLOCK_N, LATENT / 64, 16, 4), 0, 1, 3, 2), BLOCK_N, LATENT), acc * shrink[:, None]);
        top = higher;
    }
    f32 share[BLOCK_M] = 1 / total;
    i32 column[LATENT] = d & ~63 | (d & 15) << 2 | (d & 63) >> 4;
    if constexpr (SPLITS == 1) {
        store(out + (i64)row[:, None] * LATENT + column[None, :], (bf16)(acc * share[:, None]));
    } else {
        i64 part[BLOCK_M] = (i64)program_id(2) * num_programs(0) * heads + row;
        store(parts + part[:, None] * LATENT + column[None, :], acc * share[:, None]);
        store(sums + part, top + log2(total));
    }
}

// out = the mean of the parts, weighted by their sums. Programs (sequences · heads).
[[grid(elements(out) / LATENT), tune(num_warps = 1, 2, 4)]]
[[arguments(parts = f32[SPLITS, rows, LATENT]:random:1, sums = f32[SPLITS, rows]:random:2, out = bf16[rows, LATENT])]]
kernel void mla_decode_sum(const f32 *parts, const f32 *sums, bf16 *out, i32 rows, constexpr i32 SPLITS = 8, constexpr i32 LATENT = 512)
{
    i32 row = program_id(0), d[LATENT] = range(LATENT), split[SPLITS] = range(SPLITS);
    f32 sum_of[SPLITS] = load(sums + split * rows + row), weight[SPLITS] = exp2(sum_of - max(sum_of, 0));
    f32 part[SPLITS][LATENT] = load(parts + ((i64)split * rows + row)[:, None] * LATENT + d[None, :]);
    f32 all[LATENT] = sum(where(weight[:, None] > 0, part * weight[:, None], 0), 0);
    store(out + (i64)row * LATENT + d, (bf16)(all / sum(weight, 0)));
}
