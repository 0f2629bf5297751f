# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Matrix products, including convolution: the examples as a user of Triton would write them (kernels.py).
import triton
import triton.language as tl


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
