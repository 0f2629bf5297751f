# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels for make.py: each uses one part of Triton's language. What they compute is of no use, but defined: pointers are to 4096 elements or
# more that hold anything, and programs of one workgroup.
import triton
import triton.language as tl

from cases import SOURCE, TTGIR, case

try:
    from triton.language.extra import libdevice
except ImportError:
    from triton.language.extra.hip import libdevice


# Memory -----------------------------------------------------------------------------------------------------------------


@case("*fp32 *fp32 i32", TTGIR, B=64)
@triton.jit
def hints(x, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    inside = i < n
    a = tl.load(x + i, inside, 0, cache_modifier=".cg", eviction_policy="evict_first")
    b = tl.load(x + i + B, inside, 0, cache_modifier=".ca", eviction_policy="evict_last", volatile=True)
    c = tl.load(x + i + 2 * B, inside, other=1.0, cache_modifier=".cv")
    tl.store(y + i, a, inside, cache_modifier=".wt", eviction_policy="evict_first")
    tl.store(y + i + B, b + c, inside, cache_modifier=".cs", eviction_policy="evict_last")
    tl.store(y + i + 2 * B, c, cache_modifier=".cg")
    tl.store(y + i + 3 * B, a + b, cache_modifier=".wb")
    tl.store(y + 4 * B, tl.load(x, volatile=True), eviction_policy="evict_first")


@case("*kfp32 *fp32 *ki8 i64", TTGIR, B=64)
@triton.jit
def const_pointers(x, y, z, n, B: tl.constexpr):
    i = tl.arange(0, B).to(tl.int64)
    p = x + i
    for k in range(0, n):
        tl.store(y + i, tl.load(p, i < n) + tl.load(z + i).to(tl.float32))
        p += 1
    tl.store(y + B, tl.load(x + n))


@case("*i1 *i8 *u8 *i16 *u16 *i32 *u32 *i64 *u64", B=64)
@triton.jit
def integer_memory(b, i8, u8, i16, u16, i32, u32, i64, u64, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(b + i)
    tl.store(i8 + i, tl.where(x, tl.load(i8 + i), tl.load(u8 + i).to(tl.int8)))
    tl.store(u16 + i, tl.load(u16 + i) >> 3)
    tl.store(i16 + i, tl.load(i16 + i) >> 3)
    tl.store(u32 + i, tl.load(u32 + i) // 3)
    tl.store(i32 + i, tl.load(i32 + i) // 3)
    tl.store(u64 + i, tl.load(u64 + i) % 7)
    tl.store(i64 + i, tl.load(i64 + i) % 7)
    tl.store(b + i, tl.load(i8 + i) > 0)


@case("*fp16 *fp16 i32 i32", SOURCE, until=(3, 7), M=16, N=32)
@triton.jit
def block_pointers(x, y, rows, columns, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_block_ptr(x, (rows, columns), (columns, 1), (0, 0), (M, N), (1, 0))
    b = tl.make_block_ptr(y, (rows, columns), (columns, 1), (0, 4), (M, N), (1, 0))
    for k in range(0, columns, N):
        v = tl.load(a, boundary_check=(0, 1), padding_option="zero", cache_modifier=".cg")
        w = tl.load(b, boundary_check=(0,), padding_option="nan")
        tl.store(b, v + w, boundary_check=(0, 1), eviction_policy="evict_first")
        a = tl.advance(a, (0, N))
        b = tl.advance(b, (0, N))


@case("*fp16 *fp32 *i32 i32 i32", SOURCE, since=(3, 4), M=16, N=32)
@triton.jit
def descriptors(x, y, z, rows, columns, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [M, N])
    b = tl.make_tensor_descriptor(y, shape=[rows, columns], strides=[columns, 1], block_shape=[M, N])
    c = tl.make_tensor_descriptor(z, [rows, columns], [columns, 1], [M, N])
    for k in range(0, columns, N):
        v = a.load([0, k])
        b.store([0, k], v.to(tl.float32))
        i = v.to(tl.int32)
        c.atomic_add([0, k], i)
        c.atomic_max([0, k], i)
        c.atomic_and([0, k], i)
        b.atomic_add([0, k], b.load([M, k]))
    a.store([0, 0], tl.load_tensor_descriptor(a, [M, N]))


@case("*fp16 i32 i32", SOURCE, until=(3, 3), M=16, N=32)
@triton.jit
def descriptors_33(x, rows, columns, M: tl.constexpr, N: tl.constexpr):
    a = tl._experimental_make_tensor_descriptor(x, [rows, columns], [columns, 1], [M, N])
    for k in range(0, columns, N):
        a.store([0, k], a.load([M, k]) + 1)


@case("*fp32 *fp32 i32 i32", SOURCE, since=(3, 6), M=16, N=32)
@triton.jit
def descriptor_padding(x, y, rows, columns, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [M, N], padding_option="nan")
    b = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1], [M, N])
    v = a.load([8, 40])
    b.store([0, 0], tl.where(v == v, v, 7.0))


@case("*fp32 *fp32 i32 i32", SOURCE, since=(3, 5), N=32)
@triton.jit
def descriptor_rows(x, y, rows, columns, N: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [1, N])
    b = tl.make_tensor_descriptor(y, [rows, columns], [columns, 1], [1, N])
    i = tl.arange(0, 16) * 3
    b.scatter(a.gather(i, 32), i, 0)


@case("tensordesc<fp16[16,32]> tensordesc<fp16[16,32]> i32", SOURCE, since=(3, 5))
@triton.jit
def descriptor_arguments(a, b, n):
    for k in range(0, n, 32):
        b.store([0, k], a.load([16, k]) + 1)


# Atomics ----------------------------------------------------------------------------------------------------------------


@case("*i32 *u32 *fp32 *fp16 *i64 i32", TTGIR, B=64)
@triton.jit
def atomics(i32, u32, f32, f16, i64, n, B: tl.constexpr):
    i = tl.arange(0, B)
    inside = i < n
    old = tl.atomic_add(i32 + i, 1, sem="relaxed", scope="cta")
    old += tl.atomic_max(i32 + i, old, inside)
    old += tl.atomic_min(i32 + i, old, sem="acquire", scope="sys")
    old += tl.atomic_and(i32 + i, old, sem="release")
    old += tl.atomic_or(i32 + i, old, sem="acq_rel", scope="gpu")
    old += tl.atomic_xor(i32 + i, old, inside, sem="relaxed")
    old += tl.atomic_xchg(i32 + i, old)
    u = tl.atomic_max(u32 + i, old.to(tl.uint32))
    u += tl.atomic_min(u32 + i, u)
    f = tl.atomic_add(f32 + i, 1.5, sem="relaxed")
    f += tl.atomic_max(f32 + i, f)
    f += tl.atomic_min(f32 + i, f, inside)
    f += tl.atomic_xchg(f32 + i, f)
    tl.atomic_add(f16 + i, f.to(tl.float16), inside, sem="relaxed")
    w = tl.atomic_add(i64 + i, 1)
    w += tl.atomic_cas(i64 + i, w, w + 1, sem="acquire")
    tl.store(i64 + B + i, w + u.to(tl.int64))


@case("*i32 *i32", TTGIR)
@triton.jit
def spin_lock(lock, count):
    while tl.atomic_cas(lock, 0, 1, sem="acquire", scope="gpu") == 1:
        pass
    tl.store(count, tl.load(count) + 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0, sem="release")


@case("*i32 *i64 *i32 *fp32 i32", TTGIR, since=(3, 9), B=64)
@triton.jit
def atomic_accesses(x, y, z, f, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.atomic_load(x + i)
    a += tl.atomic_load(x + i, i < n, sem="relaxed", scope="cta")
    a += tl.atomic_load(x, sem="acquire", scope="sys")
    tl.atomic_store(z + i, a)
    tl.atomic_store(z + i + B, a, i < n, sem="release", scope="sys")
    tl.atomic_store(z + 2 * B, 5, sem="relaxed", scope="cta")
    tl.atomic_store(f + i, tl.atomic_load(f + B + i))
    tl.atomic_store(y, tl.atomic_load(y + 1))


@case("*i32 *i64 *i32 i32", TTGIR, since=(3, 9), B=64)
@triton.jit
def atomic_poll(x, y, z, n, B: tl.constexpr):
    tl.atomic_poll(x, n)
    tl.atomic_poll(y, 7, sem="relaxed", scope="sys")
    ok = tl.atomic_poll(x + 1, n, scope="cta", timeout_ns=1000)
    tl.store(z, ok.to(tl.int32))


@case("*i32 *i32 i32", TTGIR, since=(3, 9), B=64)
@triton.jit
def atomic_poll_block(x, z, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(z + i, tl.atomic_poll(x + i, n, timeout_ns=1000).to(tl.int32))


# Reductions and scans ---------------------------------------------------------------------------------------------------


@triton.jit
def second_if_larger(av, ai, bv, bi):
    larger = bv > av
    return tl.where(larger, bv, av), tl.where(larger, bi, ai)


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def linear(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1


@case("*fp32 *i32 *fp32 *i32", TTGIR, M=16, N=32)
@triton.jit
def reductions(x, y, f, g, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + r[:, None] * N + c[None, :])
    k = tl.load(y + r[:, None] * N + c[None, :])
    tl.store(f + r, tl.sum(a, 1))
    tl.store(f + 32 + c, tl.max(a, axis=0))
    tl.store(f + 64 + r, tl.min(a, 1))
    tl.store(g + r, tl.argmax(a, 1))
    tl.store(g + 32 + c, tl.argmin(a, 0, tie_break_left=False))
    v, i = tl.max(a, 1, return_indices=True)
    tl.store(f + 96 + r, v)
    tl.store(g + 64 + r, i)
    tl.store(g + 96 + r, tl.xor_sum(k, 1))
    tl.store(f + 128, tl.sum(a))
    tl.store(f + 129 + r[:, None] + c[None, :] * 0, tl.broadcast_to(tl.sum(a, 1, keep_dims=True), M, N))
    tl.store(f + 160 + r, tl.reduce(a, 1, multiply))
    v, i = tl.reduce((a, k), 0, second_if_larger)
    tl.store(f + 192 + c, v)
    tl.store(g + 128 + c, i)
    tl.store(g + 160, tl.max(tl.max(k, 1), 0))


@case("*i1 *i32 *i8", since=(3, 6), B=64)
@triton.jit
def reductions_36(x, y, z, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(y, tl.reduce_or(tl.load(x + i), 0))
    tl.store(y + 1, tl.sum(tl.load(z + i), dtype=tl.int32))


@case("*fp32 *i32 *fp32 *i32", TTGIR, M=16, N=32)
@triton.jit
def scans(x, y, f, g, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M), tl.arange(0, N)
    at = r[:, None] * N + c[None, :]
    a, k = tl.load(x + at), tl.load(y + at)
    tl.store(f + at, tl.cumsum(a, 1))
    tl.store(g + at, tl.cumsum(k, 0, reverse=True))
    tl.store(f + 512 + at, tl.cumprod(a, 0))
    s, t = tl.associative_scan((a, a + 1), 1, linear)
    tl.store(f + 1024 + at, s)
    tl.store(f + 1536 + at, t)
    tl.store(g + 512 + at, tl.associative_scan(k, 1, multiply, reverse=True))


# Matrix products --------------------------------------------------------------------------------------------------------


@case("*fp16 *fp16 *fp32 i32", TTGIR, options={"num_stages": 2}, M=64, N=64, K=32)
@triton.jit
def gemm(a, b, c, n, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rm, rn, rk = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    pa = a + rm[:, None] * n + rk[None, :]
    pb = b + rk[:, None] * N + rn[None, :]
    acc = tl.zeros([M, N], tl.float32)
    for k in range(0, n, K):
        acc = tl.dot(tl.load(pa, rk[None, :] < n - k, 0), tl.load(pb, rk[:, None] < n - k, 0), acc)
        pa += K
        pb += K * N
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@case("*fp16 *bf16 *fp32 *i8 *fp64 *fp32 *i32 *fp64", B=32)
@triton.jit
def dots(f16, bf16, f32, i8, f64, f, i, d, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    h = tl.load(f16 + at)
    acc = tl.dot(h, tl.trans(h))
    acc = tl.dot(h, h, acc=acc, out_dtype=tl.float32)
    g = tl.load(bf16 + at)
    acc += tl.dot(g, g)
    s = tl.load(f32 + at)
    acc += tl.dot(s, s)
    acc += tl.dot(s, s, input_precision="ieee")
    acc += tl.dot(s, s, input_precision="tf32")
    acc += tl.dot(h, h, out_dtype=tl.float16).to(tl.float32)
    tl.store(f + at, acc)
    k = tl.load(i8 + at)
    tl.store(i + at, tl.dot(k, k, out_dtype=tl.int32))


@case("*fp32 *fp32", since=(3, 6), B=32)
@triton.jit
def dots_36(f32, f, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    s = tl.load(f32 + at)
    acc = tl.dot(s, s, input_precision="bf16x3")
    tl.store(f + at, tl.dot(s, s, acc, input_precision="bf16x6"))


@case("*fp8e4b8 *fp8e5b16 *fp16 *fp32", B=32)
@triton.jit
def dots_of_bytes(a, b, h, f, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    x, y = tl.load(a + at), tl.load(b + at)
    acc = tl.dot(x, x, max_num_imprecise_acc=0)
    acc = tl.dot(y, y, acc)
    cube = tl.arange(0, 2)[:, None, None] * 1024 + at[None, :, :]
    z = tl.load(h + cube)
    tl.store(f + cube, tl.dot(z, z) + acc[None, :, :])


@case("*u8 *u8 *bf16 *fp32", TTGIR, B=32)
@triton.jit
def dot_scaled(x, scale, g, f, B: tl.constexpr):
    r, c = tl.arange(0, B), tl.arange(0, 2 * B)
    one = tl.arange(0, 2)
    a = tl.load(x + r[:, None] * 2 * B + c[None, :])
    s = tl.load(scale + r[:, None] * 2 + one[None, :])
    b = tl.load(g + c[:, None] * B + r[None, :])
    acc = tl.dot_scaled(a, s, "e4m3", b, None, "bf16")
    acc = tl.dot_scaled(a, s, "e5m2", b, None, "bf16", acc=acc, fast_math=True)
    h = tl.load(x + r[:, None] * B + r[None, :])
    acc = tl.dot_scaled(h, s, "e2m1", b, None, "bf16", acc)
    tl.store(f + r[:, None] * B + r[None, :], acc)


# Two scales: Triton's AMD passes leave these to Kiln's decompose_dots up to 3.7, so there is no ttg text of them.
@case("*u8 *u8 *fp8e5 *fp32", B=32)
@triton.jit
def dot_scaled_twice(x, scale, e, f, B: tl.constexpr):
    r, c = tl.arange(0, B), tl.arange(0, 2 * B)
    one = tl.arange(0, 2)
    a = tl.load(x + r[:, None] * 2 * B + c[None, :])
    s = tl.load(scale + r[:, None] * 2 + one[None, :])
    v = tl.load(e + c[:, None] * B + r[None, :])
    tl.store(f + r[:, None] * B + r[None, :], tl.dot_scaled(a, s, "e4m3", v, s, "e5m2"))


@case("*u8 *u8 *fp16 *fp32", since=(3, 4), B=32)
@triton.jit
def dot_scaled_fp16(x, scale, g, f, B: tl.constexpr):
    r, c = tl.arange(0, B), tl.arange(0, 2 * B)
    one = tl.arange(0, 2)
    s = tl.load(scale + r[:, None] * 2 + one[None, :])
    h = tl.load(x + r[:, None] * B + r[None, :])
    b = tl.load(g + c[:, None] * B + r[None, :])
    acc = tl.dot_scaled(h, s, "e2m1", b, None, "fp16", lhs_k_pack=True)
    tl.store(f + r[:, None] * B + r[None, :], acc)


# Element-wise -----------------------------------------------------------------------------------------------------------


@case("*fp32 *fp64 *i32 *u32 i32 fp32", TTGIR, B=64)
@triton.jit
def arithmetic(x, d, y, u, n, s, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i), tl.load(x + B + i)
    c = tl.maximum(a, b) + tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL) + tl.clamp(a, -1.0, 1.0)
    c += tl.clamp(a, b, b + 1, propagate_nan=tl.PropagateNan.ALL)
    c += tl.fma(a, b, c) + tl.div_rn(a, b) + tl.sqrt_rn(tl.abs(a)) + tl.fdiv(a, b, ieee_rounding=True) + tl.fdiv(a, b)
    c += a / b + a % b + tl.floor(a) + tl.ceil(b) - (-a)
    c += tl.exp(a) + tl.exp2(a) + tl.log(tl.abs(a)) + tl.log2(tl.abs(b)) + tl.sin(a) + tl.cos(b) + tl.erf(a)
    c += tl.sqrt(tl.abs(a)) + tl.rsqrt(tl.abs(b) + 1) + tl.sigmoid(a) + tl.softmax(b) + s
    c = tl.where((a < b) & ~(a == b) | (a != a), c, a)
    tl.store(x + i, c)
    e = tl.load(d + i)
    tl.store(d + i, tl.exp(e) + tl.fma(e, e, e) - tl.sqrt(tl.abs(e)) / 3)
    k, m = tl.load(y + i), tl.load(y + B + i) | 1
    k = k * m + k // m - k % m + (k & m) ^ (k | m) + (k << 2) + (k >> 1) + ~k
    k += tl.abs(k) + tl.maximum(k, m) + tl.minimum(k, n) + tl.cdiv(k, 3) + (-m)
    v, w = tl.load(u + i), tl.load(u + B + i) | 1
    v = v // w + v % w + (v >> 2) + tl.umulhi(v, w) + tl.maximum(v, w) + tl.minimum(v, w)
    tl.store(y + i, tl.where(k <= m, k, n))
    tl.store(u + i, tl.where(v > w, v, w))


@case("*fp32 *fp16 *bf16 *fp8e4b8 *fp8e5b16 *fp8e5 *fp8e4nv *fp64", TTGIR, B=64)
@triton.jit
def float_casts(f32, f16, bf16, b8, b16, e5, e4, f64, B: tl.constexpr):
    i = tl.arange(0, B)
    x = tl.load(f32 + i)
    tl.store(f16 + i, x.to(tl.float16, fp_downcast_rounding="rtz"))
    tl.store(bf16 + i, x.to(tl.bfloat16))
    tl.store(b8 + i, x.to(tl.float8e4b8))
    tl.store(b16 + i, x.to(tl.float8e5b16, fp_downcast_rounding="rtne"))
    tl.store(e5 + i, x.to(tl.float8e5, fp_downcast_rounding="rtz"))
    tl.store(e4 + i, x.to(tl.float8e4nv))
    y = tl.load(b8 + B + i).to(tl.float32) + tl.load(b16 + B + i).to(tl.float16) + tl.load(e5 + B + i).to(tl.float32)
    y += tl.load(e4 + B + i).to(tl.bfloat16).to(tl.float32)
    tl.store(f32 + i, y)
    tl.store(f64 + i, y.to(tl.float64) + tl.load(f16 + B + i))


@case("*fp32 *i32 *i8 *i64 *u8", B=64)
@triton.jit
def other_casts(x, y, b, w, u, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    tl.store(y + i, a.to(tl.int32) + a.to(tl.int32, bitcast=True) + tl.cast(a, tl.int32, bitcast=True))
    tl.store(x + i, tl.load(y + B + i).to(tl.float32) + tl.load(u + i).to(tl.float32) + tl.load(w + i).to(tl.uint32).to(tl.float32))
    tl.store(b + i, a.to(tl.uint8).to(tl.int8) + (a > 0).to(tl.int8) + tl.load(y + i).to(tl.int1))
    tl.store(w + i, (x + i).to(tl.int64) - x.to(tl.int64))
    q = (x.to(tl.int64) + 4).to(tl.pointer_type(tl.float32))
    tl.store(w + B, tl.load(q).to(tl.int64))
    tl.store(u + i, tl.load(x.to(tl.pointer_type(tl.uint8), bitcast=True) + i))


@case("*fp32 *i32 *fp64", TTGIR, B=64)
@triton.jit
def device_functions(x, y, d, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    b = libdevice.pow(tl.abs(a), 2.5) + libdevice.tanh(a) + libdevice.log1p(tl.abs(a))
    b += libdevice.expm1(a) + libdevice.erf(a) + libdevice.atan2(a, b) + libdevice.fmod(a, b) + libdevice.floor(a)
    tl.store(x + i, b + libdevice.isnan(a).to(tl.float32))
    tl.store(d + i, libdevice.exp(tl.load(d + i)) + libdevice.sqrt(tl.load(d + B + i)))


@case("*i32 *i32 *fp32", TTGIR, B=64)
@triton.jit
def inline_assembly(x, y, f, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.load(x + i), tl.load(x + B + i)
    tl.store(y + i, tl.inline_asm_elementwise("v_add_u32 $0, $1, $2", "=v,v,v", [a, b], tl.int32, is_pure=True, pack=1))
    c, d = tl.inline_asm_elementwise("v_not_b32 $0, $2\nv_mov_b32 $1, $2", "=&v,=v,v", [a], (tl.int32, tl.int32), is_pure=False, pack=1)
    tl.store(y + B + i, c - d)


@triton.jit
def collatz(x, y):
    if x > y:
        return x * 3 + y, y
    return y // 2, x


@case("*i32 *i32", since=(3, 5), B=256)
@triton.jit
def mapped(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    a, b = tl.map_elementwise(collatz, tl.load(x + i), tl.load(x + B + i))
    tl.store(y + i, a + b)


# Shapes -----------------------------------------------------------------------------------------------------------------


@case("*fp32 *fp32", TTGIR, M=16, N=32)
@triton.jit
def shapes(x, y, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M), tl.arange(0, N)
    at = tl.expand_dims(r, 1) * N + c[None, :]
    a = tl.load(x + at)
    b = tl.trans(tl.reshape(a, (N, M))) + tl.permute(a.reshape(N, M), (1, 0)) + tl.trans(tl.view(a, [N, M]), 1, 0)
    p, q = tl.split(tl.reshape(tl.join(a, b), (M, N, 2)))
    z = tl.zeros([M, N], tl.float32) + tl.full((M, N), 3.0, tl.float32) + tl.zeros_like(a)
    z += tl.broadcast_to(r[:, None], [M, N]).to(tl.float32) + p - q
    s, t = tl.broadcast(r[:, None], c[None, :])
    z += (s + t).to(tl.float32)
    i, j = tl.swizzle2d(s, t, M, N, 4)
    tl.store(y + at, z + i + j)
    w = tl.interleave(tl.ravel(a), tl.ravel(b))
    tl.store(y + 512 + tl.arange(0, 2 * M * N), w)
    tl.store(y + 2048 + tl.arange(0, 2 * M), tl.cat(r, r, can_reorder=True).to(tl.float32))


@case("*fp32 *fp32", since=(3, 8), N=32)
@triton.jit
def shapes_38(x, y, N: tl.constexpr):
    c = tl.arange(0, N)
    a = tl.unsqueeze(tl.load(x + c), 0)
    tl.store(y + c, tl.squeeze(a, 0) + tl.cat(tl.load(x + c).reshape(2, 16), tl.load(x + c).reshape(2, 16), dim=1).reshape(2, 32).sum(0))


@case("*fp32 *i32 *i32", M=4, N=8)
@triton.jit
def sorting(x, y, h, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M), tl.arange(0, N)
    at = r[:, None] * N + c[None, :]
    a, k = tl.load(x + at), tl.load(y + at)
    tl.store(x + 128 + at, tl.sort(a) - tl.flip(a, 1))
    tl.store(y + 128 + at, tl.sort(k, 1, True))
    tl.store(x + 256 + at, tl.gather(a, k & 7, 1))
    tl.store(h + tl.arange(0, 32), tl.histogram(tl.load(y + tl.arange(0, 64)) & 31, 32))


@case("*fp32 *i32 *i32", since=(3, 6), M=4, N=8)
@triton.jit
def sorting_36(x, y, h, M: tl.constexpr, N: tl.constexpr):
    r, c = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + r[:, None] * N + c[None, :])
    k = tl.load(y + tl.arange(0, 64))
    tl.store(x + 128 + r[:, None] * 4 + tl.arange(0, 4)[None, :], tl.topk(a, 4))
    tl.store(h + tl.arange(0, 32), tl.histogram(k & 31, 32, mask=k > 0))
    tl.store(x + 512 + r[:, None] * N + c[None, :], tl.bitonic_merge(a))


@case("*fp32 *i32 i32 i32", B=64)
@triton.jit
def random_numbers(f, i, seed, n, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(f + at, tl.rand(seed, at) + tl.randn(seed, at))
    a, b, c, d = tl.randint4x(seed, at)
    tl.store(i + at, a ^ b ^ c ^ d ^ tl.randint(seed, at + n, n_rounds=6))
