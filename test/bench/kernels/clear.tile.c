// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zeros before a kernel that adds to memory: a step of the problems of kernels/aiter.
[[grid(cdiv(count, BLOCK))]]
kernel void clear(f32 *x, i64 count, constexpr i32 BLOCK = 1024)
{
    i64 at[BLOCK] = (i64)program_id(0) * BLOCK + range(BLOCK);
    store(x + at, 0, at < count);
}
