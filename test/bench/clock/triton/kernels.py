"""Tile programs for build.py, written for this set from descriptions of the measured kernels; no code is copied.

Note that they only approximate the measured kernels. Tiles, warps and grids are the published ones if known.
"""
import triton
import triton.language as tl


@triton.jit
def tile_of(program, rows, columns, BAND: tl.constexpr, XCDS: tl.constexpr):
    """Row and column of a program's tile. Programs go round the XCDs one by one: give each XCD neighbouring tiles; walk them in bands of BAND rows."""
    count = rows * columns
    each = count // XCDS
    # What does not divide evenly keeps its place at the end.
    tile = tl.where(program < each * XCDS, program % XCDS * each + program // XCDS, program)
    first = tile // (BAND * columns) * BAND
    height = min(rows - first, BAND)
    inside = tile % (BAND * columns)
    return first + inside % height, inside // height


@triton.jit
def gemm(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr, XCDS: tl.constexpr, EVEN_K: tl.constexpr):
    """c = a·b, all row-major, each below 2 GB; sums in f32."""
    row, column = tile_of(tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN), BAND, XCDS)
    rows, columns, depth = row * BM + tl.arange(0, BM), column * BN + tl.arange(0, BN), tl.arange(0, BK)
    # Rows and columns beyond the edge read others' data; they are not stored.
    a_at = a + (rows % m)[:, None] * k + depth[None, :]
    b_at = b + depth[:, None] * n + (columns % n)[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for done in range(0, k, BK):
        if EVEN_K:
            x, y = tl.load(a_at), tl.load(b_at)
        else:
            x = tl.load(a_at, mask=depth[None, :] < k - done, other=0.0)
            y = tl.load(b_at, mask=depth[:, None] < k - done, other=0.0)
        sums = tl.dot(x, y, sums)
        a_at += BK
        b_at += BK * n
    at = c + rows[:, None] * n + columns[None, :]
    tl.store(at, sums.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def rms_norm(x, y, weight, scale, rows, columns, eps, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    """y = weight · x / rms(x) by rows, 1 / rms to scale; each of PROGRAMS programs takes every PROGRAMS-th row whole."""
    at = tl.arange(0, BLOCK)
    inside = at < columns
    w = tl.load(weight + at, mask=inside, other=0.0).to(tl.float32)
    for row in tl.range(tl.program_id(0), rows, PROGRAMS, num_stages=2):
        value = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
        factor = tl.rsqrt(tl.sum(value * value, axis=0) / columns + eps)
        tl.store(scale + row, factor)
        tl.store(y + row * columns + at, (value * factor * w).to(y.dtype.element_ty), mask=inside)


@triton.jit
def rope(x, turns, tokens, HEADS: tl.constexpr, DIM: tl.constexpr, BM: tl.constexpr):
    """Turns the pairs (2i, 2i + 1) of x[token, head, :] back by turns[token, i] = (cos, sin), in place. A program: BM tokens of a head.

    The tile is loaded whole and its pairs are swapped by a flip; each element loads its pair's cosine and sine."""
    token, at = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, DIM)
    inside = (token < tokens)[:, None]
    place = x + (token[:, None] * HEADS + tl.program_id(1)) * DIM + at[None, :]
    value = tl.load(place, mask=inside, other=0.0).to(tl.float32)
    pair = turns + token[:, None] * DIM + (at // 2 * 2)[None, :]
    cos, sin = tl.load(pair, mask=inside, other=0.0), tl.load(pair + 1, mask=inside, other=0.0)
    swapped = tl.reshape(tl.flip(tl.reshape(value, (BM, DIM // 2, 2)), 2), (BM, DIM))
    turned = value * cos + tl.where((at % 2 == 0)[None, :], swapped, -swapped) * sin
    tl.store(place, turned.to(x.dtype.element_ty), mask=inside)


@triton.jit
def attend(q, peak, total, out, first, last, rows, k_at, v_at, DIM: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr):
    """Takes the keys first … last - 1 into the running softmax of a tile of queries."""
    for start in range(first, last, BN):
        key = tl.load(k_at + start * DIM)
        score = tl.dot(q, key)
        if MASKED:
            score = tl.where(rows[:, None] >= start + tl.arange(0, BN)[None, :], score, float("-inf"))
        higher = tl.maximum(peak, tl.max(score, axis=1))
        weight = tl.exp2(score - higher[:, None])
        fade = tl.exp2(peak - higher)
        total = total * fade + tl.sum(weight, axis=1)
        out = tl.dot(weight.to(q.dtype), tl.load(v_at + start * DIM), out * fade[:, None])
        peak = higher
    return peak, total, out


@triton.jit
def attention(q, k, v, o, scale, length, DIM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Causal attention forward over [batch·head, length, DIM]; length is a multiple of BM, and BM of BN. scale holds log2(e), too."""
    block, base = tl.program_id(0), tl.program_id(1).to(tl.int64) * length * DIM
    rows, dim = block * BM + tl.arange(0, BM), tl.arange(0, DIM)
    query = tl.load(q + base + rows[:, None] * DIM + dim[None, :])
    query = (query.to(tl.float32) * scale).to(q.dtype.element_ty)
    k_at = k + base + dim[:, None] + tl.arange(0, BN)[None, :] * DIM
    v_at = v + base + tl.arange(0, BN)[:, None] * DIM + dim[None, :]
    peak, total = tl.full((BM,), float("-inf"), tl.float32), tl.zeros((BM,), tl.float32)
    out = tl.zeros((BM, DIM), tl.float32)
    peak, total, out = attend(query, peak, total, out, 0, block * BM, rows, k_at, v_at, DIM, BN, False)
    peak, total, out = attend(query, peak, total, out, block * BM, block * BM + BM, rows, k_at, v_at, DIM, BN, True)
    tl.store(o + base + rows[:, None] * DIM + dim[None, :], (out / total[:, None]).to(o.dtype.element_ty))
