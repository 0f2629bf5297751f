// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layer normalization for training. `layernorm_train` is layernorm.tile.c plus storing each row's
// mean and 1/√(variance + eps). `layernorm_backward` computes the gradient of the input from that
// of the output, one program per row, and adds the row's part of the weight's and the bias's
// gradient to one of `parts` rows of f32; `layernorm_reduce` sums these. A row fits in one tile of
// BLOCK elements.
//
// With x' = (x − mean) · scale and g = dy · weight:  dx = (g − mean(g) − x' · mean(g · x')) ·
// scale.

[[grid(elements(means))]]
[[arguments(rows = 4096, eps = 1e-5, out = f16[rows, columns], means = f32[rows], scales = f32[rows], in = f16[rows, columns]:random:1,
             weight = f16[columns]:random:2, bias = f16[columns]:random:3)]]
[[tune(BLOCK = 256..16384*2, num_warps = 1, 2, 4, 8), where(BLOCK >= columns)]]
kernel void layernorm_train(f16 *out, f32 *means, f32 *scales, const f16 *in, const f16 *weight, const f16 *bias,
                            i32 columns, f32 eps, constexpr i32 BLOCK = 1024)
{
    i32 row = program_id(0), column[BLOCK] = range(BLOCK);
    bool inside[BLOCK] = column < columns;
    f32 x[BLOCK] = load(in + row * columns + column, inside, 0);
    f32 mean = sum(x, 0) / columns;
    f32 centred[BLOCK] = where(inside, x - mean, 0);
    f32 scale = rsqrt(sum(centred * centred, 0) / columns + eps);
    f32 w[BLOCK] = load(weight + column, inside, 0), b[BLOCK] = load(bias + column, inside, 0);
    store(out + row * columns + column, centred * scale * w + b, inside);
    store(means + row, mean);
    store(scales + row, scale);
}

[[grid(elements(means))]]
[[arguments(rows = 4096, parts = 64, dx = f16[rows, columns], dweights = f32[parts, columns], dbiases = f32[parts, columns],
             dy = f16[rows, columns]:random:1, in = f16[rows, columns]:random:2, weight = f16[columns]:random:3,
             means = f32[rows], scales = f32[rows]:fill:1)]]
[[tune(BLOCK = 256..16384*2, num_warps = 1, 2, 4, 8), where(BLOCK >= columns)]]
kernel void layernorm_backward(f16 *dx, f32 *dweights, f32 *dbiases, const f16 *dy, const f16 *in, const f16 *weight,
                               const f32 *means, const f32 *scales, i32 columns, i32 parts, constexpr i32 BLOCK = 1024)
{
    i32 row = program_id(0), column[BLOCK] = range(BLOCK);
    bool inside[BLOCK] = column < columns;
    f32 scale = scales[row], mean = means[row];
    f32 x[BLOCK] = load(in + row * columns + column, inside, mean);
    f32 d[BLOCK] = load(dy + row * columns + column, inside, 0), w[BLOCK] = load(weight + column, inside, 0);
    f32 normal[BLOCK] = (x - mean) * scale, g[BLOCK] = d * w;
    f32 mean_g = sum(g, 0) / columns, mean_gx = sum(g * normal, 0) / columns;
    store(dx + row * columns + column, (g - mean_g - normal * mean_gx) * scale, inside);
    i32 at[BLOCK] = row % parts * columns + column;
    atomic_add(dweights + at, d * normal, inside);
    atomic_add(dbiases + at, d, inside);
}

[[grid(cdiv(columns, BLOCK)), tune(PARTS = 4..32*2, BLOCK = 64..512*2, num_warps = 1, 2, 4)]]
[[arguments(parts = 64, dweight = f16[columns], dbias = f16[columns], dweights = f32[parts, columns]:random:1, dbiases = f32[parts, columns]:random:2)]]
kernel void layernorm_reduce(f16 *dweight, f16 *dbias, const f32 *dweights, const f32 *dbiases, i32 columns, i32 parts,
                             constexpr i32 PARTS = 8, constexpr i32 BLOCK = 128)
{
    i32 column[BLOCK] = program_id(0) * BLOCK + range(BLOCK);
    f32 w[BLOCK] = 0, b[BLOCK] = 0;
    for (i32 first = 0; first < parts; first += PARTS) {
        i32 part[PARTS] = first + range(PARTS);
        i32 at[PARTS][BLOCK] = part[:, None] * columns + column [None, :];
        bool inside[PARTS][BLOCK] = part[:, None] < parts && column [None, :] < columns;
        w += sum(load(dweights + at, inside, 0), 0);
        b += sum(load(dbiases + at, inside, 0), 0);
    }
    store(dweight + column, w, column < columns);
    store(dbias + column, b, column < columns);
}
