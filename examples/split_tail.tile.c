// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A · B without an idle last round: PROGRAMS programs, as many as the device holds at once,
// compute whole tiles in rounds, and the tiles that fill no round are split along K among all
// programs. Each stores its part as f32, and the last one of a tile adds the parts in order, so that
// results do not depend on who that is. A is M × K, B is K × N, all row-major and dense. `parts` has
// PROGRAMS tiles; `arrived` has PROGRAMS counters, which are zero before and after a launch.

[[grid(PROGRAMS)]]
[[arguments(a = f16[M, K]:random:1, b = f16[K, N]:random:2, c = f16[M, N], parts = f32[PROGRAMS, BLOCK_M, BLOCK_N], arrived = i32[PROGRAMS])]]
[[tune(BLOCK_M = 64..256*2, BLOCK_N = 64..256*2, BLOCK_K = 32, 64, num_warps = 4, 8)]]
kernel void split_tail(const f16 *a, const f16 *b, f16 *c, f32 *parts, i32 *arrived, i32 M, i32 N, i32 K, constexpr i32 PROGRAMS = 304,
                       constexpr i32 BLOCK_M = 128, constexpr i32 BLOCK_N = 128, constexpr i32 BLOCK_K = 64, constexpr i32 GROUP_M = 8)
{
    i32 blocks_m = cdiv(M, BLOCK_M), blocks_n = cdiv(N, BLOCK_N), tiles = blocks_m * blocks_n;
    i32 program = program_id(0), tail = tiles % PROGRAMS; // the first tiles are those of the tail
    i32 depth = maximum(K, 1); // without K, each tile is one part of zeros
    i32 length = cdiv(cdiv(depth, PROGRAMS / maximum(tail, 1)), BLOCK_K) * BLOCK_K, split = cdiv(depth, length);
    i32 rk[BLOCK_K] = range(BLOCK_K);
    i32 start = tail + program - (program < tail * split ? PROGRAMS : 0);
    for (i32 at = start; at < tiles; at += PROGRAMS) {
        i32 tile = at, first = 0, last = K;
        if (at < tail) {
            tile = program % tail;
            first = program / tail * length;
            last = minimum(first + length, K);
        }
        i32 first_m = tile / (GROUP_M * blocks_n) * GROUP_M;
        i32 group_m = minimum(blocks_m - first_m, GROUP_M);
        i32 rm[BLOCK_M] = (first_m + tile % (GROUP_M * blocks_n) % group_m) * BLOCK_M + range(BLOCK_M);
        i32 rn[BLOCK_N] = tile % (GROUP_M * blocks_n) / group_m * BLOCK_N + range(BLOCK_N);
        const f16 *pa[BLOCK_M][BLOCK_K] = a + (rm % M)[:, None] * K + (first + rk)[None, :];
        const f16 *pb[BLOCK_K][BLOCK_N] = b + (first + rk)[:, None] * N + (rn % N)[None, :];
        f32 acc[BLOCK_M][BLOCK_N] = 0;
        for (i32 k = first; k < last; k += BLOCK_K) {
            acc = dot(load(pa, rk[None, :] < last - k, 0), load(pb, rk[:, None] < last - k, 0), acc);
            pa += BLOCK_K;
            pb += BLOCK_K * N;
        }
        bool complete = at >= tail || split == 1;
        if (!complete) {
            f32 *part[BLOCK_M][BLOCK_N] = parts + range(BLOCK_M)[:, None] * BLOCK_N + range(BLOCK_N)[None, :];
            store(part + program * (BLOCK_M * BLOCK_N), acc);
            complete = atomic_add(arrived + tile, 1) == split - 1;
            if (complete) {
                store(arrived + tile, 0);
                acc = 0;
                for (i32 p = tile; p < tail * split; p += tail)
                    acc += load(part + p * (BLOCK_M * BLOCK_N));
            }
        }
        if (complete) // once for both, since a second copy of this store takes registers
            store(c + rm[:, None] * N + rn[None, :], (f16)acc, rm[:, None] < M && rn[None, :] < N);
    }
}
