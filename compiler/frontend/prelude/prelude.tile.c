// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of Tile C in Tile C; see frontend/prelude.h. Each is a row of docs/tile-c.md.
//
// What a user gets wrong must be said here, by a static_assert, or by a built-in function in words that fit the user's
// call: errors are told there. Names that begin with '_' are this file's own.

// Where x is f16 or bf16, f32; what it is otherwise, integers as f32.
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

// Bitonic: after stage s, runs of 2^s elements are sorted, every other one the other way round; each step compares
// elements that are 2^step apart.
auto sort(auto x, constexpr bool descending = false)
{
    static_assert(rank(x) > 0, "sort needs a tile");
    constexpr i32 COUNT = size(x), N = size(x, -1);
    auto flat = ravel(x);
    i32 at[COUNT] = range(COUNT) % N;
    for (constexpr i32 run = 2; run <= N; run *= 2) {
        bool falls[COUNT] = ((at & run) != 0) ^ descending;
        if constexpr (run == N)
            falls = descending;
        for (constexpr i32 apart = run / 2; apart > 0; apart /= 2) {
            auto pairs = reshape(_bits(flat), COUNT / 2 / apart, 2, apart);
            auto other = _bits_as(ravel(xor_sum(pairs, 1, .keep_dims = true) ^ pairs), flat);
            bool is_second[COUNT] = (at & apart) != 0;
            bool swaps[COUNT] = where(is_second, other > flat, flat > other) ^ falls;
            // Equal elements, and what compares with nothing (NaN), stay where they are on both sides.
            bool differs[COUNT] = (flat > other) | (other > flat);
            flat = where(swaps & differs, other, flat);
        }
    }
    return reshape_like(flat, x);
}

auto topk(auto x, constexpr i32 k)
{
    static_assert(rank(x) > 0, "topk needs a tile");
    static_assert(k > 0 && k <= size(x, -1), "topk: k is between 1 and the size of the last dimension");
    static_assert((k & (k - 1)) == 0, "topk: k is a power of two");
    constexpr i32 N = size(x, -1), ROWS = size(x) / N;
    auto rows = reshape(sort(x, .descending = true), ROWS, N);
    auto best = gather(rows, broadcast(range(k)[None, :], ROWS, k), 1);
    return _with_last_of(best, x);
}

// The block (i, j) of a grid of blocks, numbered so that `group` rows are done before the next ones begin.
void swizzle2d(auto i, auto j, auto rows, auto columns, auto group, auto *out_i, auto *out_j)
{
    auto number = i * columns + j;
    auto first = number / (group * columns) * group;
    auto height = minimum(rows - first, group);
    auto inside = number % (group * columns);
    *out_i = first + inside % height;
    *out_j = inside / height;
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
