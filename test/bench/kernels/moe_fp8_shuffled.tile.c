// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mixtures of experts in fp8 with operands in the order of AITER's kernels: weights as B in
// int8_gemm_shuffled.tile.c, lists of slots as they are in its sort: an id is slot << 24 | token,
// `tokens` where a tile is padded. `experts` has the expert of each BLOCK_M ids, `valid` their
// number. Scales are per token and per row of the weights, or with BLOCKS per 1×128 of the tokens, by
// columns, and per 128×128 of the weights. Both products are two launches: moe_up with QUANTIZED, and
// moe_down.
constexpr f32 LOG2_E = 1.4426950408889634f32, LARGEST = 240;
constexpr i32 SCALED = 128;

// The tile of a program: with XCDS > 1 those that read the same weights follow one another on an XCD.
void find_tile(i32 *block_n, i32 *block, i32 xcds)
{
    i32 parts = num_programs(0), blocks = num_programs(1);
    *block_n = program_id(0);
    *block = program_id(1);
    if (xcds > 1) {
        i32 program = xcd_order(*block * parts + *block_n, parts * blocks, xcds);
        *block_n = program / blocks;
        *block = program % blocks;
    }
}

// The first products: silu(x · gateᵀ) · (x · upᵀ) of each token and slot, with gate and up the first
// and last N of the 2N rows of an expert. `out` is tokens × TOP_K × N in bf16; QUANTIZED writes `out8`
// in the order of ids instead, with a scale per 1×BLOCK_N, by columns. Programs (N / BLOCK_N, blocks
// of ids).
kernel void moe_up(const f8e4m3fnuz *x, const f8e4m3fnuz *weight, bf16 *out, f8e4m3fnuz *out8, f32 *out8_scale, const f32 *x_scale,
                   const f32 *weight_scale, const i32 *ids, const i32 *experts, const i32 *valid, i32 tokens, i32 N, i32 K,
                   constexpr i32 TOP_K = 2, constexpr bool BLOCKS = false, constexpr bool QUANTIZED = false, constexpr i32 XCDS = 1, constexpr i32 BLOCK_M = 32, constexpr i32 BLOCK_N = 64, constexpr i32 BLOCK_K = 128)
{
    i32 block, block_n;
    find_tile(&block_n, &block, XCDS);
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
    f32 hidden[BLOCK_M][BLOCK_N] = gate * up / (1 + exp2(-gate * LOG2_E));
    if constexpr (QUANTIZED) {
        i32 place[BLOCK_M] = block * BLOCK_M + range(BLOCK_M);
        f32 largest[BLOCK_M] = maximum(max(abs(hidden), 1), 1e-10);
        store(out8 + place[:, None] * N + rn[None, :], (f8e4m3fnuz)(hidden * (LARGEST / largest)[:, None]));
        store(out8_scale + block_n * (num_programs(1) * BLOCK_M) + place, largest / LARGEST);
    } else {
        store(out + (token * TOP_K + (id >> 24))[:, None] * N + rn[None, :], (bf16)hidden, real[:, None]);
    }
}

// out += x · weightᵀ · gate of each id, tokens × N in bf16, zero before. x is in the order of ids, with
// scales per 1×SCALED_K. Programs (N / BLOCK_N, blocks of ids).
kernel void moe_down(const f8e4m3fnuz *x, const f8e4m3fnuz *weight, bf16 *out, const f32 *x_scale, const f32 *weight_scale, const f32 *gate,
                     const i32 *ids, const i32 *experts, const i32 *valid, i32 tokens, i32 N, i32 K, constexpr bool BLOCKS = false,
                     constexpr i32 XCDS = 1, constexpr i32 SCALED_K = 64, constexpr i32 BLOCK_M = 32, constexpr i32 BLOCK_N = 64)
{
    i32 block, block_n;
    find_tile(&block_n, &block, XCDS);
    if (block * BLOCK_M >= *valid)
        return;
    i32 place[BLOCK_M] = block * BLOCK_M + range(BLOCK_M), token[BLOCK_M] = load(ids + place) & 0xffffff;
    i32 rk[SCALED_K] = range(SCALED_K), flat[SCALED_K * 16] = range(SCALED_K * 16), group[BLOCK_N / 16] = range(BLOCK_N / 16);
    i64 first = (i64)experts[block] * N + block_n * BLOCK_N;
    const f8e4m3fnuz *pa[BLOCK_M][SCALED_K] = x + place[:, None] * K + rk[None, :];
    const f8e4m3fnuz *pb[BLOCK_N / 16][SCALED_K * 16] = weight + first * K + group[:, None] * (K * 16) + flat[None, :];
    const f32 *pas[BLOCK_M] = x_scale + place, *pbs = weight_scale + first / SCALED * (K / SCALED);
    f32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += SCALED_K) {
        f8e4m3fnuz a[BLOCK_M][SCALED_K] = load(pa), t[BLOCK_N / 16][SCALED_K * 16] = load(pb);
        f8e4m3fnuz b[BLOCK_N][SCALED_K] = reshape(trans(reshape(t, BLOCK_N / 16, SCALED_K / 16, 16, 16), 0, 2, 1, 3), BLOCK_N, SCALED_K);
        f32 scale[BLOCK_M] = load(pas);
        if constexpr (BLOCKS)
            scale *= pbs[k / SCALED];
        acc += dot(a, trans(b)) * scale[:, None];
        pa += SCALED_K;
        pb += SCALED_K * 16;
        pas += num_programs(1) * BLOCK_M;
    }
    i32 rn[BLOCK_N] = block_n * BLOCK_N + range(BLOCK_N);
    if constexpr (!BLOCKS)
        acc *= load(weight_scale + experts[block] * N + rn)[None, :];
    acc *= load(gate + place)[:, None];
    atomic_add(out + token[:, None] * N + rn[None, :], (bf16)acc, token[:, None] < tokens, .order = relaxed);
}
