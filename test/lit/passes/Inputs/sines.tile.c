// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of products with sines of them: each sine of an element is some 128 instructions.
kernel void sines(const f16 *a, const f16 *b, f32 *c, i32 K, constexpr i32 SINES = 1, constexpr i32 N = 64)
{
    i32 n[N] = range(N), k[64] = range(64);
    const f16 *pa[N][64] = a + n[:, None] * K + k[None, :];
    const f16 *pb[64][N] = b + k[:, None] * N + n[None, :];
    f32 acc[N][N] = 0;
    for (i32 first = 0; first < K; first += 64) {
        f32 x[N][N] = dot(load(pa), load(pb));
        for (constexpr i32 i = 0; i < SINES; i++)
            x = sin(x);
        acc = acc + x;
        pa += 64;
        pb += 64 * N;
    }
    store(c + n[:, None] * N + n[None, :], acc);
}

kernel void two_dots(const f16 *a, const f16 *b, f32 *c, i32 K, constexpr i32 SINES = 1)
{
    i32 n[64] = range(64);
    const f16 *pa[64][64] = a + n[:, None] * 64 + n[None, :];
    const f16 *pb[64][64] = b + n[:, None] * 64 + n[None, :];
    f32 acc[64][64] = 0;
    f16 x[64][64] = load(a + n[:, None] * 64 + n[None, :]);
    for (i32 first = 0; first < K; first += 64) {
        f32 y[64][64] = dot(x, load(pa));
        for (constexpr i32 i = 0; i < SINES; i++)
            y = sin(y);
        acc = dot((f16)y, load(pb), acc);
        pa += 64 * 64;
        pb += 64 * 64;
    }
    store(c + n[:, None] * 64 + n[None, :], acc);
}
