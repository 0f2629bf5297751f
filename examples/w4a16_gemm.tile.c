// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A · W with 4-bit weights: f16 activations, W[k][n] = (q − zero) · scale with a zero and a
// scale for each GROUP of K and each column, as in AWQ and GPTQ. A is M × K; `packed` is K/2 × N
// bytes with the even k in the low half; scales and zeros are K/GROUP × N. K and GROUP are
// multiples of BLOCK_K.

[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))]]
[[arguments(a = f16[M, K]:random:1, packed = u8[K / 2, N]:random:2, scales = f16[K / GROUP, N]:fill:0.1, zeros = u8[K / GROUP, N]:fill:8,
             c = f16[M, N])]]
[[tune(BLOCK_M = 16..64*2, BLOCK_N = 32..128*2, BLOCK_K = 32..128*2, num_warps = 1, 2, 4, num_stages = 1, 2)]]
kernel void w4a16_gemm(const f16 *a, const u8 *packed, const f16 *scales, const u8 *zeros, f16 *c, i32 M, i32 N, i32 K, constexpr i32 GROUP = 128,
                       constexpr i32 BLOCK_M = 16, constexpr i32 BLOCK_N = 64, constexpr i32 BLOCK_K = 64)
{
    static_assert(GROUP % BLOCK_K == 0, "a step of K lies in one group");
    i32 blocks_n = cdiv(N, BLOCK_N);
    i32 rm[BLOCK_M] = program_id(0) / blocks_n * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = (program_id(0) % blocks_n * BLOCK_N + range(BLOCK_N)) % N;
    i32 rk[BLOCK_K] = range(BLOCK_K);
    const f16 *pa[BLOCK_M][BLOCK_K] = a + (rm % M)[:, None] * K + rk[None, :];
    const u8 *pq[BLOCK_K / 2][BLOCK_N] = packed + range(BLOCK_K / 2)[:, None] * N + rn[None, :];
    f32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += BLOCK_K) {
        f16 x[BLOCK_M][BLOCK_K] = load(pa);
        u8 q[BLOCK_K / 2][BLOCK_N] = load(pq);
        f16 scale[BLOCK_N] = load(scales + k / GROUP * N + rn), zero[BLOCK_N] = load(zeros + k / GROUP * N + rn);
        f16 low[BLOCK_K / 2][BLOCK_N] = q & 15, high[BLOCK_K / 2][BLOCK_N] = q >> 4;
        f16 w[BLOCK_K][BLOCK_N] = reshape(trans(join(low, high), 0, 2, 1), BLOCK_K, BLOCK_N);
        acc = dot(x, (w - zero[None, :]) * scale[None, :], acc);
        pa += BLOCK_K;
        pq += BLOCK_K / 2 * N;
    }
    i32 cn[BLOCK_N] = program_id(0) % blocks_n * BLOCK_N + range(BLOCK_N);
    store(c + rm[:, None] * N + cn[None, :], (f16)acc, rm[:, None] < M && cn[None, :] < N);
}
