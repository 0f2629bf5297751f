// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts how often each byte occurs. A program counts its tile in LDS and adds its counts to the
// global ones.

[[grid(cdiv(count, BLOCK)), tune(BLOCK = 1024..16384*2, num_warps = 1, 2, 4, 8)]]
[[arguments(counts = i32[256], in = u8[count]:random:1)]]
kernel void byte_histogram(i32 *counts, const u8 *in, i32 count, constexpr i32 BLOCK = 4096)
{
    i32 i[BLOCK] = program_id(0) * BLOCK + range(BLOCK);
    i32 mine[256] = histogram((i32)load(in + i, i < count, 0), 256, i < count);
    atomic_add(counts + range(256), mine, mine != 0, .order = relaxed);
}
