// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A · B with as many programs as fit on the device, each computing every n-th tile of C: launch
// on min(tiles, compute units · occupancy). A is M × K, B is K × N, all row-major and dense.

[[grid(min(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N), PROGRAMS))]]
[[arguments(a = f16[M, K]:random:1, b = f16[K, N]:random:2, c = f16[M, N])]]
[[tune(BLOCK_M = 32..256*2, BLOCK_N = 32..256*2, BLOCK_K = 32, 64, num_warps = 4, 8, num_stages = 1, 2)]]
kernel void persistent_gemm(const f16 *a, const f16 *b, f16 *c, i32 M, i32 N, i32 K, constexpr i32 BLOCK_M = 128, constexpr i32 BLOCK_N = 128,
                            constexpr i32 BLOCK_K = 32, constexpr i32 GROUP_M = 8, constexpr i32 PROGRAMS = 304)
{
    i32 blocks_m = cdiv(M, BLOCK_M), blocks_n = cdiv(N, BLOCK_N);
    i32 rk[BLOCK_K] = range(BLOCK_K);
    for (i32 tile = program_id(0); tile < blocks_m * blocks_n; tile += num_programs(0)) {
        i32 first_m = tile / (GROUP_M * blocks_n) * GROUP_M;
        i32 group_m = minimum(blocks_m - first_m, GROUP_M);
        i32 rm[BLOCK_M] = (first_m + tile % (GROUP_M * blocks_n) % group_m) * BLOCK_M + range(BLOCK_M);
        i32 rn[BLOCK_N] = tile % (GROUP_M * blocks_n) / group_m * BLOCK_N + range(BLOCK_N);
        const f16 *pa[BLOCK_M][BLOCK_K] = a + (rm % M)[:, None] * K + rk[None, :];
        const f16 *pb[BLOCK_K][BLOCK_N] = b + rk[:, None] * N + (rn % N)[None, :];
        f32 acc[BLOCK_M][BLOCK_N] = 0;
        for (i32 k = 0; k < K; k += BLOCK_K) {
            acc = dot(load(pa, rk[None, :] < K - k, 0), load(pb, rk[:, None] < K - k, 0), acc);
            pa += BLOCK_K;
            pb += BLOCK_K * N;
        }
        store(c + rm[:, None] * N + rn[None, :], (f16)acc, rm[:, None] < M && rn[None, :] < N);
    }
}
