// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mean and variance of each row in one pass, by the methods of Welford and Chan: each part of the
// row is a count, a mean and the sum of squared deviations from it, and two parts combine to one.
// One program per row, in steps of BLOCK.

// Combines two parts. Empty ones change nothing.
void join_pieces(f32 *count, f32 *mean, f32 *squares, f32 other_count, f32 other_mean, f32 other_squares)
{
    f32 all = *count + other_count, distance = other_mean - *mean;
    f32 share = all > 0 ? other_count / all : 0;
    *squares += other_squares + distance * distance * *count * share;
    *mean += distance * share;
    *count = all;
}

[[grid(elements(means)), tune(BLOCK = 256..4096*2, num_warps = 1, 2, 4, 8)]]
[[arguments(rows = 4096, means = f32[rows], variances = f32[rows], in = f16[rows, columns]:random:1)]]
kernel void welford(f32 *means, f32 *variances, const f16 *in, i32 columns, constexpr i32 BLOCK = 1024)
{
    i64 row = (i64)program_id(0) * columns;
    f32 count[BLOCK] = 0, mean[BLOCK] = 0, squares[BLOCK] = 0;
    for (i32 first = 0; first < columns; first += BLOCK) { // each element of the tile accumulates its own part
        i32 column[BLOCK] = first + range(BLOCK);
        f32 one[BLOCK] = column < columns;
        f32 distance[BLOCK] = (f32)load(in + row + column, column < columns, 0) - mean;
        f32 all[BLOCK] = count + one;
        f32 step[BLOCK] = where(column < columns, distance / all, 0);
        mean += step;
        squares += distance * step * count;
        count = all;
    }
    f32 n, m, s;
    reduce(count, mean, squares, 0, join_pieces, &n, &m, &s);
    store(means + program_id(0), m);
    store(variances + program_id(0), s / n);
}
