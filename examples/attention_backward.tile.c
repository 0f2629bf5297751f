// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients of attention.tile.c, with as many key heads as query heads. With p = softmax(q · kᵀ
// · scale), recomputed from the forward pass's `sums`, dp = dout · vᵀ and delta = Σ_d dout · out of
// each query:
//
//   dv = pᵀ · dout,   ds = p · (dp − delta),   dq = ds · k · scale,   dk = dsᵀ · q · scale
//
// `delta` is computed first (attention_delta). Then one program per block of keys iterates over the
// queries (attention_keys), and one per block of queries over the keys (attention_queries), so that
// programs never add to the same elements. All are batch · heads × length × D, dense. Programs
// (blocks, batch · heads).

constexpr f32 LOG2_E = 1.4426950408889634f32;

[[grid(cdiv(queries, BLOCK_M), elements(delta) / queries)]]
[[arguments(heads = 16, out = f16[heads, queries, D]:random:1, dout = f16[heads, queries, D]:random:2, delta = f32[heads, queries])]]
[[tune(BLOCK_M = 32..256*2, num_warps = 2, 4, 8)]]
kernel void attention_delta(const f16 *out, const f16 *dout, f32 *delta, i32 queries, constexpr i32 D = 64,
                            constexpr i32 BLOCK_M = 64)
{
    i32 m[BLOCK_M] = program_id(0) * BLOCK_M + range(BLOCK_M);
    i64 at[BLOCK_M][D] = ((i64)program_id(1) * queries + m) [:, None] * D + range(D)[None, :];
    f32 o[BLOCK_M][D] = load(out + at, m[:, None] < queries, 0),
        d[BLOCK_M][D] = load(dout + at, m[:, None] < queries, 0);
    store(delta + (i64)program_id(1) * queries + m, sum(o * d, 1), m < queries);
}

[[grid(cdiv(keys, BLOCK_N), elements(dk) / (keys * D))]]
[[arguments(heads = 16, scale = 0.125, q = f16[heads, queries, D]:random:1, k = f16[heads, keys, D]:random:2, v = f16[heads, keys, D]:random:3,
             dout = f16[heads, queries, D]:random:4, sums = f32[heads, queries]:fill:9, delta = f32[heads, queries],
             dk = f16[heads, keys, D], dv = f16[heads, keys, D])]]
[[tune(BLOCK_M = 32, 64, BLOCK_N = 32..128*2, num_warps = 4, 8, num_stages = 1, 2)]]
kernel void attention_keys(const f16 *q, const f16 *k, const f16 *v, const f16 *dout, const f32 *sums, const f32 *delta,
                           f16 *dk, f16 *dv, i32 queries, i32 keys, f32 scale, constexpr bool CAUSAL = false,
                           constexpr i32 D = 64, constexpr i32 BLOCK_M = 32, constexpr i32 BLOCK_N = 64)
{
    i32 n[BLOCK_N] = program_id(0) * BLOCK_N + range(BLOCK_N), d[D] = range(D), ahead = keys - queries;
    i64 key_rows = (i64)program_id(1) * keys, query_rows = (i64)program_id(1) * queries;
    f16 kt[D][BLOCK_N] = load(k + (key_rows + n)[None, :] * D + d[:, None], n [None, :] < keys, 0);
    f16 vt[D][BLOCK_N] = load(v + (key_rows + n)[None, :] * D + d[:, None], n [None, :] < keys, 0);
    f32 dk_sum[BLOCK_N][D] = 0, dv_sum[BLOCK_N][D] = 0;
    i32 first = CAUSAL ? maximum(program_id(0) * BLOCK_N - ahead, 0) / BLOCK_M * BLOCK_M
                       : 0; // earlier queries see none of these keys
    for (i32 start = first; start < queries; start += BLOCK_M) {
        i32 m[BLOCK_M] = start + range(BLOCK_M);
        i64 at[BLOCK_M][D] = (query_rows + m) [:, None] * D + d [None, :];
        f16 x[BLOCK_M][D] = load(q + at, m[:, None] < queries, 0),
            dy[BLOCK_M][D] = load(dout + at, m[:, None] < queries, 0);
        bool seen[BLOCK_M][BLOCK_N] = m[:, None] < queries && n [None, :] < keys;
        if constexpr (CAUSAL)
            seen = seen && n [None, :] <= m[:, None] + ahead;
        f32 score[BLOCK_M][BLOCK_N] = dot(x, kt) * (scale * LOG2_E);
        f32 p[BLOCK_M][BLOCK_N] = where(seen, exp2(score - load(sums + query_rows + m, m < queries, 0) [:, None]), 0);
        dv_sum = dot((f16)trans(p), dy, dv_sum);
        f32 ds[BLOCK_M][BLOCK_N] = p * (dot(dy, vt) - load(delta + query_rows + m, m < queries, 0) [:, None]);
        dk_sum = dot((f16)trans(ds), x, dk_sum);
    }
    i64 to[BLOCK_N][D] = (key_rows + n) [:, None] * D + d [None, :];
    store(dk + to, (f16)(dk_sum * scale), n[:, None] < keys);
    store(dv + to, (f16)dv_sum, n[:, None] < keys);
}

[[grid(cdiv(queries, BLOCK_M), elements(dq) / (queries * D))]]
[[arguments(heads = 16, scale = 0.125, q = f16[heads, queries, D]:random:1, k = f16[heads, keys, D]:random:2, v = f16[heads, keys, D]:random:3,
             dout = f16[heads, queries, D]:random:4, sums = f32[heads, queries]:fill:9, delta = f32[heads, queries],
             dq = f16[heads, queries, D])]]
[[tune(BLOCK_M = 32..128*2, BLOCK_N = 32, 64, num_warps = 4, 8, num_stages = 1, 2)]]
kernel void attention_queries(const f16 *q, const f16 *k, const f16 *v, const f16 *dout, const f32 *sums,
                              const f32 *delta, f16 *dq, i32 queries, i32 keys, f32 scale,
                              constexpr bool CAUSAL = false, constexpr i32 D = 64, constexpr i32 BLOCK_M = 64,
                              constexpr i32 BLOCK_N = 32)
{
    i32 m[BLOCK_M] = program_id(0) * BLOCK_M + range(BLOCK_M), d[D] = range(D), ahead = keys - queries;
    i64 key_rows = (i64)program_id(1) * keys, query_rows = (i64)program_id(1) * queries;
    i64 at[BLOCK_M][D] = (query_rows + m) [:, None] * D + d [None, :];
    f16 x[BLOCK_M][D] = load(q + at, m[:, None] < queries, 0),
        dy[BLOCK_M][D] = load(dout + at, m[:, None] < queries, 0);
    f32 log_sum[BLOCK_M] = load(sums + query_rows + m, m < queries, 0),
        delta_m[BLOCK_M] = load(delta + query_rows + m, m < queries, 0);
    f32 dq_sum[BLOCK_M][D] = 0;
    i32 last = CAUSAL ? minimum(keys, (program_id(0) + 1) * BLOCK_M + ahead) : keys;
    for (i32 start = 0; start < last; start += BLOCK_N) {
        i32 n[BLOCK_N] = start + range(BLOCK_N);
        i64 rows[BLOCK_N] = key_rows + n;
        f16 y[BLOCK_N][D] = load(k + rows[:, None] * D + d [None, :], n[:, None] < keys, 0);
        f16 vt[D][BLOCK_N] = load(v + rows [None, :] * D + d[:, None], n [None, :] < keys, 0);
        bool seen[BLOCK_M][BLOCK_N] = n [None, :] < keys && m[:, None] < queries;
        if constexpr (CAUSAL)
            seen = seen && n [None, :] <= m[:, None] + ahead;
        f32 score[BLOCK_M][BLOCK_N] = dot(x, trans(y)) * (scale * LOG2_E);
        f32 p[BLOCK_M][BLOCK_N] = where(seen, exp2(score - log_sum[:, None]), 0);
        dq_sum = dot((f16)(p * (dot(dy, vt) - delta_m[:, None])), y, dq_sum);
    }
    store(dq + at, (f16)(dq_sum * scale), m[:, None] < queries);
}

// Both in one kernel: the scores are computed once, and the programs of a head add to the same dq.
// dq_sums must be zero before; attention_scale makes dq of them. The scores are transposed, because
// then they have the rows that the products for dv and dk need.
[[grid(cdiv(keys, BLOCK_N), elements(dk) / (keys * D))]]
[[arguments(heads = 16, scale = 0.125, q = f16[heads, queries, D]:random:1, k = f16[heads, keys, D]:random:2, v = f16[heads, keys, D]:random:3,
             dout = f16[heads, queries, D]:random:4, sums = f32[heads, queries]:fill:9, delta = f32[heads, queries],
             dq_sums = f32[heads, queries, D], dk = f16[heads, keys, D], dv = f16[heads, keys, D])]]
[[tune(BLOCK_M = 16..64*2, BLOCK_N = 64, 128, num_warps = 4, 8, num_stages = 1, 2)]]
kernel void attention_gradients(const f16 *q, const f16 *k, const f16 *v, const f16 *dout, const f32 *sums,
                                const f32 *delta, f32 *dq_sums, f16 *dk, f16 *dv, i32 queries, i32 keys, f32 scale,
                                constexpr bool CAUSAL = false, constexpr i32 D = 64, constexpr i32 BLOCK_M = 32,
                                constexpr i32 BLOCK_N = 128, constexpr i32 XCDS = 1)
{
    i32 block = program_id(0), head = program_id(1);
    if constexpr (XCDS > 1) {
        i32 blocks = num_programs(0);
        i32 program = xcd_order(head * blocks + block, blocks * num_programs(1), XCDS);
        block = program % blocks;
        head = program / blocks;
    }
    i32 n[BLOCK_N] = block * BLOCK_N + range(BLOCK_N), d[D] = range(D), ahead = keys - queries;
    i64 key_rows = (i64)head * keys, query_rows = (i64)head * queries;
    i64 to[BLOCK_N][D] = (key_rows + n) [:, None] * D + d [None, :];
    f16 y[BLOCK_N][D] = load(k + to, n[:, None] < keys, 0), z[BLOCK_N][D] = load(v + to, n[:, None] < keys, 0);
    f32 dk_sum[BLOCK_N][D] = 0, dv_sum[BLOCK_N][D] = 0;
    i32 first = CAUSAL ? maximum(block * BLOCK_N - ahead, 0) / BLOCK_M * BLOCK_M
                       : 0; // earlier queries see none of these keys
    for (i32 start = first; start < queries; start += BLOCK_M) {
        i32 m[BLOCK_M] = start + range(BLOCK_M);
        i64 at[BLOCK_M][D] = (query_rows + m) [:, None] * D + d [None, :];
        f16 x[BLOCK_M][D] = load(q + at, m[:, None] < queries, 0),
            dy[BLOCK_M][D] = load(dout + at, m[:, None] < queries, 0);
        f32 log_sum[BLOCK_M] = load(sums + query_rows + m, m < queries, 0),
            delta_m[BLOCK_M] = load(delta + query_rows + m, m < queries, 0);
        bool seen[BLOCK_N][BLOCK_M] = n[:, None] < keys && m [None, :] < queries;
        if constexpr (CAUSAL)
            seen = seen && n[:, None] <= m [None, :] + ahead;
        f32 score[BLOCK_N][BLOCK_M] = dot(y, trans(x)) * (scale * LOG2_E);
        f32 p[BLOCK_N][BLOCK_M] = where(seen, exp2(score - log_sum [None, :]), 0);
        dv_sum = dot((f16)p, dy, dv_sum);
        f16 ds[BLOCK_N][BLOCK_M] = (f16)(p * (dot(z, trans(dy)) - delta_m [None, :]));
        dk_sum = dot(ds, x, dk_sum);
        atomic_add(dq_sums + at, dot(trans(ds), y), m[:, None] < queries, .order = relaxed);
    }
    store(dk + to, (f16)(dk_sum * scale), n[:, None] < keys);
    store(dv + to, (f16)dv_sum, n[:, None] < keys);
}

[[grid(cdiv(count, BLOCK))]]
[[arguments(scale = 0.125, dq_sums = f32[count]:random:1, dq = f16[count])]]
[[tune(BLOCK = 512..4096*2, num_warps = 2, 4, 8)]]
kernel void attention_scale(const f32 *dq_sums, f16 *dq, i64 count, f32 scale, constexpr i32 BLOCK = 1024)
{
    i64 at[BLOCK] = (i64)program_id(0) * BLOCK + range(BLOCK);
    store(dq + at, (f16)(load(dq_sums + at, at < count, 0) * scale), at < count);
}
