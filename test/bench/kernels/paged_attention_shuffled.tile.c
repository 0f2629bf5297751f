// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/paged_attention.tile.c with the cache in the order of AITER's kernels, pages of 16
// tokens: keys pages × kv_heads × D/X × 16 × X, values pages × kv_heads × 16/X × D × X, where X
// elements are 16 bytes; 8-bit elements have a scale per token of keys and of values, pages ×
// kv_heads × 16. q and out are bf16.
//
// Each of STREAMS waves has tokens of its own, with maximum and sum of its own, so that the loop
// needs no other wave; they are added after it. With SPLITS > 1 the tokens of a sequence are also
// divided among programs, whose parts paged_attention_sum adds. Programs (kv_heads, sequences,
// SPLITS).
//
// A step has 4 · X tokens of each stream. In the products the order of tokens and of d does not
// matter if both operands agree: it is chosen so that each lane has 16 bytes of the cache that
// follow one another.
#ifndef CACHE
#define CACHE f8e4m3fnuz
#endif
constexpr i32 PAGE = 16, ROWS = 16;
constexpr f32 LOG2_E = 1.4426950408889634f32;

kernel void paged_attention(const bf16 *q, const CACHE *k_cache, const CACHE *v_cache, const f32 *k_scale, const f32 *v_scale,
                            bf16 *out, f32 *parts, f32 *sums, const i32 *table, const i32 *lengths, i32 sequences, i32 heads,
                            i32 kv_heads, i32 pages_of_row, f32 scale, constexpr i32 D = 128, constexpr i32 X = 16,
                            constexpr i32 STREAMS = 4, constexpr i32 SPLITS = 1)
{
    constexpr i32 BLOCK = 4 * X, PAGES = BLOCK / PAGE, J = X / 4, C = D / BLOCK, H = PAGE / X;
    i32 sequence = program_id(1), kv_head = program_id(0), shared = heads / kv_heads, length = lengths[sequence];
    i32 row[ROWS] = range(ROWS), d[D] = range(D), n[BLOCK] = range(BLOCK);
    i32 d_at[D] = d / BLOCK * BLOCK + d % 16 / 4 * X + d % BLOCK / 16 * 4 + d % 4, token[BLOCK] = n % 16 / 4 * X + n / 16 * 4 + n % 4;
    i32 of_head = sequence * heads + kv_head * shared;
    bf16 x[ROWS][D] = load(q + (of_head + row) [:, None] * D + d_at [None, :], row[:, None] < shared, 0);
    bf16 xs[STREAMS][ROWS][D] = broadcast(x [None, :, :], STREAMS, ROWS, D);
    i32 flat[PAGE * D] = range(PAGE * D), slot[PAGE] = range(PAGE), step_page[STREAMS * PAGES] = range(STREAMS * PAGES);
    i32 stream[STREAMS] = range(STREAMS);
    i32 blocks = cdiv(cdiv(length, STREAMS * BLOCK), SPLITS), from = program_id(2) * blocks * (STREAMS * BLOCK);
    i32 to = minimum(length, from + blocks * (STREAMS * BLOCK));
    const i32 *pages = table + sequence * pages_of_row;

    f32 acc[STREAMS][ROWS][D] = 0, top[STREAMS][ROWS] = -INFINITY, total[STREAMS][ROWS] = 0;
    i32 page[STREAMS * PAGES] = load(pages + minimum(from / PAGE + step_page, pages_of_row - 1));
    for (i32 first = from; first < to; first += STREAMS * BLOCK) {
        i64 base[STREAMS * PAGES] = ((i64)page * kv_heads + kv_head) * PAGE;
        page = load(pages + minimum((first + STREAMS * BLOCK) / PAGE + step_page, pages_of_row - 1));
        bool present[STREAMS][BLOCK] = first + stream[:, None] * BLOCK + token [None, :] < to;
        CACHE kt[STREAMS * PAGES][PAGE * D] = load(k_cache + base[:, None] * D + flat [None, :]);
        CACHE vt[STREAMS * PAGES][PAGE * D] = load(v_cache + base[:, None] * D + flat [None, :]);
        CACHE rows[STREAMS * PAGES][PAGE][C][J][4][4] = trans(reshape(kt, STREAMS * PAGES, C, 4, PAGE, J, 4), 0, 3, 1, 4, 2, 5);
        bf16 k[STREAMS][BLOCK][D] = (bf16)reshape(trans(reshape(rows, STREAMS, PAGES, H, J, 4, D), 0, 3, 1, 2, 4, 5), STREAMS, BLOCK, D);
        bf16 v[STREAMS][BLOCK][D] = (bf16)reshape(trans(reshape(vt, STREAMS, 4, D, J, 4), 0, 3, 1, 4, 2), STREAMS, BLOCK, D);
        f32 score[STREAMS][ROWS][BLOCK] = dot(xs, trans(k, 0, 2, 1)) * (scale * LOG2_E);
        if constexpr (X == 16) {
            f32 scales[STREAMS][BLOCK] = reshape(trans(reshape(load(k_scale + base[:, None] + slot [None, :]), STREAMS, PAGES, J, 4), 0, 2, 1, 3), STREAMS, BLOCK);
            score *= scales[:, None, :];
        }
        score = where(present[:, None, :], score, -INFINITY);
        f32 higher[STREAMS][ROWS] = maximum(top, max(score, 2));
        f32 safe[STREAMS][ROWS] = where(higher == -INFINITY, 0, higher);
        f32 p[STREAMS][ROWS][BLOCK] = exp2(score - safe[:, :, None]), shrink[STREAMS][ROWS] = exp2(top - safe);
        total = total * shrink + sum(p, 2);
        if constexpr (X == 16) {
            f32 scales[STREAMS][BLOCK] = reshape(trans(reshape(load(v_scale + base[:, None] + slot [None, :]), STREAMS, PAGES, J, 4), 0, 2, 1, 3), STREAMS, BLOCK);
            p *= scales[:, None, :];
        }
        acc = dot((bf16)p, v, acc * shrink[:, :, None]);
        top = higher;
    }
    f32 highest[ROWS] = max(top, 0), least[ROWS] = where(highest == -INFINITY, 0, highest);
    f32 weight[STREAMS][ROWS] = exp2(top - least [None, :]), whole[ROWS] = sum(total * weight, 0);
    f32 result[ROWS][D] = sum(acc * weight[:, :, None], 0) / whole[:, None];
    i32 at[ROWS][D] = (of_head + row) [:, None] * D + d [None, :];
    if constexpr (SPLITS == 1) {
        store(out + at, (bf16)result, row[:, None] < shared);
    } else {
        i64 part = (i64)program_id(2) * sequences * heads;
        store(parts + part * D + at, result, row[:, None] < shared);
        store(sums + part + of_head + row, highest + log2(whole), row < shared);
    }
}

// Programs (sequences · heads).
kernel void paged_attention_sum(const f32 *parts, const f32 *sums, bf16 *out, i32 rows, constexpr i32 D = 128,
                                constexpr i32 SPLITS = 2)
{
    i32 row = program_id(0), d[D] = range(D), split[SPLITS] = range(SPLITS);
    f32 sum_of[SPLITS] = load(sums + split * rows + row);
    f32 weight[SPLITS] = exp2(sum_of - max(sum_of, 0));
    f32 part[SPLITS][D] = load(parts + ((i64)split * rows + row) [:, None] * D + d [None, :]);
    f32 all[D] = sum(where(weight[:, None] > 0, part * weight[:, None], 0), 0);
    store(out + row * D + d, (bf16)(all / sum(weight, 0)));
}
