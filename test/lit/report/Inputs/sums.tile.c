// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sums.tile.h"
kernel void sums(const f16 *x, f32 *y, i32 n, constexpr i32 B = 1024)
{
    f32 sum[B] = 0;
    for (i32 k = 0; k < n; k++)
        sum += block(x, k, B);
    store(y + program_id(0) * B + range(B), sum);
}
