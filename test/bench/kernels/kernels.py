# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The examples' kernels once more, as a user of Triton would write them: the same program, statement by statement, with the same names. Run by a
# Python that has Triton 3.6.0, this file writes each call of calls.json as KERNEL.ttir beside it: what Triton's front end makes of it.
import json
import os
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def vec_add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z + i, tl.load(x + i, inside) + tl.load(y + i, inside), inside)


@triton.jit
def softmax(out, in_, out_stride, in_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(in_ + row * in_stride + column, inside, -float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out + row * out_stride + column, e / tl.sum(e, 0), inside)


@triton.jit
def online_softmax(out, in_, out_stride, in_stride, columns, BLOCK: tl.constexpr):
    row = in_ + tl.program_id(0) * in_stride
    top = -float("inf")
    total = 0.0
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        x = tl.load(row + column, column < columns, -float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x, 0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher), 0)
        top = higher
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        x = tl.load(row + column, column < columns, -float("inf")).to(tl.float32)
        tl.store(out + tl.program_id(0) * out_stride + column, tl.exp(x - top) / total, column < columns)


@triton.jit
def load_row(row, first, columns, BLOCK: tl.constexpr):
    column = first + tl.arange(0, BLOCK)
    return tl.load(row + column, column < columns, 0).to(tl.float32)


@triton.jit
def layernorm(out, in_, weight, bias, stride, columns, eps, BLOCK: tl.constexpr):
    row = in_ + tl.program_id(0) * stride
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, columns, BLOCK):
        total += load_row(row, first, columns, BLOCK)
    mean = tl.sum(total, 0) / columns
    squares = tl.zeros([BLOCK], tl.float32)
    for first in range(0, columns, BLOCK):
        x = load_row(row, first, columns, BLOCK) - mean
        squares += tl.where(first + tl.arange(0, BLOCK) < columns, x * x, 0)
    scale = tl.rsqrt(tl.sum(squares, 0) / columns + eps)
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        x = (load_row(row, first, columns, BLOCK) - mean) * scale
        w = load_row(weight, first, columns, BLOCK)
        b = load_row(bias, first, columns, BLOCK)
        tl.store(out + tl.program_id(0) * stride + column, x * w + b, column < columns)


@triton.jit
def layernorm_backward(dx, dweights, dbiases, dy, in_, weight, means, scales, columns, parts, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    scale = tl.load(scales + row)
    mean = tl.load(means + row)
    x = tl.load(in_ + row * columns + column, inside, mean).to(tl.float32)
    d = tl.load(dy + row * columns + column, inside, 0).to(tl.float32)
    w = tl.load(weight + column, inside, 0).to(tl.float32)
    normal = (x - mean) * scale
    g = d * w
    mean_g = tl.sum(g, 0) / columns
    mean_gx = tl.sum(g * normal, 0) / columns
    tl.store(dx + row * columns + column, (g - mean_g - normal * mean_gx) * scale, inside)
    at = row % parts * columns + column
    tl.atomic_add(dweights + at, d * normal, inside)
    tl.atomic_add(dbiases + at, d, inside)


@triton.jit
def layernorm_reduce(dweight, dbias, dweights, dbiases, columns, parts, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w = tl.zeros([BLOCK], tl.float32)
    b = tl.zeros([BLOCK], tl.float32)
    for first in range(0, parts, PARTS):
        part = first + tl.arange(0, PARTS)
        at = part[:, None] * columns + column[None, :]
        inside = (part[:, None] < parts) & (column[None, :] < columns)
        w += tl.sum(tl.load(dweights + at, inside, 0), 0)
        b += tl.sum(tl.load(dbiases + at, inside, 0), 0)
    tl.store(dweight + column, w, column < columns)
    tl.store(dbias + column, b, column < columns)


@triton.jit
def rms_norm(out, residual, in_, weight, columns, eps, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    inside = column < columns
    row = tl.program_id(0).to(tl.int64) * columns
    x = tl.load(in_ + row + column, inside, 0).to(tl.float32) + tl.load(residual + row + column, inside, 0)
    tl.store(residual + row + column, x, inside)
    scale = tl.rsqrt(tl.sum(x * x, 0) / columns + eps)
    tl.store(out + row + column, x * scale * tl.load(weight + column, inside, 0), inside)


@triton.jit
def gemm(a, b, c, M, N, K, lda, ldb, ldc, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    pid = tl.program_id(0)
    first_m = pid // (GROUP_M * blocks_n) * GROUP_M
    group_m = min(blocks_m - first_m, GROUP_M)
    block_m = first_m + pid % (GROUP_M * blocks_n) % group_m
    block_n = pid % (GROUP_M * blocks_n) // group_m
    rm = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = block_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    pa = a + (rm % M)[:, None] * lda + rk[None, :]
    pb = b + rk[:, None] * ldb + (rn % N)[None, :]
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(pa, rk[None, :] < K - k, 0)
        y = tl.load(pb, rk[:, None] < K - k, 0)
        acc = tl.dot(x, y, acc)
        pa += BLOCK_K
        pb += BLOCK_K * ldb
    tl.store(c + rm[:, None] * ldc + rn[None, :], acc.to(tl.float16), (rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def gelu_inner(x):
    return 0.7978845608 * (x + 0.044715 * x * x * x)


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.extra.libdevice.tanh(gelu_inner(x)))


@triton.jit
def gemm_epilogue(a, b, c, bias, aux, M, N, K, ACTIVATION: tl.constexpr, HAS_BIAS: tl.constexpr, KEEP: tl.constexpr, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    pid = tl.program_id(0)
    first_m = pid // (GROUP_M * blocks_n) * GROUP_M
    group_m = min(blocks_m - first_m, GROUP_M)
    rm = (first_m + pid % (GROUP_M * blocks_n) % group_m) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = pid % (GROUP_M * blocks_n) // group_m * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    pa = a + (rm % M)[:, None] * K + rk[None, :]
    pb = b + rk[:, None] * N + (rn % N)[None, :]
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(pa, rk[None, :] < K - k, 0)
        y = tl.load(pb, rk[:, None] < K - k, 0)
        acc = tl.dot(x, y, acc)
        pa += BLOCK_K
        pb += BLOCK_K * N
    at = rm[:, None] * N + rn[None, :]
    inside = (rm[:, None] < M) & (rn[None, :] < N)
    if HAS_BIAS:
        acc += tl.load(bias + rn, rn < N, 0)[None, :]
    if KEEP:
        tl.store(aux + at, acc.to(tl.float16), inside)
    if ACTIVATION == 2:
        acc = gelu(acc)
    tl.store(c + at, acc.to(tl.float16), inside)


@triton.jit
def batched_gemm(a, b, c, M, N, K, a_stack, a_row, b_stack, b_row, c_stack, c_row, TRANSPOSED: tl.constexpr, BLOCK_M: tl.constexpr,
                 BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    blocks_n = tl.cdiv(N, BLOCK_N)
    rm = tl.program_id(0) // blocks_n * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(0) % blocks_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    pa = a + tl.program_id(1) * a_stack + (rm % M)[:, None] * a_row + rk[None, :]
    if TRANSPOSED:
        pb = b + tl.program_id(1) * b_stack + rk[:, None] + (rn % N)[None, :] * b_row
    else:
        pb = b + tl.program_id(1) * b_stack + rk[:, None] * b_row + (rn % N)[None, :]
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(pa, rk[None, :] < K - k, 0)
        y = tl.load(pb, rk[:, None] < K - k, 0)
        acc = tl.dot(x, y, acc)
        pa += BLOCK_K
        if TRANSPOSED:
            pb += BLOCK_K
        else:
            pb += BLOCK_K * b_row
    tl.store(c + tl.program_id(1) * c_stack + rm[:, None] * c_row + rn[None, :], acc.to(tl.float16), (rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def split_k(a, b, parts, M, N, K, SPLIT_K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    blocks_n = tl.cdiv(N, BLOCK_N)
    part = tl.program_id(1)
    rm = tl.program_id(0) // blocks_n * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(0) % blocks_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    steps = tl.cdiv(K, BLOCK_K * SPLIT_K)
    first = part * steps * BLOCK_K
    last = min(first + steps * BLOCK_K, K)
    pa = a + (rm % M)[:, None] * K + (first + rk)[None, :]
    pb = b + (first + rk)[:, None] * N + (rn % N)[None, :]
    for k in range(first, last, BLOCK_K):
        acc = tl.dot(tl.load(pa, rk[None, :] < last - k, 0), tl.load(pb, rk[:, None] < last - k, 0), acc)
        pa += BLOCK_K
        pb += BLOCK_K * N
    tl.store(parts + part.to(tl.int64) * M * N + rm[:, None] * N + rn[None, :], acc, (rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def persistent_gemm(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr):
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    for tile in range(tl.program_id(0), blocks_m * blocks_n, tl.num_programs(0)):
        first_m = tile // (GROUP_M * blocks_n) * GROUP_M
        group_m = min(blocks_m - first_m, GROUP_M)
        rm = (first_m + tile % (GROUP_M * blocks_n) % group_m) * BLOCK_M + tl.arange(0, BLOCK_M)
        rn = tile % (GROUP_M * blocks_n) // group_m * BLOCK_N + tl.arange(0, BLOCK_N)
        pa = a + (rm % M)[:, None] * K + rk[None, :]
        pb = b + rk[:, None] * N + (rn % N)[None, :]
        acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
        for k in range(0, K, BLOCK_K):
            acc = tl.dot(tl.load(pa, rk[None, :] < K - k, 0), tl.load(pb, rk[:, None] < K - k, 0), acc)
            pa += BLOCK_K
            pb += BLOCK_K * N
        tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.float16), (rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def int8_gemm(a, b, c, a_scale, b_scale, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    blocks_n = tl.cdiv(N, BLOCK_N)
    rm = tl.program_id(0) // blocks_n * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(0) % blocks_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    pa = a + (rm % M)[:, None] * K + rk[None, :]
    pb = b + rk[:, None] + (rn % N)[None, :] * K
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.int32)
    for k in range(0, K, BLOCK_K):
        acc = tl.dot(tl.load(pa, rk[None, :] < K - k, 0), tl.load(pb, rk[:, None] < K - k, 0), acc, out_dtype=tl.int32)
        pa += BLOCK_K
        pb += BLOCK_K
    scaled = acc.to(tl.float32) * tl.load(a_scale + rm, rm < M, 0)[:, None] * tl.load(b_scale + rn, rn < N, 0)[None, :]
    tl.store(c + rm[:, None] * N + rn[None, :], scaled.to(tl.float16), (rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def fp8_gemm(a, b, c, a_scale, b_scale, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    SCALED: tl.constexpr = 128
    blocks_n = tl.cdiv(N, BLOCK_N)
    blocks_k = tl.cdiv(K, SCALED)
    rm = tl.program_id(0) // blocks_n * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(0) % blocks_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, SCALED)
    pa = a + (rm % M)[:, None] * K + rk[None, :]
    pb = b + rk[:, None] + (rn % N)[None, :] * K
    pas = a_scale + (rm % M) * blocks_k
    pbs = b_scale + (rn % N) // SCALED * blocks_k
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, K, SCALED):
        x = tl.load(pa, rk[None, :] < K - k, 0.0)
        y = tl.load(pb, rk[:, None] < K - k, 0.0)
        acc += tl.dot(x, y) * tl.load(pas)[:, None] * tl.load(pbs)[None, :]
        pa += SCALED
        pb += SCALED
        pas += 1
        pbs += 1
    tl.store(c + rm[:, None] * N + rn[None, :], acc.to(tl.bfloat16), (rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def w4a16_gemm(a, packed, scales, zeros, c, M, N, K, GROUP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    blocks_n = tl.cdiv(N, BLOCK_N)
    rm = tl.program_id(0) // blocks_n * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = (tl.program_id(0) % blocks_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    rk = tl.arange(0, BLOCK_K)
    pa = a + (rm % M)[:, None] * K + rk[None, :]
    pq = packed + tl.arange(0, BLOCK_K // 2)[:, None] * N + rn[None, :]
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, K, BLOCK_K):
        x = tl.load(pa)
        q = tl.load(pq)
        scale = tl.load(scales + k // GROUP * N + rn)
        zero = tl.load(zeros + k // GROUP * N + rn).to(tl.float16)
        low = (q & 15).to(tl.float16)
        high = (q >> 4).to(tl.float16)
        w = tl.join(low, high).permute(0, 2, 1).reshape(BLOCK_K, BLOCK_N)
        acc = tl.dot(x, (w - zero[None, :]) * scale[None, :], acc)
        pa += BLOCK_K
        pq += BLOCK_K // 2 * N
    cn = tl.program_id(0) % blocks_n * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + rm[:, None] * N + cn[None, :], acc.to(tl.float16), (rm[:, None] < M) & (cn[None, :] < N))


@triton.jit
def conv2d(in_, weight, out, images, height, width, channels, out_height, out_width, filters, stride, pad, R: tl.constexpr, S: tl.constexpr,
           BLOCK_M: tl.constexpr, BLOCK_F: tl.constexpr, BLOCK_C: tl.constexpr):
    blocks_f = tl.cdiv(filters, BLOCK_F)
    places = images * out_height * out_width
    place = tl.program_id(0) // blocks_f * BLOCK_M + tl.arange(0, BLOCK_M)
    filter = tl.program_id(0) % blocks_f * BLOCK_F + tl.arange(0, BLOCK_F)
    image = place // (out_height * out_width)
    top = place // out_width % out_height * stride - pad
    left = place % out_width * stride - pad
    channel = tl.arange(0, BLOCK_C)
    acc = tl.zeros([BLOCK_M, BLOCK_F], tl.float32)
    for r in range(R):
        for s in range(S):
            y = top + r
            x = left + s
            inside = (place < places) & (y >= 0) & (y < height) & (x >= 0) & (x < width)
            pixel = in_ + ((image * height + y) * width + x) * channels
            tap = weight + ((filter * R + r) * S + s) * channels
            for c in range(0, channels, BLOCK_C):
                a = tl.load(pixel[:, None] + c + channel[None, :], inside[:, None] & (channel[None, :] < channels - c), 0)
                b = tl.load(tap[None, :] + c + channel[:, None], (filter[None, :] < filters) & (channel[:, None] < channels - c), 0)
                acc = tl.dot(a, b, acc)
    tl.store(out + place[:, None] * filters + filter[None, :], acc.to(tl.float16), (place[:, None] < places) & (filter[None, :] < filters))


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
def fused_moe(in_, weight, out, gate, slots, experts, used, slot_count, N, K, TOP_K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              BLOCK_K: tl.constexpr):
    blocks_n = tl.cdiv(N, BLOCK_N)
    block = tl.program_id(0) // blocks_n
    if block * BLOCK_M >= tl.load(used):
        return
    rn = tl.program_id(0) % blocks_n * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    slot = tl.load(slots + block * BLOCK_M + tl.arange(0, BLOCK_M))
    real = slot < slot_count
    pa = in_ + (slot // TOP_K)[:, None] * K + rk[None, :]
    pb = weight + tl.load(experts + block).to(tl.int64) * N * K + rk[:, None] + (rn % N)[None, :] * K
    acc = tl.zeros([BLOCK_M, BLOCK_N], tl.float32)
    for k in range(0, K, BLOCK_K):
        acc = tl.dot(tl.load(pa, real[:, None] & (rk[None, :] < K - k), 0), tl.load(pb, rk[:, None] < K - k, 0), acc)
        pa += BLOCK_K
        pb += BLOCK_K
    acc *= tl.load(gate + slot, real, 0)[:, None]
    tl.store(out + slot[:, None] * N + rn[None, :], acc.to(tl.float16), real[:, None] & (rn[None, :] < N))


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


@triton.jit
def cross_entropy(logits, targets, losses, classes, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    target = tl.load(targets + row)
    x = logits + row.to(tl.int64) * classes
    top = -float("inf")
    total = 0.0
    for first in range(0, classes, BLOCK):
        i = first + tl.arange(0, BLOCK)
        v = tl.load(x + i, i < classes, -float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(v, 0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(v - higher), 0)
        top = higher
    chosen = tl.load(x + target, target >= 0, 0.0).to(tl.float32)
    tl.store(losses + row, tl.where(target >= 0, top + tl.log(total) - chosen, 0.0))
    factor = tl.where(target >= 0, scale, 0.0)
    for first in range(0, classes, BLOCK):
        i = first + tl.arange(0, BLOCK)
        p = tl.exp(tl.load(x + i, i < classes, -float("inf")).to(tl.float32) - top) / total
        tl.store(x + i, (p - tl.where(i == target, 1, 0)) * factor, i < classes)


@triton.jit
def row_cumsum(out, in_, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    before = 0.0
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        x = tl.load(in_ + row + column, column < columns, 0)
        tl.store(out + row + column, before + tl.cumsum(x, 0), column < columns)
        before += tl.sum(x, 0)


@triton.jit
def dropout(out, in_, count, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(in_ + i, i < count, 0).to(tl.float32)
    tl.store(out + i, tl.where(tl.rand(seed, i) >= p, x / (1 - p), 0), i < count)


@triton.jit
def ordered(x):
    bits = x.to(tl.uint32, bitcast=True)
    return tl.where(bits >> 31 != 0, ~bits, bits | 0x80000000)


@triton.jit
def unordered(bits):
    return tl.where(bits >> 31 != 0, bits & 0x7FFFFFFF, ~bits).to(tl.float32, bitcast=True)


@triton.jit
def row_topk(values, columns_of, in_, columns, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(in_ + row * columns + column, column < columns, -float("inf"))
    pairs = (ordered(x).to(tl.uint64) << 32) | (BLOCK - 1 - column).to(tl.uint32).to(tl.uint64)
    best = tl.topk(pairs, K)
    k = tl.arange(0, K)
    tl.store(values + row * K + k, unordered((best >> 32).to(tl.uint32)))
    tl.store(columns_of + row * K + k, BLOCK - 1 - best.to(tl.uint32).to(tl.int32))


@triton.jit
def row_sort(out, in_, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(in_ + row * columns + column, column < columns, float("inf"))
    tl.store(out + row * columns + column, tl.sort(x), column < columns)


@triton.jit
def join_pieces(count, mean, squares, other_count, other_mean, other_squares):
    both = count + other_count
    distance = other_mean - mean
    share = tl.where(both > 0, other_count / both, 0)
    return both, mean + distance * share, squares + other_squares + distance * distance * count * share


@triton.jit
def welford(means, variances, in_, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    count = tl.zeros([BLOCK], tl.float32)
    mean = tl.zeros([BLOCK], tl.float32)
    squares = tl.zeros([BLOCK], tl.float32)
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        one = (column < columns).to(tl.float32)
        distance = tl.load(in_ + row + column, column < columns, 0).to(tl.float32) - mean
        both = count + one
        step = tl.where(column < columns, distance / both, 0)
        mean += step
        squares += distance * step * count
        count = both
    n, m, s = tl.reduce((count, mean, squares), 0, join_pieces)
    tl.store(means + tl.program_id(0), m)
    tl.store(variances + tl.program_id(0), s / n)


@triton.jit
def byte_histogram(counts, in_, count, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mine = tl.histogram(tl.load(in_ + i, i < count, 0).to(tl.int32), 256, i < count)
    tl.atomic_add(counts + tl.arange(0, 256), mine, mine != 0, sem="relaxed")


# Writing -------------------------------------------------------------------------------------------------------------

POINTERS = {"f16": "*fp16", "bf16": "*bf16", "f32": "*fp32", "f64": "*fp64", "f8e4m3fnuz": "*fp8e4b8", "i8": "*i8", "u8": "*u8", "i32": "*i32"}
OPTIONS = ("num_warps", "num_stages", "waves_per_eu", "matrix_instr_nonkdim", "kpack")
WIDE = {"a_stack", "b_stack", "c_stack", "seed"}  # i64 parameters


def source_of(call):
    function = globals()[call["kernel"]]
    constants = {name: value for name, value in call["settings"].items() if name not in OPTIONS}
    values, types, attributes = {"cdiv": lambda a, b: -(-a // b)}, {}, {}
    for word in call["words"]:
        name, text = word.split("=", 1)
        if "[" in text:
            types[name] = POINTERS[text.split("[")[0]]
        elif "." in text or "e" in text:
            types[name] = "fp32"
        else:
            values[name] = eval(text.replace("/", "//"), values)
            types[name] = "i64" if name in WIDE else "i32"
    signature = {}
    for index, parameter in enumerate(function.arg_names):
        name = parameter.rstrip("_")
        signature[parameter] = "constexpr" if parameter in constants else types[name]
        if signature[parameter][0] == "*" or (signature[parameter][0] == "i" and values[name] % 16 == 0):
            attributes[(index,)] = [["tt.divisibility", 16]]
    constexprs = {(index,): constants[name] for index, name in enumerate(function.arg_names) if name in constants}
    return ASTSource(function, signature, constexprs, attributes)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    for call in json.load(open(os.path.join(here, "calls.json"))):
        if len(sys.argv) > 1 and call["kernel"] not in sys.argv[1:]:
            continue
        options = {name: call["settings"][name] for name in OPTIONS if name in call["settings"]}
        compiled = triton.compile(source_of(call), target=GPUTarget("hip", "gfx942", 64), options=options)
        text = compiled.asm["ttir"].replace(here, "test/bench/kernels").replace(os.path.dirname(triton.__file__), "triton")
        text = text.replace("%in_", "%in").replace('"in_"', '"in"')
        with open(os.path.join(here, call["kernel"] + ".ttir"), "w") as out:
            out.write(text)
        print(call["kernel"], len(text))


if __name__ == "__main__":
    main()
