// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax of rows of any length, one program per row, read twice: one pass computes both the
// maximum and the sum. When the maximum grows, the sum so far is scaled by exp(old − new): the step
// that attention is built on.

[[grid(cdiv(elements(in), in_stride)), tune(BLOCK = 256..4096*2, num_warps = 1, 2, 4, 8)]]
[[arguments(rows = 4096, out_stride = columns, in_stride = columns, out = f16[rows, out_stride], in = f16[rows, in_stride]:random:1)]]
kernel void online_softmax(f16 *out, const f16 *in, i32 out_stride, i32 in_stride, i32 columns,
                           constexpr i32 BLOCK = 1024)
{
    const f16 *row = in + program_id(0) * in_stride;
    f32 top = -INFINITY, total = 0;
    for (i32 first = 0; first < columns; first += BLOCK) {
        i32 column[BLOCK] = first + range(BLOCK);
        f32 x[BLOCK] = load(row + column, column < columns, -INFINITY);
        f32 higher = maximum(top, max(x, 0));
        total = total * exp(top - higher) + sum(exp(x - higher), 0);
        top = higher;
    }
    for (i32 first = 0; first < columns; first += BLOCK) {
        i32 column[BLOCK] = first + range(BLOCK);
        f32 x[BLOCK] = load(row + column, column < columns, -INFINITY);
        store(out + program_id(0) * out_stride + column, exp(x - top) * (1 / total), column < columns);
    }
}
