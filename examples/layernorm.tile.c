// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer normalization of each row: (x − mean) / √(variance + eps) · weight + bias. One program per
// row, any number of columns in steps of BLOCK.
//
// The mean is computed first and the variance around it: from the sum of squares alone,
// cancellation would lose the significant digits.

f32[BLOCK] load_row(const f16 *row, i32 first, i32 columns, constexpr i32 BLOCK)
{
    i32 column[BLOCK] = first + range(BLOCK);
    return load(row + column, column < columns, 0);
}

[[grid(cdiv(elements(in), stride)), tune(BLOCK = 256..4096*2, num_warps = 1, 2, 4, 8)]]
[[arguments(rows = 4096, stride = columns, eps = 1e-5, out = f16[rows, stride], in = f16[rows, stride]:random:1,
             weight = f16[columns]:random:2, bias = f16[columns]:random:3)]]
kernel void layernorm(f16 *out, const f16 *in, const f16 *weight, const f16 *bias, i32 stride, i32 columns, f32 eps,
                      constexpr i32 BLOCK = 1024)
{
    const f16 *row = in + program_id(0) * stride;
    f32 total[BLOCK] = 0;
    for (i32 first = 0; first < columns; first += BLOCK)
        total += load_row(row, first, columns, BLOCK);
    f32 mean = sum(total, 0) / columns;

    f32 squares[BLOCK] = 0;
    for (i32 first = 0; first < columns; first += BLOCK) {
        f32 x[BLOCK] = load_row(row, first, columns, BLOCK) - mean;
        squares += where(first + range(BLOCK) < columns, x * x, 0);
    }
    f32 scale = rsqrt(sum(squares, 0) / columns + eps);

    for (i32 first = 0; first < columns; first += BLOCK) {
        i32 column[BLOCK] = first + range(BLOCK);
        f32 x[BLOCK] = (load_row(row, first, columns, BLOCK) - mean) * scale;
        f32 w[BLOCK] = load_row(weight, first, columns, BLOCK), b[BLOCK] = load_row(bias, first, columns, BLOCK);
        store(out + program_id(0) * stride + column, x * w + b, column < columns);
    }
}
