// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first product of experts with 4-bit weights, packed as vLLM's moe_wna16 has them: weight is
// experts × N × K/2 bytes with the even k in the low half, zero experts × N/2 × K/GROUP bytes with the
// even n in the low half, scale experts × N × K/GROUP. out[slot] = in[slot / TOP_K] · wᵀ for
// w[n][k] = (weight − zero) · scale, where the scale of a group is applied to its product. Lists of
// slots are those of examples/fused_moe.tile.c. A step has two groups, whose scales and zero points are
// one access each, so K is a multiple of 2 · GROUP. The weights are the first operand, so that a lane
// has one column of the result. Tiles of an expert follow one another on an XCD.
[[grid(elements(experts) * cdiv(N, BLOCK_N))]]
kernel void moe_int4(constexpr type T = f16, const T *in, const u8 *weight, T *out, const T *scale, const u8 *zero, const i32 *slots, const i32 *experts, const i32 *used,
                     i32 slot_count, i32 N, i32 K, constexpr i32 TOP_K = 8, constexpr i32 GROUP = 128, constexpr i32 XCDS = 8, constexpr i32 BLOCK_M = 16,
                     constexpr i32 BLOCK_N = 64)
{
    constexpr i32 GROUPS = 2, BLOCK_K = GROUP * GROUPS;
    i32 blocks_n = cdiv(N, BLOCK_N), program = xcd_order(program_id(0), num_programs(0), XCDS), block = program / blocks_n;
    if (block * BLOCK_M >= *used)
        return;
    i32 rn[BLOCK_N] = program % blocks_n * BLOCK_N + range(BLOCK_N), rk[GROUP] = range(GROUP);
    i32 slot[BLOCK_M] = load(slots + block * BLOCK_M + range(BLOCK_M));
    bool real[BLOCK_M] = slot < slot_count;
    i64 expert = experts[block];
    const T *pa[BLOCK_M][GROUP] = in + (slot / TOP_K)[:, None] * K + rk[None, :];
    const u8 *pb[BLOCK_N][GROUP] = weight + expert * N * (K / 2) + (rk / 2)[None, :] + rn[:, None] * (K / 2);
    const u32 *ps[BLOCK_N] = (const u32 *)scale + expert * N * (K / BLOCK_K) + rn * (K / BLOCK_K);
    const u16 *pz[BLOCK_N] = (const u16 *)zero + expert * (N / 2) * (K / BLOCK_K) + rn / 2 * (K / BLOCK_K);
    i32 shift[GROUP] = rk % 2 * 4, zero_shift[BLOCK_N] = rn % 2 * 4;
    f32 acc[BLOCK_N][BLOCK_M] = 0;
    for (i32 k = 0; k < K / BLOCK_K; k++) {
        u32 scales[BLOCK_N] = load(ps), zeros[BLOCK_N] = load(pz);
        for (constexpr i32 g = 0; g < GROUPS; g++) {
            T x[BLOCK_M][GROUP] = load(pa + g * GROUP, real[:, None], 0);
            i32 q[BLOCK_N][GROUP] = (load(pb + g * (GROUP / 2)) >> shift[None, :]) & 15;
            i32 z[BLOCK_N] = (zeros >> (g * 8) >> zero_shift) & 15;
            f32 s[BLOCK_N] = bitcast(T, (u16)(scales >> (g * 16)));
            acc += dot((T)(q - z[:, None]), trans(x)) * s[:, None];
        }
        pa += BLOCK_K;
        pb += BLOCK_K / 2;
        ps += 1;
        pz += 1;
    }
    store(out + slot[None, :] * N + rn[:, None], (T)acc, real[None, :]);
}
