// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = f(A · B + bias) with the epilogues of hipBLASLt: none, ReLU, GELU (by tanh), and GELU's
// gradient. For training the forward pass stores A · B + bias in `aux`, and the backward pass
// multiplies by the derivative there. A is M × K, B is K × N, the bias has N elements; all
// row-major and dense.

enum { LINEAR, RELU, GELU, GELU_GRADIENT };

// tanh's argument: √(2/π) · (x + 0.044715 x³)
auto gelu_inner(auto x)
{
    return 0.7978845608f32 * (x + 0.044715f32 * x * x * x);
}

auto gelu(auto x)
{
    return 0.5f32 * x * (1 + tanh(gelu_inner(x)));
}

auto gelu_gradient(auto x)
{
    auto t = tanh(gelu_inner(x));
    return 0.5f32 * (1 + t) +
           0.5f32 * x * (1 - t * t) * 0.7978845608f32 * (1 + 3 * 0.044715f32 * x * x);
}

[[grid(cdiv(M, BLOCK_M) * cdiv(N, BLOCK_N))]]
[[arguments(a = f16[M, K]:random:1, b = f16[K, N]:random:2, c = f16[M, N], bias = f16[N]:random:3, aux = f16[M, N])]]
[[tune(BLOCK_M = 32..256*2, BLOCK_N = 32..256*2, BLOCK_K = 32..128*2), tune(num_warps = 4, 8, num_stages = 1..3)]]
kernel void gemm_epilogue(const f16 *a, const f16 *b, f16 *c, const f16 *bias, f16 *aux, i32 M,
                          i32 N, i32 K, constexpr i32 ACTIVATION = LINEAR,
                          constexpr bool HAS_BIAS = true, constexpr bool KEEP = false,
                          constexpr i32 BLOCK_M = 128, constexpr i32 BLOCK_N = 128,
                          constexpr i32 BLOCK_K = 32, constexpr i32 GROUP_M = 8)
{
    i32 blocks_m = cdiv(M, BLOCK_M), blocks_n = cdiv(N, BLOCK_N), pid = program_id(0);
    i32 first_m = pid / (GROUP_M * blocks_n) * GROUP_M;
    i32 group_m = minimum(blocks_m - first_m, GROUP_M);
    i32 rm[BLOCK_M] = (first_m + pid % (GROUP_M * blocks_n) % group_m) * BLOCK_M + range(BLOCK_M);
    i32 rn[BLOCK_N] = pid % (GROUP_M * blocks_n) / group_m * BLOCK_N + range(BLOCK_N);
    i32 rk[BLOCK_K] = range(BLOCK_K);

    const f16 *pa[BLOCK_M][BLOCK_K] = a + (rm % M) [:, None] * K + rk [None, :];
    const f16 *pb[BLOCK_K][BLOCK_N] = b + rk[:, None] * N + (rn % N)[None, :];
    f32 acc[BLOCK_M][BLOCK_N] = 0;
    for (i32 k = 0; k < K; k += BLOCK_K) {
        f16 x[BLOCK_M][BLOCK_K] = load(pa, rk [None, :] < K - k, 0);
        f16 y[BLOCK_K][BLOCK_N] = load(pb, rk[:, None] < K - k, 0);
        acc = dot(x, y, acc);
        pa += BLOCK_K;
        pb += BLOCK_K * N;
    }

    i32 at[BLOCK_M][BLOCK_N] = rm[:, None] * N + rn [None, :];
    bool inside[BLOCK_M][BLOCK_N] = rm[:, None] < M && rn [None, :] < N;
    if constexpr (HAS_BIAS)
        acc += load(bias + rn, rn < N, 0)[None, :];
    if constexpr (KEEP)
        store(aux + at, (f16)acc, inside);
    if constexpr (ACTIVATION == RELU)
        acc = maximum(acc, 0);
    if constexpr (ACTIVATION == GELU)
        acc = gelu(acc);
    if constexpr (ACTIVATION == GELU_GRADIENT)
        acc *= gelu_gradient((f32)load(aux + at, inside, 0));
    store(c + at, (f16)acc, inside);
}
