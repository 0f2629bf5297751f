"""Tile programs for build.py, written for this set from the measured kernels' computations, with their passes and blocks; no code is copied.

Note that they only approximate the measured kernels. Blocks, grids and passes are the same; rows are contiguous.
"""
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr):
    """out = x + y."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside, other=0.0) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def copy_half(x, out, count, BLOCK: tl.constexpr):
    """The first half of x to out; the rest of out gets zeros."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < count // 2, other=0.0), mask=at < count)


@triton.jit
def largest(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """The largest of each row of a block that one program loads whole."""
    row, column = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tl.store(out + row, tl.max(tl.load(x + row[:, None] * COLUMNS + column[None, :]), axis=1))


@triton.jit
def random(out, count, seed, BLOCK: tl.constexpr, WHOLE: tl.constexpr):
    """A random number for each place: uniform in f32, or WHOLE in i32."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.randint(seed, at) if WHOLE else tl.rand(seed, at), mask=at < count)


@triton.jit
def softmax_two(x, y, columns, BLOCK: tl.constexpr):
    """Row by row in two passes: the first keeps the largest and the sum scaled to it, the second reads the row again."""
    row, at = tl.program_id(0) * columns, tl.arange(0, BLOCK)
    top, total = -float("inf"), 0.0
    for first in tl.range(0, columns, BLOCK):
        value = tl.load(x + row + first + at, mask=first + at < columns, other=-float("inf"), cache_modifier=".cg").to(tl.float32)
        higher = tl.maximum(top, tl.max(value, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(value - higher))
        top = higher
    for first in tl.range(0, columns, BLOCK):
        value = tl.load(x + row + first + at, mask=first + at < columns, other=-float("inf"), cache_modifier=".cg").to(tl.float32)
        tl.store(y + row + first + at, (tl.exp(value - top) / total).to(y.dtype.element_ty), mask=first + at < columns)


@triton.jit
def softmax_three(x, y, columns, BLOCK: tl.constexpr):
    """Row by row in three passes over short blocks: the largest, the sum, the quotients."""
    row, at = tl.program_id(0) * columns, tl.arange(0, BLOCK)
    top, total = -float("inf"), 0.0
    for first in range(0, columns, BLOCK):
        value = tl.load(x + row + first + at, mask=first + at < columns, other=-float("inf"))
        top = tl.maximum(top, tl.max(value.to(tl.float32), axis=0))
    for first in range(0, columns, BLOCK):
        value = tl.load(x + row + first + at, mask=first + at < columns, other=-float("inf"))
        total += tl.sum(tl.exp(value.to(tl.float32) - top), axis=0)
    for first in range(0, columns, BLOCK):
        value = tl.load(x + row + first + at, mask=first + at < columns)
        tl.store(y + row + first + at, (tl.exp(value.to(tl.float32) - top) / total).to(y.dtype.element_ty), mask=first + at < columns)


@triton.jit
def layer_norm(x, y, weight, bias, mean, scale, columns, eps, BLOCK: tl.constexpr):
    """Row by row in three passes: mean, variance, result. All blocks but the last of a row are whole and have no mask."""
    row, at = tl.program_id(0) * columns, tl.arange(0, BLOCK)
    whole = (tl.cdiv(columns, BLOCK) - 1) * BLOCK
    inside = whole + at < columns
    sums = tl.zeros([BLOCK], tl.float32)
    for first in range(0, whole, BLOCK):
        sums += tl.load(x + row + first + at).to(tl.float32)
    sums += tl.load(x + row + whole + at, mask=inside, other=0.0).to(tl.float32)
    middle = tl.sum(sums, axis=0) / columns
    squares = tl.zeros([BLOCK], tl.float32)
    for first in range(0, whole, BLOCK):
        off = tl.load(x + row + first + at).to(tl.float32) - middle
        squares += off * off
    off = tl.where(inside, tl.load(x + row + whole + at, mask=inside, other=0.0).to(tl.float32) - middle, 0.0)
    squares += off * off
    factor = tl.rsqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(mean + tl.program_id(0), middle)
    tl.store(scale + tl.program_id(0), factor)
    for first in range(0, whole, BLOCK):
        off = tl.load(x + row + first + at).to(tl.float32) - middle
        result = off * factor * tl.load(weight + first + at) + tl.load(bias + first + at)
        tl.store(y + row + first + at, result.to(y.dtype.element_ty))
    off = tl.load(x + row + whole + at, mask=inside, other=0.0).to(tl.float32) - middle
    result = off * factor * tl.load(weight + whole + at, mask=inside, other=0.0) + tl.load(bias + whole + at, mask=inside, other=0.0)
    tl.store(y + row + whole + at, result.to(y.dtype.element_ty), mask=inside)


@triton.jit
def rms_norm(x, y, weight, scale, rows, columns, eps, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    """Each of PROGRAMS programs takes every PROGRAMS-th row, which fits into one block, and loads the weights for each."""
    at = tl.arange(0, BLOCK)
    inside = at < columns
    for row in tl.range(tl.program_id(0), rows, PROGRAMS, num_stages=2):
        value = tl.load(x + row * columns + at, mask=inside, other=0.0, cache_modifier=".cg").to(tl.float32)
        w = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
        factor = tl.rsqrt(tl.sum(value * value, axis=0) / columns + eps)
        tl.store(scale + row, factor)
        tl.store(y + row * columns + at, (value * factor * w).to(y.dtype.element_ty), mask=inside)


@triton.jit
def rms_norm_long(x, y, weight, scale, rows, columns, eps, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    """The same of rows longer than a block, read twice: whole blocks without a mask, loaded one ahead, and the rest."""
    at = tl.arange(0, BLOCK)
    pieces = tl.cdiv(columns, BLOCK) - 1
    rest = pieces * BLOCK + at
    inside = rest < columns
    for row in tl.range(tl.program_id(0), rows, PROGRAMS, num_stages=1):
        squares = 0.0
        for piece in tl.range(0, pieces, num_stages=2):
            value = tl.load(x + row * columns + piece * BLOCK + at).to(tl.float32)
            squares += tl.sum(value * value, axis=0)
        value = tl.load(x + row * columns + rest, mask=inside, other=0.0, cache_modifier=".cg").to(tl.float32)
        factor = tl.rsqrt((squares + tl.sum(value * value, axis=0)) / columns + eps)
        tl.store(scale + row, factor)
        for piece in tl.range(0, pieces, num_stages=2):
            value = tl.load(x + row * columns + piece * BLOCK + at).to(tl.float32)
            w = tl.load(weight + piece * BLOCK + at).to(tl.float32)
            tl.store(y + row * columns + piece * BLOCK + at, (value * factor * w).to(y.dtype.element_ty))
        value = tl.load(x + row * columns + rest, mask=inside, other=0.0, cache_modifier=".cg").to(tl.float32)
        w = tl.load(weight + rest, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + row * columns + rest, (value * factor * w).to(y.dtype.element_ty), mask=inside)
