// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of Tile C in Tile C; see frontend/lex/prelude.h. Each is a row of docs/tile-c.md.
//
// Errors in a call must be reported here, by a static_assert, or by a built-in function in terms of
// the user's call, where they are shown. Names that begin with '_' are private to this file.

// x as f32 if it is f16, bf16 or an integer; else x.
auto _wide(auto x) { return x * 1.0f; }

auto sigmoid(auto x)
{
    auto wide = _wide(x);
    return _cast_like(1 / (1 + exp(-wide)), x + 0.0);
}

auto softmax(auto x, constexpr i32 axis = -1)
{
    static_assert(rank(x) > 0, "softmax needs a tile");
    auto e = exp(_wide(x) - _wide(max(x, axis, .keep_dims = true)));
    return _cast_like(e / sum(e, axis, .keep_dims = true), x + 0.0);
}

auto flip(auto x, constexpr i32 axis = -1)
{
    static_assert(rank(x) > 0, "flip needs a tile");
    return gather(x, size(x, axis) - 1 - indices(x, axis), axis);
}

// Maps floats to unsigned integers in the same order, where equal elements have equal bits: −0
// comes before 0, NaNs are beyond the infinities. Bools become u8; integers are unchanged.
auto _ordered(auto x)
{
    if constexpr (_is_float(x)) {
        auto bits = _bits(x), top = _cast_like(1ul << (_width(x) - 1), bits);
        return _cast_like(where((bits & top) != 0, ~bits, bits | top), bits);
    } else if constexpr (_width(x) == 1) {
        return (u8)x;
    } else {
        return x;
    }
}

auto _unordered(auto x, auto like)
{
    if constexpr (_is_float(like)) {
        auto top = _cast_like(1ul << (_width(like) - 1), x);
        return _bits_as(where((x & top) != 0, x ^ top, ~x), like);
    } else if constexpr (_width(like) == 1) {
        return x != 0;
    } else {
        return x;
    }
}

// Bitonic merge: runs that rise and then fall, or vice versa, become runs that rise, or that fall
// if `falls`. Each step compares elements at a distance of `apart`.
auto _merge(auto flat, constexpr i32 run, auto falls)
{
    constexpr i32 COUNT = size(flat);
    for (constexpr i32 apart = run / 2; apart > 0; apart /= 2) {
        auto pairs = reshape(_bits(flat), COUNT / 2 / apart, 2, apart);
        auto other = _bits_as(ravel(xor_sum(pairs, 1, .keep_dims = true) ^ pairs), flat);
        bool is_second[COUNT] = (range(COUNT) & apart) != 0;
        flat = where((flat > other) != (falls ^ is_second), other, flat);
    }
    return flat;
}

// Runs of `run` elements, alternately rising and falling; the run of all n falls if `descending`.
auto _sorted_runs(auto flat, constexpr i32 run, constexpr i32 n, constexpr bool descending)
{
    for (constexpr i32 r = 2; r <= run; r *= 2) {
        if constexpr (r == n)
            flat = _merge(flat, r, descending);
        else
            flat = _merge(flat, r, (range(size(flat)) & r) != 0);
    }
    return flat;
}

auto _sort_last(auto x, constexpr bool descending)
{
    constexpr i32 N = size(x, -1);
    return _unordered(reshape_like(_sorted_runs(ravel(_ordered(x)), N, N, descending), x), x);
}

auto sort(auto x, constexpr i32 axis = -1, constexpr bool descending = false)
{
    static_assert(rank(x) > 0, "sort needs a tile");
    return _exchange_last(_sort_last(_exchange_last(x, axis), descending), axis);
}

// The k largest elements, largest first, of rows of n elements in sorted runs of k. The elementwise
// maximum of a rising and a falling run is the larger half of both, and bitonic again.
auto _largest(auto flat, constexpr i32 n, constexpr i32 k)
{
    if constexpr (n == k) {
        return flat;
    } else {
        constexpr i32 LEFT = size(flat) / 2;
        auto best = _cast_like(ravel(max(reshape(flat, LEFT / k, 2, k), 1)), flat);
        if constexpr (n / 2 == k)
            return _merge(best, k, true);
        else
            return _largest(_merge(best, k, (range(LEFT) & k) != 0), n / 2, k);
    }
}

auto topk(auto x, constexpr i32 k, constexpr i32 axis = -1)
{
    static_assert(rank(x) > 0, "topk needs a tile");
    static_assert(k > 0 && k <= size(x, axis), "topk: k must be between 1 and the size of the dimension");
    static_assert((k & (k - 1)) == 0, "topk: k must be a power of two");
    return _exchange_last(_topk_last(_exchange_last(x, axis), k), axis);
}

auto _topk_last(auto x, constexpr i32 k)
{
    constexpr i32 N = size(x, -1), ROWS = size(x) / N;
    auto best = _largest(_sorted_runs(ravel(_ordered(x)), k, N, true), N, k);
    return _unordered(_with_last_of(reshape(best, ROWS, k), x), x);
}

// Block (i, j) of a grid, numbered such that `group` rows are finished before the next ones begin.
void swizzle2d(auto i, auto j, auto rows, auto columns, auto group, auto *out_i, auto *out_j)
{
    auto number = i * columns + j;
    auto first = number / (group * columns) * group;
    auto height = minimum(rows - first, group);
    auto inside = number % (group * columns);
    *out_i = first + inside % height;
    *out_j = inside / height;
}

// Program `program` of `count`, numbered such that the programs of one XCD have numbers side by
// side; the machine distributes programs over the XCDs in turn.
auto xcd_order(auto program, auto count, auto xcds)
{
    auto each = count / xcds, rest = count % xcds, xcd = program % xcds;
    return xcd * each + minimum(xcd, rest) + program / xcds;
}

// Unsigned operands of a dot become signed ones: a = (a − 128) + 128.
auto _signed(auto x) { return (i8)((i32)x - 128); }
auto _dot_us(auto a, auto b, auto total)
{
    return dot(_signed(a), b, total + 128 * sum((i32)b, -2, .keep_dims = true));
}
auto _dot_su(auto a, auto b, auto total)
{
    return dot(a, _signed(b), total + 128 * sum((i32)a, -1, .keep_dims = true));
}
auto _dot_uu(auto a, auto b, auto total)
{
    return _dot_us(a, _signed(b), total + 128 * sum((i32)a, -1, .keep_dims = true));
}

// C's functions with two results -----------------------------------------------------------------------------------

void sincos(auto x, auto *sine, auto *cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}

auto modf(auto x, auto *whole)
{
    auto part = trunc(x + 0.0);
    *whole = part;
    return copysign(where(isinf(x), _cast_like(0, part), x - part), x);
}

auto frexp(auto x, auto *exponent)
{
    auto y = x + 0.0;
    auto e = where((y == 0) | !isfinite(y), 0, ilogb(y) + 1);
    *exponent = e;
    // In two steps, as 2^-e may be out of range.
    return ldexp(ldexp(y, -(e / 2)), e / 2 - e);
}

// Random numbers: Philox 4x32-10; same results as Triton's tl.rand for equal seed and offset ------

void _philox(auto *c0, auto *c1, auto *c2, auto *c3, u32 key0, u32 key1, constexpr i32 rounds)
{
    for (constexpr i32 i = 0; i < rounds; i++) {
        auto old0 = *c0, old2 = *c2;
        *c0 = umulhi(0xCD9E8D57u, old2) ^ *c1 ^ key0;
        *c2 = umulhi(0xD2511F53u, old0) ^ *c3 ^ key1;
        *c1 = 0xCD9E8D57u * old2;
        *c3 = 0xD2511F53u * old0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
}

void randint4x(auto seed, auto offset, auto *a, auto *b, auto *c, auto *d, constexpr i32 rounds = 10)
{
    static_assert(!_is_float(seed) && !_is_float(offset), "random numbers need an integer seed and integer offsets");
    static_assert(rank(seed) == 0, "the seed of random numbers must be a scalar; offsets differ between elements");
    auto c0 = (u32)offset, c1 = zeros_like(c0), c2 = c1, c3 = c1;
    if constexpr (_width(offset) > 32)
        c1 = (u32)((u64)offset >> 32);
    u64 key = seed;
    _philox(&c0, &c1, &c2, &c3, (u32)key, (u32)(key >> 32), rounds);
    *a = c0;
    *b = c1;
    *c = c2;
    *d = c3;
}

auto randint(auto seed, auto offset, constexpr i32 rounds = 10)
{
    auto a = (u32)offset, b = a, c = a, d = a;
    randint4x(seed, offset, &a, &b, &c, &d, rounds);
    return a;
}

// In [0, 1): the largest results are below 1, as 2^31 · scale rounds to 1 − 2^-24.
auto _uniform(auto bits)
{
    auto x = bitcast(i32, bits);
    return where(x < 0, -x - 1, x) * 4.6566127342e-10f;
}

auto rand(auto seed, auto offset, constexpr i32 rounds = 10) { return _uniform(randint(seed, offset, rounds)); }

void rand4x(auto seed, auto offset, auto *a, auto *b, auto *c, auto *d, constexpr i32 rounds = 10)
{
    auto p = (u32)offset, q = p, r = p, s = p;
    randint4x(seed, offset, &p, &q, &r, &s, rounds);
    *a = _uniform(p);
    *b = _uniform(q);
    *c = _uniform(r);
    *d = _uniform(s);
}

// The two results of the Box-Muller transform
void _normal(auto u, auto v, auto *a, auto *b)
{
    auto radius = sqrt(-2.0f * log(maximum(1.0e-7f, u))), angle = 6.283185307179586f * v;
    *a = radius * cos(angle);
    *b = radius * sin(angle);
}

void randn4x(auto seed, auto offset, auto *a, auto *b, auto *c, auto *d, constexpr i32 rounds = 10)
{
    auto p = _cast_like(offset, 0.0f), q = p, r = p, s = p;
    rand4x(seed, offset, &p, &q, &r, &s, rounds);
    _normal(p, q, a, b);
    _normal(r, s, c, d);
}

auto randn(auto seed, auto offset, constexpr i32 rounds = 10)
{
    auto p = (u32)offset, q = p, r = p, s = p;
    randint4x(seed, offset, &p, &q, &r, &s, rounds);
    auto first = _uniform(p), second = first;
    _normal(_uniform(p), _uniform(q), &first, &second);
    return first;
}
