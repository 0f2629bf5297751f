// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution of images as a matrix product that never materializes its left matrix:
// out[n][y][x][f] = Σ in[n][y·stride + r − pad][x·stride + s − pad][c] · weight[f][r][s][c]. Images
// and result are NHWC, weights FRSC, all f16 and dense; sums are f32. A row of the product is a
// position (n, y, x) of the result, a step of its K is BLOCK_C channels of one (r, s).

[[grid(cdiv(images * out_height * out_width, BLOCK_M) * cdiv(filters, BLOCK_F))]]
[[arguments(stride = 1, pad = 1, out_height = (height + 2 * pad - 3) / stride + 1, out_width = (width + 2 * pad - 3) / stride + 1,
             in = f16[images, height, width, channels]:random:1, weight = f16[filters, R * S * channels]:random:2,
             out = f16[images * out_height * out_width, filters])]]
[[tune(BLOCK_M = 32..128*2, BLOCK_F = 32..128*2, BLOCK_C = 32, 64, num_warps = 4, 8, num_stages = 1, 2)]]
kernel void conv2d(const f16 *in, const f16 *weight, f16 *out, i32 images, i32 height, i32 width, i32 channels, i32 out_height, i32 out_width, i32 filters,
                   i32 stride, i32 pad, constexpr i32 R = 3, constexpr i32 S = 3, constexpr i32 BLOCK_M = 64, constexpr i32 BLOCK_F = 64,
                   constexpr i32 BLOCK_C = 32)
{
    i32 blocks_f = cdiv(filters, BLOCK_F), places = images * out_height * out_width;
    i32 place[BLOCK_M] = program_id(0) / blocks_f * BLOCK_M + range(BLOCK_M);
    i32 filter[BLOCK_F] = program_id(0) % blocks_f * BLOCK_F + range(BLOCK_F);
    i32 image[BLOCK_M] = place / (out_height * out_width);
    i32 top[BLOCK_M] = place / out_width % out_height * stride - pad, left[BLOCK_M] = place % out_width * stride - pad;
    i32 channel[BLOCK_C] = range(BLOCK_C);
    f32 acc[BLOCK_M][BLOCK_F] = 0;
    for (i32 r = 0; r < R; r++)
        for (i32 s = 0; s < S; s++) {
            i32 y[BLOCK_M] = top + r, x[BLOCK_M] = left + s;
            bool inside[BLOCK_M] = place < places && y >= 0 && y < height && x >= 0 && x < width;
            const f16 *pixel[BLOCK_M] = in + ((image * height + y) * width + x) * channels;
            const f16 *tap[BLOCK_F] = weight + ((filter * R + r) * S + s) * channels;
            for (i32 c = 0; c < channels; c += BLOCK_C) {
                f16 a[BLOCK_M][BLOCK_C] = load(pixel[:, None] + c + channel[None, :], inside[:, None] && channel[None, :] < channels - c, 0);
                f16 b[BLOCK_C][BLOCK_F] =
                    load(tap[None, :] + c + channel[:, None], filter[None, :] < filters && channel[:, None] < channels - c, 0);
                acc = dot(a, b, acc);
            }
        }
    store(out + place[:, None] * filters + filter[None, :], (f16)acc, place[:, None] < places && filter[None, :] < filters);
}
