// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// out = scale · (x + y), one block of elements per program. Launch on cdiv(n, BLOCK) programs.

kernel void add(const f32 *x, const f32 *y, f32 *out, i32 n, f32 scale, constexpr i32 BLOCK = 256)
{
    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);
    bool inside[BLOCK] = i < n;
    store(out + i, scale * (load(x + i, inside) + load(y + i, inside)), inside);
}
