// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RMS normalization of each row, after adding a residual connection: sum = in + residual, out = sum
// / √(mean(sum²) + eps) · weight. The sum is also stored, for the next layer. One program per row,
// which fits in a tile of BLOCK elements.

[[grid(elements(in) / columns)]]
[[arguments(rows = 4096, eps = 1e-5, out = f16[rows, columns], residual = f16[rows, columns]:random:1, in = f16[rows, columns]:random:2,
             weight = f16[columns]:random:3)]]
[[tune(BLOCK = 256..16384*2, num_warps = 1, 2, 4, 8), where(BLOCK >= columns)]]
kernel void rms_norm(f16 *out, f16 *residual, const f16 *in, const f16 *weight, i32 columns, f32 eps, constexpr i32 BLOCK = 1024)
{
    i32 column[BLOCK] = range(BLOCK);
    bool inside[BLOCK] = column < columns;
    i64 row = (i64)program_id(0) * columns;
    f32 x[BLOCK] = (f32)load(in + row + column, inside, 0) + load(residual + row + column, inside, 0);
    store(residual + row + column, x, inside);
    f32 scale = rsqrt(sum(x * x, 0) / columns + eps);
    store(out + row + column, x * scale * load(weight + column, inside, 0), inside);
}
