// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// z = x + y, one block of elements per program. Launch on cdiv(n, BLOCK) programs.

[[grid(cdiv(n, BLOCK)), tune(BLOCK = 256..4096*2, num_warps = 1, 2, 4, 8)]]
[[arguments(x = f32[n]:random:1, y = f32[n]:random:2, z = f32[n])]]
kernel void vec_add(const f32 *x, const f32 *y, f32 *z, i32 n, constexpr i32 BLOCK = 1024)
{
    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);
    bool inside[BLOCK] = i < n;
    store(z + i, load(x + i, inside) + load(y + i, inside), inside);
}
