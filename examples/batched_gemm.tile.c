// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A batch of products, C[i] = A[i] · B[i], in f16 with f32 accumulation; with TRANSPOSED, B[i] is
// transposed. Strides of rows and matrices are arguments: a stride of 0 uses one matrix for the
// whole batch. Programs (tiles of C, batch).

[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N), cdiv(elements(c), c_stack))]]
[[arguments(batch = 16, a_stack = M * K, a_row = K, b_stack = K * N, b_row = N, c_stack = M * N, c_row = N,
             a = f16[batch, M, K]:random:1, b = f16[batch, K, N]:random:2, c = f16[batch, M, N])]]
[[tune(BLOCK_M = 32..128*2, BLOCK_N = 32..128*2, BLOCK_K = 32, 64, num_warps = 4, 8, num_stages = 1..3)]]
kernel void batched_gemm(const f16 *a, const f16 *b, f16 *c, i32 M, i32 N, i32 K, i64 a_stack, i32 a_row, i64 b_stack, i32 b_row,
                         i64 c_stack, i32 c_row, constexpr bool TRANSPOSED = false, constexpr i32 BLOCK_M = 64, constexpr i32 BLOCK_N = 64, constexpr i32 BLOCK_K = 32)
{
    i32 blocks_n = cdiv(N, BLOCK_N);
    i32 rm[BLOCK_M] = program_id(0) / blocks_n * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = program_id(0) % blocks_n * BLOCK_N + range(BLOCK_N);
    i32 rk[BLOCK_K] = range(BLOCK_K);
    i32 down = TRANSPOSED ? 1 : b_row, across = TRANSPOSED ? b_row : 1;
    const f16 *pa[BLOCK_M][BLOCK_K] = a + program_id(1) * a_stack + (rm % M)[:, None] * a_row + rk[None, :];
    const f16 *pb[BLOCK_K][BLOCK_N] = b + program_id(1) * b_stack + rk[:, None] * down + (rn % N)[None, :] * across;
    f32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += BLOCK_K) {
        f16 x[BLOCK_M][BLOCK_K] = load(pa, rk[None, :] < K - k, 0);
        f16 y[BLOCK_K][BLOCK_N] = load(pb, rk[:, None] < K - k, 0);
        acc = dot(x, y, acc);
        pa += BLOCK_K;
        pb += BLOCK_K * down;
    }
    store(c + program_id(1) * c_stack + rm[:, None] * c_row + rn[None, :], (f16)acc, rm[:, None] < M && rn[None, :] < N);
}
