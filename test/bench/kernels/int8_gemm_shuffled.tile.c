// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/int8_gemm.tile.c with B in the order of AITER's kernels, which is that of matrix
// instructions: 16 rows by 16 bytes of K at a time, N/16 × K/16 × 16 × 16. N is a multiple of
// BLOCK_N, K of BLOCK_K.
[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))]]
kernel void int8_gemm(const i8 *a, const i8 *b, f16 *c, const f32 *a_scale, const f32 *b_scale, i32 M, i32 N, i32 K, constexpr i32 BLOCK_M = 128,
                      constexpr i32 BLOCK_N = 128, constexpr i32 BLOCK_K = 128)
{
    i32 blocks_n = cdiv(N, BLOCK_N);
    i32 block_n = program_id(0) % blocks_n;
    i32 rm[BLOCK_M] = program_id(0) / blocks_n * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = block_n * BLOCK_N + range(BLOCK_N);
    i32 rk[BLOCK_K] = range(BLOCK_K), flat[BLOCK_K * 16] = range(BLOCK_K * 16);
    i32 group[BLOCK_N / 16] = block_n * (BLOCK_N / 16) + range(BLOCK_N / 16);
    const i8 *pa[BLOCK_M][BLOCK_K] = a + (rm % M)[:, None] * K + rk[None, :];
    const i8 *pb[BLOCK_N / 16][BLOCK_K * 16] = b + group[:, None] * (K * 16) + flat[None, :];
    i32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += BLOCK_K) {
        i8 x[BLOCK_M][BLOCK_K] = load(pa), t[BLOCK_N / 16][BLOCK_K * 16] = load(pb);
        i8 y[BLOCK_N][BLOCK_K] = reshape(trans(reshape(t, BLOCK_N / 16, BLOCK_K / 16, 16, 16), 0, 2, 1, 3), BLOCK_N, BLOCK_K);
        acc = dot(x, trans(y), acc);
        pa += BLOCK_K;
        pb += BLOCK_K * 16;
    }
    f32 scaled[BLOCK_M][BLOCK_N] = (f32)acc * load(a_scale + rm, rm < M, 0)[:, None] * load(b_scale + rn, rn < N, 0)[None, :];
    store(c + rm[:, None] * N + rn[None, :], (f16)scaled, rm[:, None] < M && rn[None, :] < N);
}
