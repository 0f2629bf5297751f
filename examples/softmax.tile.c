// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax of each row, one program per row; a row fits in one tile of BLOCK elements. Launch on as
// many programs as rows.

[[grid(cdiv(elements(in), in_stride))]]
[[arguments(rows = 4096, out_stride = columns, in_stride = columns, out = f16[rows, out_stride], in = f16[rows, in_stride]:random:1)]]
[[tune(BLOCK = 256..16384*2, num_warps = 1, 2, 4, 8), where(BLOCK >= columns)]]
kernel void softmax(f16 *out, const f16 *in, i32 out_stride, i32 in_stride, i32 columns, constexpr i32 BLOCK = 1024)
{
    i32 row = program_id(0);
    i32 column[BLOCK] = range(BLOCK);
    bool inside[BLOCK] = column < columns;

    f32 x[BLOCK] = load(in + row * in_stride + column, inside, -INFINITY);
    f32 e[BLOCK] = exp(x - max(x, 0));
    store(out + row * out_stride + column, e * (1 / sum(e, 0)), inside);
}
