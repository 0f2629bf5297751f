# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels for make.py, continued: control flow, debugging and promises.
import triton
import triton.language as tl

from cases import SOURCE, TTGIR, case


# Control flow -----------------------------------------------------------------------------------------------------------


@triton.jit
def early(x, n):
    if n == 3:
        return x
    if n > 5:
        return x * 2
    return x + n


@triton.jit(noinline=True)
def far(x, p):
    tl.store(p, x)
    return x + 1, x - 1


@case("*i32 *fp32 i32", SOURCE, B=64)
@triton.jit
def control(x, f, n, B: tl.constexpr):
    at = tl.arange(0, B)
    total = tl.load(x)
    if n == 0:
        return
    k = 0
    while k < n:
        if total > 10:
            total -= k
        elif total < -10:
            total += k
        else:
            total = total * 2 + 1
        k += 1
    while (total < 100) and (k > 0):
        total += 7
        k -= 1
    for a in range(0, n):
        for b in range(n, 0, -2):
            total += a * b
    for a in tl.static_range(3):
        total += early(total, n + a)
    p, q = far(total, x + 1)
    acc = tl.zeros([B], tl.float32)
    for a in range(n):
        acc = tl.where(at < a, acc + 1, acc)
        if a % 2 == 0:
            acc *= 0.5
    y = acc if n > 7 else acc + 1
    if total > 0 and n < 9 or n == 11:
        tl.store(f + at, y)
    tl.store(x + 2, p + q)


@triton.jit
def swap(pair):
    return pair[1], pair[0]


@case("*i32 i32 i32", SOURCE, B=4)
@triton.jit
def tuples(x, n, m, B: tl.constexpr):
    pair = (n, m)
    for k in range(0, 3):
        pair = swap((pair[0] + k, pair[1]))
    a, b = pair
    tl.static_assert(B == 4)
    tl.static_print("B", B)
    tl.store(x, a)
    tl.store(x + 1, b)


@getattr(triton, "constexpr_function", triton.jit)  # since 3.4
def power(base, exponent):
    return base**exponent


@case("*i32", since=(3, 5), B=4)
@triton.jit
def constexpr_functions(x, B: tl.constexpr):
    size: tl.constexpr = power(B, 3)
    at = tl.arange(0, size)
    tl.store(x + at, at * power(2, B))


@case("*fp16 *fp32 i32", TTGIR, options={"num_stages": 2}, B=32)
@triton.jit
def loop_options(x, f, n, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    acc = tl.zeros([B, B], tl.float32)
    for k in tl.range(0, n, num_stages=3, disallow_acc_multi_buffer=True):
        h = tl.load(x + k * B * B + at)
        acc = tl.dot(h, h, acc)
    for k in tl.range(0, n, 2, loop_unroll_factor=2):
        acc += tl.load(f + k * B * B + at)
    for k in tl.range(0, n, flatten=True):
        for j in range(0, 2):
            acc += tl.load(f + k * j + at)
    for k in tl.range(0, n, num_stages=1):
        acc *= 1.5
    tl.store(f + at, acc)


@case("*fp16 *fp32 i32", SOURCE, since=(3, 6), B=32)
@triton.jit
def loop_options_36(x, f, n, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    acc = tl.zeros([B, B], tl.float32)
    for k in tl.range(0, n, warp_specialize=True):
        h = tl.load(x + k * B * B + at)
        acc = tl.dot(h, h, acc)
    for k in tl.range(0, n, disable_licm=True):
        acc += tl.load(f + at + 1) * tl.exp(tl.load(f + n))
    tl.store(f + at, acc)


# The rest ---------------------------------------------------------------------------------------------------------------


@case("*i32 *fp32 i32", TTGIR, options={"debug": True}, B=64)
@triton.jit
def debug(x, f, n, B: tl.constexpr):
    at = tl.arange(0, B)
    a = tl.load(x + at)
    tl.device_print("a: ", a, n)
    tl.device_print("in hex", a, hex=True)
    tl.device_print("nothing")
    tl.device_print("x", tl.load(f + at), x)
    tl.device_assert(a < n, "too large")
    tl.device_assert(n > 0)
    tl.debug_barrier()
    tl.store(x + at, a + 1, mask=a > 0)


@case("*fp32 *fp32 i32 i32", TTGIR, B=64)
@triton.jit
def promises(x, y, n, stride, B: tl.constexpr):
    tl.assume(n > 0)
    tl.assume(stride >= 0)
    i = tl.multiple_of(tl.max_contiguous(tl.arange(0, B) + tl.program_id(0) * B, B), 16)
    j = tl.max_constancy(tl.arange(0, B) // 4, 4)
    k = tl.program_id(1) + tl.num_programs(0) * tl.program_id(2) + tl.num_programs(axis=1)
    tl.store(y + i * stride, tl.load(x + i, i < n, 0) + tl.load(x + j) + k)
