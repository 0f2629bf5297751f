// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A · B for any M, N, K: f16 in and out, accumulated in f32. All matrices are row-major with
// leading dimensions lda, ldb, ldc. Programs are numbered in groups of GROUP_M rows of blocks,
// column by column, so that programs that run at the same time share their operands in L2.

[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))]]
[[arguments(lda = K, ldb = N, ldc = N, a = f16[M, K]:random:1, b = f16[K, N]:random:2, c = f16[M, N])]]
[[tune(BLOCK_M = 32..256*2, BLOCK_N = 32..256*2, BLOCK_K = 32..128*2), tune(num_warps = 4, 8, num_stages = 1..3)]]
kernel void gemm(const f16 *a, const f16 *b, f16 *c, i32 M, i32 N, i32 K, i32 lda, i32 ldb, i32 ldc,
                 constexpr i32 BLOCK_M = 128, constexpr i32 BLOCK_N = 128,
                 constexpr i32 BLOCK_K = 32, constexpr i32 GROUP_M = 8)
{
    i32 blocks_m = cdiv(M, BLOCK_M), blocks_n = cdiv(N, BLOCK_N);
    i32 pid = program_id(0);
    i32 first_m = pid / (GROUP_M * blocks_n) * GROUP_M;
    i32 group_m = minimum(blocks_m - first_m, GROUP_M);
    i32 block_m = first_m + pid % (GROUP_M * blocks_n) % group_m;
    i32 block_n = pid % (GROUP_M * blocks_n) / group_m;

    i32 rm[BLOCK_M] = block_m * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = block_n * BLOCK_N + range(BLOCK_N);
    i32 rk[BLOCK_K] = range(BLOCK_K);

    // Rows and columns beyond the matrix wrap around: they load valid elements, and their results
    // are not stored.
    const f16 *pa[BLOCK_M][BLOCK_K] = a + (rm % M) [:, None] * lda + rk [None, :];
    const f16 *pb[BLOCK_K][BLOCK_N] = b + rk[:, None] * ldb + (rn % N)[None, :];

    f32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += BLOCK_K) {
        f16 x[BLOCK_M][BLOCK_K] = load(pa, rk [None, :] < K - k, 0);
        f16 y[BLOCK_K][BLOCK_N] = load(pb, rk[:, None] < K - k, 0);
        acc = dot(x, y, acc);
        pa += BLOCK_K;
        pb += BLOCK_K * ldb;
    }

    f16 *pc[BLOCK_M][BLOCK_N] = c + rm[:, None] * ldc + rn [None, :];
    store(pc, (f16)acc, rm[:, None] < M && rn [None, :] < N);
}
