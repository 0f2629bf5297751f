// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mixtures of experts in fp8 with operands in the order of AITER's kernels: weights as B in
// int8_gemm_shuffled.tile.c, lists of slots as they are in its sort: an id is slot << 24 | token,
// `tokens` where a tile is padded. `experts` has the expert of each BLOCK_M ids, `valid` their
// number. Scales are per token and per row of the weights, or with BLOCKS per 1×128 of the tokens, by
// columns, and per 128×128 of the weights.
constexpr f32 LOG2_E = 1.4426950408889634f32, LARGEST = 240;
constexpr i32 SCALED = 128;

// The first products: silu(x · gateᵀ) · (x · upᵀ) of each token and slot, with gate and up the first
// and last N of the 2N rows of an expert. `out` is tokens × TOP_K × N in bf16. Programs (N / BLOCK_N,
// blocks of ids).
kernel void moe_up(const f8e4m3fnuz *x, const f8e4m3fnuz *weight, bf16 *out, const f32 *x_scale, const f32 *weight_scale,
                   const i32 *ids, const i32 *experts, const i32 *valid, i32 tokens, i32 N, i32 K, constexpr i32 TOP_K = 2,
                   constexpr bool BLOCKS = false, constexpr i32 BLOCK_M = 32, constexpr i32 BLOCK_N = 64, constexpr i32 BLOCK_K = 128)
{
    i32 block = program_id(1), block_n = program_id(0);
    if (block * BLOCK_M >= *valid)
        return;
    i32 id[BLOCK_M] = load(ids + block * BLOCK_M + range(BLOCK_M)), token[BLOCK_M] = id & 0xffffff;
    bool real[BLOCK_M] = token < tokens;
    i32 rk[BLOCK_K] = range(BLOCK_K), flat[BLOCK_K * 16] = range(BLOCK_K * 16), group[BLOCK_N / 16] = range(BLOCK_N / 16);
    i64 first = (i64)experts[block] * (2 * N) + block_n * BLOCK_N;
    const f8e4m3fnuz *pa[BLOCK_M][BLOCK_K] = x + minimum(token, tokens - 1)[:, None] * K + rk[None, :];
    const f8e4m3fnuz *pg[BLOCK_N / 16][BLOCK_K * 16] = weight + first * K + group[:, None] * (K * 16) + flat[None, :];
    const f8e4m3fnuz *pu[BLOCK_N / 16][BLOCK_K * 16] = pg + (i64)N * K;
    f32 gate[BLOCK_M][BLOCK_N] = 0, up[BLOCK_M][BLOCK_N] = 0;
    const f32 *pas[BLOCK_M] = x_scale + minimum(token, tokens - 1);
    const f32 *pgs = weight_scale + first / SCALED * (K / SCALED), *pus = pgs + N / SCALED * (K / SCALED);
    for (i32 k = 0; k < K; k += BLOCK_K) {
        f8e4m3fnuz a[BLOCK_M][BLOCK_K] = load(pa), tg[BLOCK_N / 16][BLOCK_K * 16] = load(pg), tu[BLOCK_N / 16][BLOCK_K * 16] = load(pu);
        f8e4m3fnuz g[BLOCK_N][BLOCK_K] = reshape(trans(reshape(tg, BLOCK_N / 16, BLOCK_K / 16, 16, 16), 0, 2, 1, 3), BLOCK_N, BLOCK_K);
        f8e4m3fnuz u[BLOCK_N][BLOCK_K] = reshape(trans(reshape(tu, BLOCK_N / 16, BLOCK_K / 16, 16, 16), 0, 2, 1, 3), BLOCK_N, BLOCK_K);
        if constexpr (BLOCKS) {
            f32 scale[BLOCK_M] = load(pas);
            gate += dot(a, trans(g)) * (scale * *pgs)[:, None];
            up += dot(a, trans(u)) * (scale * *pus)[:, None];
            pas += tokens;
            pgs += 1;
            pus += 1;
        } else {
            gate = dot(a, trans(g), gate);
            up = dot(a, trans(u), up);
        }
        pa += BLOCK_K;
        pg += BLOCK_K * 16;
        pu += BLOCK_K * 16;
    }
    i32 rn[BLOCK_N] = block_n * BLOCK_N + range(BLOCK_N);
    if constexpr (!BLOCKS) {
        f32 scale[BLOCK_M] = load(x_scale + minimum(token, tokens - 1));
        const f32 *scales = weight_scale + experts[block] * (2 * N);
        gate *= scale[:, None] * load(scales + rn)[None, :];
        up *= scale[:, None] * load(scales + N + rn)[None, :];
    }
    store(out + (token * TOP_K + (id >> 24))[:, None] * N + rn[None, :], (bf16)(gate * up / (1 + exp2(-gate * LOG2_E))), real[:, None]);
}
