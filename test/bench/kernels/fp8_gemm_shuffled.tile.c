// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// examples/fp8_gemm.tile.c with operands in the order of AITER's kernels: B as in
// int8_gemm_shuffled.tile.c, scales of A by columns. N is a multiple of BLOCK_N, which is at most
// 128, and K of 128.
constexpr i32 SCALED = 128;

[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))]]
kernel void fp8_gemm(const f8e4m3fnuz *a, const f8e4m3fnuz *b, bf16 *c, const f32 *a_scale, const f32 *b_scale, i32 M, i32 N, i32 K,
                     constexpr i32 BLOCK_M = 128, constexpr i32 BLOCK_N = 128)
{
    i32 blocks_n = cdiv(N, BLOCK_N), blocks_k = cdiv(K, SCALED), block_n = program_id(0) % blocks_n;
    i32 rm[BLOCK_M] = program_id(0) / blocks_n * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = block_n * BLOCK_N + range(BLOCK_N);
    i32 rk[SCALED] = range(SCALED), flat[SCALED * 16] = range(SCALED * 16);
    i32 group[BLOCK_N / 16] = block_n * (BLOCK_N / 16) + range(BLOCK_N / 16);
    const f8e4m3fnuz *pa[BLOCK_M][SCALED] = a + (rm % M)[:, None] * K + rk[None, :];
    const f8e4m3fnuz *pb[BLOCK_N / 16][SCALED * 16] = b + group[:, None] * (K * 16) + flat[None, :];
    const f32 *pas[BLOCK_M] = a_scale + minimum(rm, M - 1), *pbs = b_scale + block_n * BLOCK_N / SCALED * blocks_k;
    f32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += SCALED) {
        f8e4m3fnuz x[BLOCK_M][SCALED] = load(pa), t[BLOCK_N / 16][SCALED * 16] = load(pb);
        f8e4m3fnuz y[BLOCK_N][SCALED] = reshape(trans(reshape(t, BLOCK_N / 16, SCALED / 16, 16, 16), 0, 2, 1, 3), BLOCK_N, SCALED);
        acc += dot(x, trans(y)) * (load(pas) * *pbs)[:, None];
        pa += SCALED;
        pb += SCALED * 16;
        pas += M;
        pbs += 1;
    }
    store(c + rm[:, None] * N + rn[None, :], (bf16)acc, rm[:, None] < M && rn[None, :] < N);
}
