// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums of each row: out[c] = in[0] + … + in[c], in f32. One program per row of any length;
// each tile's sum is carried to the next tile.

[[grid(elements(in) / columns), tune(BLOCK = 256..4096*2, num_warps = 1, 2, 4, 8)]]
[[arguments(rows = 1024, out = f32[rows, columns], in = f32[rows, columns]:random:1)]]
kernel void row_cumsum(f32 *out, const f32 *in, i32 columns, constexpr i32 BLOCK = 1024)
{
    i64 row = (i64)program_id(0) * columns;
    f32 before = 0;
    for (i32 first = 0; first < columns; first += BLOCK) {
        i32 column[BLOCK] = first + range(BLOCK);
        f32 x[BLOCK] = load(in + row + column, column < columns, 0);
        store(out + row + column, before + cumsum(x, 0), column < columns);
        before += sum(x, 0);
    }
}

// Running sums of one long row by many programs in three launches: the sum of each block of BLOCK,
// the running sums of these (row_cumsum), and the rest.
[[grid(cdiv(count, BLOCK)), tune(num_warps = 1, 2, 4, 8)]]
[[arguments(sums = f32[cdiv(count, BLOCK)], in = f32[count]:random:1)]]
kernel void block_sums(f32 *sums, const f32 *in, i32 count, constexpr i32 BLOCK = 1024)
{
    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);
    store(sums + program_id(0), sum(load(in + i, i < count, 0), 0));
}

[[grid(cdiv(count, BLOCK)), tune(num_warps = 1, 2, 4, 8)]]
[[arguments(out = f32[count], in = f32[count]:random:1, sums = f32[cdiv(count, BLOCK)]:random:2)]]
kernel void block_cumsum(f32 *out, const f32 *in, const f32 *sums, i32 count, constexpr i32 BLOCK = 1024)
{
    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);
    f32 before = program_id(0) > 0 ? sums[program_id(0) - 1] : 0;
    store(out + i, before + cumsum(load(in + i, i < count, 0), 0), i < count);
}
