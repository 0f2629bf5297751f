// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A · B with K split among SPLIT_K programs for each tile of C: each stores its part as f32,
// `split_k_sum` adds the parts in order and rounds once. A is M × K, B is K × N, C is M × N, parts
// are SPLIT_K × M × N; all row-major and dense. Programs (tiles of C, SPLIT_K).

[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N), SPLIT_K)]]
[[arguments(a = f16[M, K]:random:1, b = f16[K, N]:random:2, parts = f32[SPLIT_K, M, N])]]
[[tune(BLOCK_M = 16..64*2, BLOCK_N = 32..128*2, num_warps = 1, 2, 4, 8, num_stages = 1..3)]] // BLOCK_K changes the parts
kernel void split_k(const f16 *a, const f16 *b, f32 *parts, i32 M, i32 N, i32 K, constexpr i32 SPLIT_K = 4, constexpr i32 BLOCK_M = 64,
                    constexpr i32 BLOCK_N = 64, constexpr i32 BLOCK_K = 64)
{
    i32 blocks_n = cdiv(N, BLOCK_N), part = program_id(1);
    i32 rm[BLOCK_M] = program_id(0) / blocks_n * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = program_id(0) % blocks_n * BLOCK_N + range(BLOCK_N);
    i32 rk[BLOCK_K] = range(BLOCK_K);
    f32 acc[BLOCK_M][BLOCK_N] = 0;
    i32 steps = cdiv(K, BLOCK_K * SPLIT_K), first = part * steps * BLOCK_K;
    i32 last = minimum(first + steps * BLOCK_K, K);
    const f16 *pa[BLOCK_M][BLOCK_K] = a + (rm % M)[:, None] * K + (first + rk)[None, :];
    const f16 *pb[BLOCK_K][BLOCK_N] = b + (first + rk)[:, None] * N + (rn % N)[None, :];
    for (i32 k = first; k < last; k += BLOCK_K) {
        acc = dot(load(pa, rk[None, :] < last - k, 0), load(pb, rk[:, None] < last - k, 0), acc);
        pa += BLOCK_K;
        pb += BLOCK_K * N;
    }
    store(parts + (i64)part * M * N + rm[:, None] * N + rn[None, :], acc, rm[:, None] < M && rn[None, :] < N);
}

[[grid(cdiv(count, BLOCK)), tune(BLOCK = 256..4096*2, num_warps = 1, 2, 4)]]
[[arguments(parts = f32[SPLIT_K, count]:random:1, c = f16[count])]]
kernel void split_k_sum(const f32 *parts, f16 *c, i32 count, constexpr i32 SPLIT_K = 4, constexpr i32 BLOCK = 1024)
{
    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);
    f32 total[BLOCK] = 0;
    for (i32 part = 0; part < SPLIT_K; part++)
        total += load(parts + (i64)part * count + i, i < count, 0);
    store(c + i, (f16)total, i < count);
}
