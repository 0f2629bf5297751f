// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A · B in 8-bit floats with a scale for each 1 × 128 of A and each 128 × 128 of B, as in
// DeepSeek-V3. A is M × K, B is N × K, C is M × N of bf16; scales of A are M × K/128, of B N/128 ×
// K/128, rounded up; all row-major and dense. The scale changes with each step of K, so each step's
// product is scaled before it is added.

constexpr i32 SCALED = 128;

[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))]]
[[arguments(a = f8e4m3fnuz[M, K]:random:1, b = f8e4m3fnuz[N, K]:random:2, c = bf16[M, N],
             a_scale = f32[M, cdiv(K, 128)]:fill:0.5, b_scale = f32[cdiv(N, 128), cdiv(K, 128)]:fill:0.5)]]
[[tune(BLOCK_M = 32..256*2, BLOCK_N = 32..256*2, num_warps = 4, 8, num_stages = 1..3)]]
kernel void fp8_gemm(const f8e4m3fnuz *a, const f8e4m3fnuz *b, bf16 *c, const f32 *a_scale, const f32 *b_scale, i32 M, i32 N, i32 K,
                     constexpr i32 BLOCK_M = 128, constexpr i32 BLOCK_N = 128)
{
    i32 blocks_n = cdiv(N, BLOCK_N), blocks_k = cdiv(K, SCALED);
    i32 rm[BLOCK_M] = program_id(0) / blocks_n * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = program_id(0) % blocks_n * BLOCK_N + range(BLOCK_N);
    i32 rk[SCALED] = range(SCALED);
    const f8e4m3fnuz *pa[BLOCK_M][SCALED] = a + (rm % M)[:, None] * K + rk[None, :];
    const f8e4m3fnuz *pb[SCALED][BLOCK_N] = b + rk[:, None] + (rn % N)[None, :] * K;
    const f32 *pas[BLOCK_M] = a_scale + (rm % M) * blocks_k;
    const f32 *pbs[BLOCK_N] = b_scale + (rn % N) / SCALED * blocks_k;
    f32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += SCALED) {
        f8e4m3fnuz x[BLOCK_M][SCALED] = load(pa, rk[None, :] < K - k, 0), y[SCALED][BLOCK_N] = load(pb, rk[:, None] < K - k, 0);
        acc += dot(x, y) * load(pas)[:, None] * load(pbs)[None, :];
        pa += SCALED;
        pb += SCALED;
        pas += 1;
        pbs += 1;
    }
    store(c + rm[:, None] * N + rn[None, :], (bf16)acc, rm[:, None] < M && rn[None, :] < N);
}
