// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The K largest of each row, largest first, and where they were; and each row sorted. A row fits in a tile of BLOCK elements, one program a row.
//
// Sorting pairs: a value and its column make one number of 64 bits whose order is the values' order, so that one sort moves both.

// The bits of a float, in an order like the float's own: negative ones are turned over.
auto ordered(auto x)
{
    auto bits = bitcast(u32, x);
    return where(bits >> 31 != 0, ~bits, bits | 0x80000000u);
}

auto unordered(auto bits)
{
    return bitcast(f32, where(bits >> 31 != 0, bits & 0x7FFFFFFFu, ~bits));
}

kernel void row_topk(f32 *values, i32 *columns_of, const f32 *in, i32 columns, constexpr i32 K = 8, constexpr i32 BLOCK = 1024)
{
    i32 row = program_id(0), column[BLOCK] = range(BLOCK);
    f32 x[BLOCK] = load(in + row * columns + column, column < columns, -INFINITY);
    u64 pairs[BLOCK] = (u64)ordered(x) << 32 | (u64)(u32)(BLOCK - 1 - column); // of equal values the first column is largest
    u64 best[K] = topk(pairs, K);
    store(values + row * K + range(K), unordered((u32)(best >> 32)));
    store(columns_of + row * K + range(K), BLOCK - 1 - (i32)(u32)best);
}

kernel void row_sort(f32 *out, const f32 *in, i32 columns, constexpr i32 BLOCK = 1024)
{
    i32 row = program_id(0), column[BLOCK] = range(BLOCK);
    f32 x[BLOCK] = load(in + row * columns + column, column < columns, INFINITY);
    store(out + row * columns + column, sort(x), column < columns);
}
