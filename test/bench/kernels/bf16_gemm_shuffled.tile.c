// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A · Bᵀ in bf16 with B in the order of AITER's kernels: 16 rows by 16 bytes of K at a time,
// N/16 × K/8 × 16 × 8. N is a multiple of BLOCK_N, K of BLOCK_K.
[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))]]
kernel void bf16_gemm(const bf16 *a, const bf16 *b, bf16 *c, i32 M, i32 N, i32 K, constexpr i32 BLOCK_M = 64, constexpr i32 BLOCK_N = 64,
                      constexpr i32 BLOCK_K = 64)
{
    i32 blocks_n = cdiv(N, BLOCK_N), block_n = program_id(0) % blocks_n;
    i32 rm[BLOCK_M] = program_id(0) / blocks_n * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = block_n * BLOCK_N + range(BLOCK_N);
    i32 rk[BLOCK_K] = range(BLOCK_K), flat[BLOCK_K * 16] = range(BLOCK_K * 16);
    i32 group[BLOCK_N / 16] = block_n * (BLOCK_N / 16) + range(BLOCK_N / 16);
    const bf16 *pa[BLOCK_M][BLOCK_K] = a + (rm % M)[:, None] * K + rk[None, :];
    const bf16 *pb[BLOCK_N / 16][BLOCK_K * 16] = b + group[:, None] * (K * 16) + flat[None, :];
    f32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += BLOCK_K) {
        bf16 x[BLOCK_M][BLOCK_K] = load(pa), t[BLOCK_N / 16][BLOCK_K * 16] = load(pb);
        bf16 y[BLOCK_N][BLOCK_K] = reshape(trans(reshape(t, BLOCK_N / 16, BLOCK_K / 8, 16, 8), 0, 2, 1, 3), BLOCK_N, BLOCK_K);
        acc = dot(x, trans(y), acc);
        pa += BLOCK_K;
        pb += BLOCK_K * 16;
    }
    store(c + rm[:, None] * N + rn[None, :], (bf16)acc, rm[:, None] < M && rn[None, :] < N);
}
