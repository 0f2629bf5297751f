# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reductions, scans and sorts of rows: the examples as a user of Triton would write them (kernels.py).
import triton
import triton.language as tl


@triton.jit
def softmax(out, in_, out_stride, in_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(in_ + row * in_stride + column, inside, -float("inf")).to(tl.float32)
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out + row * out_stride + column, e * (1 / tl.sum(e, 0)), inside)


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
        tl.store(out + tl.program_id(0) * out_stride + column, tl.exp(x - top) * (1 / total), column < columns)


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
        p = tl.exp(tl.load(x + i, i < classes, -float("inf")).to(tl.float32) - top) * (1 / total)
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
