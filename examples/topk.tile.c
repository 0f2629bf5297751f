// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The K largest elements of each row in descending order with their columns; and each row sorted. A
// row fits in a tile of BLOCK elements, one program per row.
//
// Pairs are sorted: a value and its column form one 64-bit integer whose order is the values'
// order, so that one sort moves both.

// The bits of a float as an integer with the same order: the bits of negative floats are inverted.
auto ordered(auto x)
{
    auto bits = bitcast(u32, x);
    return where(bits >> 31 != 0, ~bits, bits | 0x80000000u);
}

auto unordered(auto bits)
{
    return bitcast(f32, where(bits >> 31 != 0, bits & 0x7FFFFFFFu, ~bits));
}

[[grid(elements(in) / columns)]]
[[arguments(rows = 1024, values = f32[rows, K], columns_of = i32[rows, K], in = f32[rows, columns]:random:1)]]
[[tune(BLOCK = 256..8192*2, num_warps = 1, 2, 4, 8), where(BLOCK >= columns)]]
kernel void row_topk(f32 *values, i32 *columns_of, const f32 *in, i32 columns, constexpr i32 K = 8, constexpr i32 BLOCK = 1024)
{
    i32 row = program_id(0), column[BLOCK] = range(BLOCK);
    f32 x[BLOCK] = load(in + row * columns + column, column < columns, -INFINITY);
    u64 pairs[BLOCK] = (u64)ordered(x) << 32 | (u64)(u32)(BLOCK - 1 - column); // of equal values, the first column ranks highest
    u64 best[K] = topk(pairs, K);
    store(values + row * K + range(K), unordered((u32)(best >> 32)));
    store(columns_of + row * K + range(K), BLOCK - 1 - (i32)(u32)best);
}

[[grid(elements(in) / columns)]]
[[arguments(rows = 1024, out = f32[rows, columns], in = f32[rows, columns]:random:1)]]
[[tune(BLOCK = 256..8192*2, num_warps = 1, 2, 4, 8), where(BLOCK >= columns)]]
kernel void row_sort(f32 *out, const f32 *in, i32 columns, constexpr i32 BLOCK = 1024)
{
    i32 row = program_id(0), column[BLOCK] = range(BLOCK);
    f32 x[BLOCK] = load(in + row * columns + column, column < columns, INFINITY);
    store(out + row * columns + column, sort(x), column < columns);
}
