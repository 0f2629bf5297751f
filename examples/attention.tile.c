// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of one head and BLOCK_M queries per program, with keys in steps of BLOCK_N: out =
// softmax(q · kᵀ · scale) · v without ever storing the scores, for a positive scale. Queries are
// batch × heads × queries × D, keys and values batch × kv_heads × keys × D (heads / kv_heads
// query heads share one: grouped-query attention), dense, of any length. With CAUSAL a query
// sees the keys up to its own position, the last query the last key. `sums` receives the log2 of
// each query's sum of 2^score, which the backward pass needs. Programs (blocks of queries, batch
// · heads).

// Adds a block of keys to the sums of each query. `seen`: the keys that it sees, or true for all.
void attend(auto *acc, auto *top, auto *total, auto x, auto k, auto v, f32 scale, auto seen)
{
    auto score = where(seen, dot(x, k), -INFINITY);
    auto higher = maximum(*top, max(score, 1) * scale);
    auto safe = where(higher == -INFINITY, 0, higher); // no keys seen so far
    auto p = exp2(score * scale - safe[:, None]), shrink = exp2(*top - safe);
    *total = *total * shrink + sum(p, 1);
    *acc = dot((f16)p, v, *acc * shrink[:, None]);
    *top = higher;
}

[[grid(cdiv(queries, BLOCK_M), elements(q) / (queries * D))]]
[[arguments(batch = 1, kv_heads = heads, scale = 0.125, q = f16[batch * heads, queries, D]:random:1, k = f16[batch * kv_heads, keys, D]:random:2,
             v = f16[batch * kv_heads, keys, D]:random:3, out = f16[batch * heads, queries, D], sums = f32[batch * heads, queries])]]
[[tune(BLOCK_M = 32..128*2, BLOCK_N = 32..128*2, num_warps = 2, 4, 8, num_stages = 1, 2)]]
kernel void attention(const f16 *q, const f16 *k, const f16 *v, f16 *out, f32 *sums, i32 heads, i32 kv_heads,
                      i32 queries, i32 keys, f32 scale, constexpr bool CAUSAL = false, constexpr i32 D = 64,
                      constexpr i32 BLOCK_M = 64, constexpr i32 BLOCK_N = 64)
{
    i32 batch = program_id(1) / heads, head = program_id(1) % heads;
    i32 kv_head = batch * kv_heads + head / (heads / kv_heads);
    i32 m[BLOCK_M] = program_id(0) * BLOCK_M + range(BLOCK_M), n[BLOCK_N] = range(BLOCK_N), d[D] = range(D);
    i64 rows = (i64)program_id(1) * queries;
    f16 x[BLOCK_M][D] = load(q + rows * D + m[:, None] * D + d [None, :], m[:, None] < queries, 0);
    const f16 *pk[D][BLOCK_N] = k + (i64)kv_head * keys * D + n [None, :] * D + d[:, None];
    const f16 *pv[BLOCK_N][D] = v + (i64)kv_head * keys * D + n[:, None] * D + d [None, :];

    constexpr f32 LOG2_E = 1.4426950408889634f32;
    i32 ahead = keys - queries; // query m sees keys up to m + ahead
    i32 last = CAUSAL ? minimum(keys, (program_id(0) + 1) * BLOCK_M + ahead) : keys;
    i32 whole = CAUSAL ? minimum(keys, program_id(0) * BLOCK_M + ahead + 1) : keys; // all queries see the keys before
    whole = maximum(whole, 0) / BLOCK_N * BLOCK_N;
    f32 acc[BLOCK_M][D] = 0, top[BLOCK_M] = -INFINITY, total[BLOCK_M] = 0;
    for (i32 first = 0; first < whole; first += BLOCK_N) {
        attend(&acc, &top, &total, x, load(pk), load(pv), scale * LOG2_E, true);
        pk += BLOCK_N * D;
        pv += BLOCK_N * D;
    }
    if (CAUSAL || whole < last) { // else the masks take no registers in the first loop
        for (i32 first = whole; first < last; first += BLOCK_N) {
            bool seen[BLOCK_M][BLOCK_N] = (first + n)[None, :] < keys;
            if constexpr (CAUSAL)
                seen = seen && (first + n)[None, :] <= m[:, None] + ahead;
            attend(&acc, &top, &total, x, load(pk, n[None, :] < keys - first, 0),
                   load(pv, n[:, None] < keys - first, 0), scale * LOG2_E, seen);
            pk += BLOCK_N * D;
            pv += BLOCK_N * D;
        }
    }
    f32 share[BLOCK_M] = 1 / total;
    store(out + rows * D + m[:, None] * D + d [None, :], (f16)(acc * share[:, None]), m[:, None] < queries);
    store(sums + rows + m, top + log2(total), m < queries);
}
