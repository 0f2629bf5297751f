# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Attention and its gradients, and rotary positions: the examples as a user of Triton would write them (kernels.py).
import triton
import triton.language as tl


@triton.jit
def attention(q, k, v, out, sums, heads, kv_heads, queries, keys, scale, CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr,
              BLOCK_N: tl.constexpr):
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    kv_head = batch * kv_heads + head // (heads // kv_heads)
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    rows = tl.program_id(1).to(tl.int64) * queries
    x = tl.load(q + rows * D + m[:, None] * D + d[None, :], m[:, None] < queries, 0)
    pk = k + kv_head.to(tl.int64) * keys * D + n[None, :] * D + d[:, None]
    pv = v + kv_head.to(tl.int64) * keys * D + n[:, None] * D + d[None, :]
    LOG2_E: tl.constexpr = 1.4426950408889634
    ahead = keys - queries
    last = keys
    if CAUSAL:
        last = min(keys, (tl.program_id(0) + 1) * BLOCK_M + ahead)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    top = tl.full([BLOCK_M], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    for first in range(0, last, BLOCK_N):
        seen = (first + n)[None, :] < keys
        if CAUSAL:
            seen = seen & ((first + n)[None, :] <= m[:, None] + ahead)
        score = tl.dot(x, tl.load(pk, n[None, :] < keys - first, 0)) * (scale * LOG2_E)
        score = tl.where(seen, score, -float("inf"))
        higher = tl.maximum(top, tl.max(score, 1))
        safe = tl.where(higher == -float("inf"), 0, higher)
        p = tl.exp2(score - safe[:, None])
        shrink = tl.exp2(top - safe)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(pv, n[:, None] < keys - first, 0), acc * shrink[:, None])
        top = higher
        pk += BLOCK_N * D
        pv += BLOCK_N * D
    tl.store(out + rows * D + m[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16), m[:, None] < queries)
    tl.store(sums + rows + m, top + tl.log2(total), m < queries)


@triton.jit
def attention_keys(q, k, v, dout, sums, delta, dk, dv, queries, keys, scale, CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr):
    LOG2_E: tl.constexpr = 1.4426950408889634
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    d = tl.arange(0, D)
    ahead = keys - queries
    key_rows = tl.program_id(1).to(tl.int64) * keys
    query_rows = tl.program_id(1).to(tl.int64) * queries
    kt = tl.load(k + (key_rows + n)[None, :] * D + d[:, None], n[None, :] < keys, 0)
    vt = tl.load(v + (key_rows + n)[None, :] * D + d[:, None], n[None, :] < keys, 0)
    dk_sum = tl.zeros([BLOCK_N, D], tl.float32)
    dv_sum = tl.zeros([BLOCK_N, D], tl.float32)
    first = 0
    if CAUSAL:
        first = max(tl.program_id(0) * BLOCK_N - ahead, 0) // BLOCK_M * BLOCK_M
    for start in range(first, queries, BLOCK_M):
        m = start + tl.arange(0, BLOCK_M)
        at = (query_rows + m)[:, None] * D + d[None, :]
        x = tl.load(q + at, m[:, None] < queries, 0)
        dy = tl.load(dout + at, m[:, None] < queries, 0)
        seen = (m[:, None] < queries) & (n[None, :] < keys)
        if CAUSAL:
            seen = seen & (n[None, :] <= m[:, None] + ahead)
        score = tl.dot(x, kt) * (scale * LOG2_E)
        p = tl.where(seen, tl.exp2(score - tl.load(sums + query_rows + m, m < queries, 0)[:, None]), 0)
        dv_sum = tl.dot(tl.trans(p).to(tl.float16), dy, dv_sum)
        ds = p * (tl.dot(dy, vt) - tl.load(delta + query_rows + m, m < queries, 0)[:, None])
        dk_sum = tl.dot(tl.trans(ds).to(tl.float16), x, dk_sum)
    to = (key_rows + n)[:, None] * D + d[None, :]
    tl.store(dk + to, (dk_sum * scale).to(tl.float16), n[:, None] < keys)
    tl.store(dv + to, dv_sum.to(tl.float16), n[:, None] < keys)


@triton.jit
def attention_queries(q, k, v, dout, sums, delta, dq, queries, keys, scale, CAUSAL: tl.constexpr, D: tl.constexpr, BLOCK_M: tl.constexpr,
                      BLOCK_N: tl.constexpr):
    LOG2_E: tl.constexpr = 1.4426950408889634
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    ahead = keys - queries
    key_rows = tl.program_id(1).to(tl.int64) * keys
    query_rows = tl.program_id(1).to(tl.int64) * queries
    at = (query_rows + m)[:, None] * D + d[None, :]
    x = tl.load(q + at, m[:, None] < queries, 0)
    dy = tl.load(dout + at, m[:, None] < queries, 0)
    log_sum = tl.load(sums + query_rows + m, m < queries, 0)
    delta_m = tl.load(delta + query_rows + m, m < queries, 0)
    dq_sum = tl.zeros([BLOCK_M, D], tl.float32)
    last = keys
    if CAUSAL:
        last = min(keys, (tl.program_id(0) + 1) * BLOCK_M + ahead)
    for start in range(0, last, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        rows = key_rows + n
        y = tl.load(k + rows[:, None] * D + d[None, :], n[:, None] < keys, 0)
        vt = tl.load(v + rows[None, :] * D + d[:, None], n[None, :] < keys, 0)
        seen = (n[None, :] < keys) & (m[:, None] < queries)
        if CAUSAL:
            seen = seen & (n[None, :] <= m[:, None] + ahead)
        score = tl.dot(x, tl.trans(y)) * (scale * LOG2_E)
        p = tl.where(seen, tl.exp2(score - log_sum[:, None]), 0)
        dq_sum = tl.dot((p * (tl.dot(dy, vt) - delta_m[:, None])).to(tl.float16), y, dq_sum)
    tl.store(dq + at, (dq_sum * scale).to(tl.float16), m[:, None] < queries)


@triton.jit
def paged_attention(q, k_cache, v_cache, out, table, lengths, heads, kv_heads, pages_of_row, scale, k_scale, v_scale, D: tl.constexpr,
                    PAGE: tl.constexpr, ROWS: tl.constexpr):
    sequence = tl.program_id(0)
    kv_head = tl.program_id(1)
    shared = heads // kv_heads
    row = tl.arange(0, ROWS)
    d = tl.arange(0, D)
    slot = tl.arange(0, PAGE)
    head = kv_head * shared + row
    at = (sequence * heads + head)[:, None] * D + d[None, :]
    x = tl.load(q + at, row[:, None] < shared, 0)
    length = tl.load(lengths + sequence)
    to_log2 = scale * k_scale * 1.4426950408889634
    acc = tl.zeros([ROWS, D], tl.float32)
    top = tl.full([ROWS], -float("inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    for first in range(0, length, PAGE):
        page = tl.load(table + sequence * pages_of_row + first // PAGE).to(tl.int64)
        token = page * PAGE * kv_heads + kv_head
        present = first + slot < length
        k8 = tl.load(k_cache + (token + slot[None, :] * kv_heads) * D + d[:, None], present[None, :], 0.0)
        v8 = tl.load(v_cache + (token + slot[:, None] * kv_heads) * D + d[None, :], present[:, None], 0.0)
        score = tl.where(present[None, :], tl.dot(x, k8.to(tl.float16)) * to_log2, -float("inf"))
        higher = tl.maximum(top, tl.max(score, 1))
        p = tl.exp2(score - higher[:, None])
        shrink = tl.exp2(top - higher)
        total = total * shrink + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v8.to(tl.float16), acc * shrink[:, None])
        top = higher
    tl.store(out + at, (acc * v_scale / total[:, None]).to(tl.float16), row[:, None] < shared)


@triton.jit
def rotary(x, cosines, sines, positions, heads, D: tl.constexpr, HEADS: tl.constexpr):
    head = tl.arange(0, HEADS)
    i = tl.arange(0, D // 2)
    token = tl.program_id(0)
    position = tl.load(positions + token).to(tl.int64)
    c = tl.load(cosines + position * (D // 2) + i)
    s = tl.load(sines + position * (D // 2) + i)
    first = x + token.to(tl.int64) * heads * D + head[:, None] * D + i[None, :]
    second = first + D // 2
    there = (head < heads)[:, None]
    a = tl.load(first, there).to(tl.float32)
    b = tl.load(second, there).to(tl.float32)
    tl.store(first, a * c[None, :] - b * s[None, :], there)
    tl.store(second, b * c[None, :] + a * s[None, :], there)
