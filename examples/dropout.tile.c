// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dropout without a mask in memory: element i is kept if the i-th random number of `seed` is at
// least p, and is then divided by 1 − p. The backward pass recomputes the same numbers: it is the
// same kernel applied to the gradient.

[[grid(cdiv(count, BLOCK))]]
[[arguments(p = 0.5, seed = 7, out = f16[count], in = f16[count]:random:1)]]
[[tune(BLOCK = 256..4096*2, num_warps = 1, 2, 4, 8)]]
kernel void dropout(f16 *out, const f16 *in, i32 count, f32 p, i64 seed, constexpr i32 BLOCK = 1024)
{
    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);
    f32 x[BLOCK] = load(in + i, i < count, 0);
    store(out + i, where(rand(seed, i) >= p, x / (1 - p), 0), i < count);
}
