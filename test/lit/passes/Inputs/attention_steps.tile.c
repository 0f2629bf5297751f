// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention without masks: keys are a multiple of N.
kernel void attention(const f16 *q, const f16 *k, const f16 *v, f16 *out, i32 keys, f32 scale, constexpr i32 D = 128,
                      constexpr i32 M = 128, constexpr i32 N = 32)
{
    i32 m[M] = program_id(0) * M + range(M), n[N] = range(N), d[D] = range(D);
    f16 x[M][D] = load(q + m[:, None] * D + d[None, :]);
    const f16 *pk[D][N] = k + n[None, :] * D + d[:, None];
    const f16 *pv[N][D] = v + n[:, None] * D + d[None, :];
    f32 acc[M][D] = 0, top[M] = -INFINITY, total[M] = 0;
    for (i32 first = 0; first < keys; first += N) {
        f32 score[M][N] = dot(x, load(pk));
        f32 higher[M] = maximum(top, max(score, 1) * scale);
        f32 p[M][N] = exp2(fma(score, scale, -higher[:, None]));
        f32 shrink[M] = exp2(top - higher);
        total = total * shrink + sum(p, 1);
        acc = dot((f16)p, load(pv), acc * shrink[:, None]);
        top = higher;
        pk += N * D;
        pv += N * D;
    }
    store(out + m[:, None] * D + d[None, :], (f16)(acc / total[:, None]));
}
