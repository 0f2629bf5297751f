// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies n elements: what memory gives a kernel that does nothing else.

[[grid(cdiv(n, BLOCK))]]
kernel void copy(const f32 *x, f32 *z, i64 n, constexpr i32 BLOCK = 2048)
{
    i64 i[BLOCK] = (i64)program_id(0) * BLOCK + range(BLOCK);
    store(z + i, load(x + i, i < n), i < n);
}
