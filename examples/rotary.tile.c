// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary position embedding, in place: each pair (x[i], x[i + D/2]) of a head is rotated by an
// angle that depends on its token's position and i. x is tokens × heads × D; cosines and sines are
// positions × D/2. A program rotates all heads of one token, with cosines and sines loaded once.

[[grid(elements(positions)), tune(num_warps = 1, 2, 4, 8)]]
[[arguments(tokens = 4096, x = f16[tokens, heads, D]:random:1, cosines = f32[tokens, D / 2]:random:2, sines = f32[tokens, D / 2]:random:3,
             positions = i32[tokens]:iota)]]
kernel void rotary(f16 *x, const f32 *cosines, const f32 *sines, const i32 *positions, i32 heads, constexpr i32 D = 64, constexpr i32 HEADS = 16)
{
    i32 head[HEADS] = range(HEADS), i[D / 2] = range(D / 2), token = program_id(0);
    i64 position = positions[token];
    f32 c[D / 2] = load(cosines + position * (D / 2) + i), s[D / 2] = load(sines + position * (D / 2) + i);
    f16 *first[HEADS][D / 2] = x + (i64)token * heads * D + head[:, None] * D + i[None, :], *second[HEADS][D / 2] = first + D / 2;
    bool there[HEADS][1] = (head < heads)[:, None];
    f32 a[HEADS][D / 2] = load(first, there), b[HEADS][D / 2] = load(second, there);
    store(first, a * c[None, :] - b * s[None, :], there);
    store(second, b * c[None, :] + a * s[None, :], there);
}
