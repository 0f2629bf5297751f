// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of one new token per sequence with paged keys and values, as in vLLM: for each
// sequence, `table` lists the page of its tokens 0 … PAGE − 1, and so on. The cache is pages × PAGE
// × kv_heads × D of 8-bit floats, with one scale for all keys and one for all values; q and out are
// sequences × heads × D. The query heads that share a key head are the rows of a tile (at most
// ROWS). Programs (sequences, kv_heads).

[[grid(elements(lengths), kv_heads), tune(num_warps = 1, 2, 4, num_stages = 1, 2)]]
[[arguments(sequences = 64, heads = 32, kv_heads = 8, scale = 0.1, k_scale = 0.5, v_scale = 0.5, q = f16[sequences, heads, D]:random:1,
             k_cache = f8e4m3fnuz[sequences * pages_of_row, PAGE, kv_heads, D]:random:2,
             v_cache = f8e4m3fnuz[sequences * pages_of_row, PAGE, kv_heads, D]:random:3, out = f16[sequences, heads, D],
             table = i32[sequences, pages_of_row]:iota, lengths = i32[sequences]:fill:pages_of_row * PAGE)]]
kernel void paged_attention(const f16 *q, const f8e4m3fnuz *k_cache, const f8e4m3fnuz *v_cache, f16 *out, const i32 *table, const i32 *lengths,
                            i32 heads, i32 kv_heads, i32 pages_of_row, f32 scale, f32 k_scale, f32 v_scale, constexpr i32 D = 128, constexpr i32 PAGE = 32,
                            constexpr i32 ROWS = 16)
{
    i32 sequence = program_id(0), kv_head = program_id(1), shared = heads / kv_heads;
    i32 row[ROWS] = range(ROWS), d[D] = range(D), slot[PAGE] = range(PAGE);
    i32 head[ROWS] = kv_head * shared + row;
    i32 at[ROWS][D] = (sequence * heads + head)[:, None] * D + d[None, :];
    f16 x[ROWS][D] = load(q + at, row[:, None] < shared, 0);
    i32 length = lengths[sequence];
    f32 to_log2 = scale * k_scale * 1.4426950408889634f32;

    f32 acc[ROWS][D] = 0, top[ROWS] = -INFINITY, total[ROWS] = 0;
    for (i32 first = 0; first < length; first += PAGE) {
        i64 page = table[sequence * pages_of_row + first / PAGE];
        i64 token = page * PAGE * kv_heads + kv_head;
        bool present[PAGE] = first + slot < length;
        f8e4m3fnuz k8[D][PAGE] = load(k_cache + (token + slot[None, :] * kv_heads) * D + d[:, None], present[None, :], 0);
        f8e4m3fnuz v8[PAGE][D] = load(v_cache + (token + slot[:, None] * kv_heads) * D + d[None, :], present[:, None], 0);
        f32 score[ROWS][PAGE] = where(present[None, :], dot(x, (f16)k8) * to_log2, -INFINITY);
        f32 higher[ROWS] = maximum(top, max(score, 1));
        f32 p[ROWS][PAGE] = exp2(score - higher[:, None]), shrink[ROWS] = exp2(top - higher);
        total = total * shrink + sum(p, 1);
        acc = dot((f16)p, (f16)v8, acc * shrink[:, None]);
        top = higher;
    }
    store(out + at, (f16)(acc * v_scale / total[:, None]), row[:, None] < shared);
}

// The same where there are fewer sequences than compute units: the tokens of each are divided among
// SPLITS programs, whose results and log2 of sums, SPLITS × sequences × heads, are combined by
// paged_attention_sum. A program without tokens leaves a sum of −∞. Programs (sequences, kv_heads,
// SPLITS).
[[grid(elements(lengths), kv_heads, SPLITS), tune(num_warps = 1, 2, 4, num_stages = 1, 2)]]
[[arguments(sequences = 16, heads = 32, kv_heads = 8, scale = 0.1, k_scale = 0.5, v_scale = 0.5, q = f16[sequences, heads, D]:random:1,
             k_cache = f8e4m3fnuz[sequences * pages_of_row, PAGE, kv_heads, D]:random:2,
             v_cache = f8e4m3fnuz[sequences * pages_of_row, PAGE, kv_heads, D]:random:3,
             parts = f32[SPLITS, sequences * heads, D], sums = f32[SPLITS, sequences * heads],
             table = i32[sequences, pages_of_row]:iota, lengths = i32[sequences]:fill:pages_of_row * PAGE)]]
kernel void paged_attention_parts(const f16 *q, const f8e4m3fnuz *k_cache, const f8e4m3fnuz *v_cache, f32 *parts, f32 *sums, const i32 *table,
                                  const i32 *lengths, i32 heads, i32 kv_heads, i32 pages_of_row, f32 scale, f32 k_scale, f32 v_scale,
                                  constexpr i32 SPLITS = 8, constexpr i32 D = 128, constexpr i32 PAGE = 32, constexpr i32 ROWS = 16)
{
    i32 sequence = program_id(0), kv_head = program_id(1), shared = heads / kv_heads;
    i32 row[ROWS] = range(ROWS), d[D] = range(D), slot[PAGE] = range(PAGE);
    i32 head[ROWS] = kv_head * shared + row, at[ROWS] = sequence * heads + head;
    f16 x[ROWS][D] = load(q + at[:, None] * D + d[None, :], row[:, None] < shared, 0);
    i32 length = lengths[sequence], mine = cdiv(cdiv(length, PAGE), SPLITS) * PAGE;
    i32 from = program_id(2) * mine, to = minimum(length, from + mine);
    f32 to_log2 = scale * k_scale * 1.4426950408889634f32;

    f32 acc[ROWS][D] = 0, top[ROWS] = -INFINITY, total[ROWS] = 0;
    for (i32 first = from; first < to; first += PAGE) {
        i64 page = table[sequence * pages_of_row + first / PAGE];
        i64 token = page * PAGE * kv_heads + kv_head;
        bool present[PAGE] = first + slot < to;
        f8e4m3fnuz k8[D][PAGE] = load(k_cache + (token + slot[None, :] * kv_heads) * D + d[:, None], present[None, :], 0);
        f8e4m3fnuz v8[PAGE][D] = load(v_cache + (token + slot[:, None] * kv_heads) * D + d[None, :], present[:, None], 0);
        f32 score[ROWS][PAGE] = where(present[None, :], dot(x, (f16)k8) * to_log2, -INFINITY);
        f32 higher[ROWS] = maximum(top, max(score, 1));
        f32 p[ROWS][PAGE] = exp2(score - higher[:, None]), shrink[ROWS] = exp2(top - higher);
        total = total * shrink + sum(p, 1);
        acc = dot((f16)p, (f16)v8, acc * shrink[:, None]);
        top = higher;
    }
    i64 part = (i64)(program_id(2) * num_programs(0) + sequence) * heads;
    store(parts + (part + head)[:, None] * D + d[None, :], acc * v_scale / total[:, None], row[:, None] < shared);
    store(sums + part + head, top + log2(total), row < shared);
}

// out = the mean of the parts, weighted by their sums. Programs (sequences · heads).
[[grid(elements(out) / D), tune(num_warps = 1, 2, 4)]]
[[arguments(parts = f32[SPLITS, rows, D]:random:1, sums = f32[SPLITS, rows]:random:2, out = f16[rows, D])]]
kernel void paged_attention_sum(const f32 *parts, const f32 *sums, f16 *out, i32 rows, constexpr i32 SPLITS = 8, constexpr i32 D = 128)
{
    i32 row = program_id(0), d[D] = range(D), split[SPLITS] = range(SPLITS);
    f32 sum_of[SPLITS] = load(sums + split * rows + row), weight[SPLITS] = exp2(sum_of - max(sum_of, 0));
    f32 part[SPLITS][D] = load(parts + ((i64)split * rows + row)[:, None] * D + d[None, :]);
    f32 all[D] = sum(where(weight[:, None] > 0, part * weight[:, None], 0), 0);
    store(out + row * D + d, (f16)(all / sum(weight, 0)));
}
