// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = (A · B) · row scale · column scale: 8-bit integers in, i32 sums, f16 out. A is M × K, B is N
// × K (like a Linear layer's weight), all row-major and dense; one scale for each row of A and each
// row of B.

[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))]]
[[arguments(a = i8[M, K]:random:1, b = i8[N, K]:random:2, c = f16[M, N], a_scale = f32[M]:fill:0.01, b_scale = f32[N]:fill:0.01)]]
[[tune(BLOCK_M = 32..256*2, BLOCK_N = 32..256*2, BLOCK_K = 64, 128, num_warps = 4, 8, num_stages = 1..3)]]
kernel void int8_gemm(const i8 *a, const i8 *b, f16 *c, const f32 *a_scale, const f32 *b_scale, i32 M, i32 N, i32 K, constexpr i32 BLOCK_M = 128,
                      constexpr i32 BLOCK_N = 128, constexpr i32 BLOCK_K = 64)
{
    i32 blocks_n = cdiv(N, BLOCK_N);
    i32 rm[BLOCK_M] = program_id(0) / blocks_n * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = program_id(0) % blocks_n * BLOCK_N + range(BLOCK_N);
    i32 rk[BLOCK_K] = range(BLOCK_K);
    const i8 *pa[BLOCK_M][BLOCK_K] = a + (rm % M)[:, None] * K + rk[None, :];
    const i8 *pb[BLOCK_K][BLOCK_N] = b + rk[:, None] + (rn % N)[None, :] * K;
    i32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += BLOCK_K) {
        acc = dot(load(pa, rk[None, :] < K - k, 0), load(pb, rk[:, None] < K - k, 0), acc);
        pa += BLOCK_K;
        pb += BLOCK_K;
    }
    f32 scaled[BLOCK_M][BLOCK_N] = (f32)acc * load(a_scale + rm, rm < M, 0)[:, None] * load(b_scale + rn, rn < N, 0)[None, :];
    store(c + rm[:, None] * N + rn[None, :], (f16)scaled, rm[:, None] < M && rn[None, :] < N);
}
