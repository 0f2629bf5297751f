// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of experts, `top_k` of which process each token: out[slot] = in[slot / top_k] ·
// weight[expert of slot]ᵀ · gate[slot], for slot = token · top_k + choice, in one kernel. `slots`
// lists the slots by expert, each expert's padded to a multiple of BLOCK_M with the number
// `slot_count`; `experts` has the expert of each BLOCK_M of them, and `used` the length of the
// list. in is tokens × K, weight experts × N × K, out slots × N, all f16 and dense. Programs
// (blocks of slots · blocks of N): enough for the longest possible list; those beyond `used` exit
// immediately.

[[grid(elements(experts) * cdiv(N, BLOCK_N))]]
[[arguments(slot_count = 512, in = f16[slot_count / TOP_K, K]:random:1, weight = f16[1, N, K]:random:2, out = f16[slot_count, N],
             gate = f32[slot_count]:fill:1, slots = i32[slot_count]:iota, experts = i32[slot_count / BLOCK_M], used = i32[1]:fill:slot_count)]]
[[tune(BLOCK_N = 32..128*2, BLOCK_K = 32..128*2, num_warps = 1, 2, 4, 8, num_stages = 1, 2)]]
kernel void fused_moe(const f16 *in, const f16 *weight, f16 *out, const f32 *gate, const i32 *slots, const i32 *experts, const i32 *used, i32 slot_count,
                      i32 N, i32 K, constexpr i32 TOP_K = 2, constexpr i32 BLOCK_M = 16, constexpr i32 BLOCK_N = 64, constexpr i32 BLOCK_K = 32)
{
    i32 blocks_n = cdiv(N, BLOCK_N), block = program_id(0) / blocks_n;
    if (block * BLOCK_M >= *used)
        return;
    i32 rn[BLOCK_N] = program_id(0) % blocks_n * BLOCK_N + range(BLOCK_N), rk[BLOCK_K] = range(BLOCK_K);
    i32 slot[BLOCK_M] = load(slots + block * BLOCK_M + range(BLOCK_M));
    bool real[BLOCK_M] = slot < slot_count;
    const f16 *pa[BLOCK_M][BLOCK_K] = in + (slot / TOP_K)[:, None] * K + rk[None, :];
    const f16 *pb[BLOCK_K][BLOCK_N] = weight + (i64)experts[block] * N * K + rk[:, None] + (rn % N)[None, :] * K;
    f32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += BLOCK_K) {
        acc = dot(load(pa, real[:, None] && rk[None, :] < K - k, 0), load(pb, rk[:, None] < K - k, 0), acc);
        pa += BLOCK_K;
        pb += BLOCK_K;
    }
    acc *= load(gate + slot, real, 0)[:, None];
    store(out + slot[:, None] * N + rn[None, :], (f16)acc, real[:, None] && rn[None, :] < N);
}
