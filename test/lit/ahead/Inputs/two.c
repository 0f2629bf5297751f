// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two headers in one program, one of a kernel without a grid.
#include "large.h"
#include "small.h"

#include <stdio.h>

int main(void)
{
    small_kernel_t small;
    large_kernel_t large;
    printf("%d %d\n", (int)small_load(&small), (int)large_load(&large));
    uint32_t grid[3];
    const char *reason = large_refuses(grid, 5, 6, 7, NULL, NULL, NULL, 1);
    printf("%s %u %u %u\n", reason ? reason : "taken", grid[0], grid[1], grid[2]);
    reason = small_refuses(grid, NULL, NULL, NULL, 1000);
    printf("%s %u %u %u\n", reason ? reason : "taken", grid[0], grid[1], grid[2]);
    printf("%d\n", (int)large_launch(&large, NULL, 0, 1, 1, NULL, NULL, NULL, 0));
    return (int)small_unload(&small) + (int)large_unload(&large);
}
