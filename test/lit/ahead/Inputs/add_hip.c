// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds two vectors through the header of --emit=header; also C++.
#include "vec_add.h"

#include <stdio.h>

enum { N = 1008 };
static float x[N], y[N], z[N];

static void check(hipError_t error, const char *what)
{
    if (error != hipSuccess)
        printf("%s: %s\n", what, hipGetErrorString(error));
}

int main(void)
{
    void *on_device[3];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(2 * i);
    }
    for (int i = 0; i < 3; i++)
        check(hipMalloc(&on_device[i], sizeof x), "hipMalloc");
    check(hipMemcpy(on_device[0], x, sizeof x, hipMemcpyHostToDevice), "hipMemcpy");
    check(hipMemcpy(on_device[1], y, sizeof y, hipMemcpyHostToDevice), "hipMemcpy");
    const float *a = (const float *)on_device[0], *b = (const float *)on_device[1];
    float *c = (float *)on_device[2];

    vec_add_kernel_t kernel;
    check(vec_add_load(&kernel), "load");
    check(vec_add_launch(&kernel, NULL, a, b, c, N), "launch");
    check(hipMemcpy(z, on_device[2], sizeof z, hipMemcpyDeviceToHost), "hipMemcpy");
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += z[i] != (float)(3 * i);
    printf("%d of %d wrong\n", wrong, (int)N);

    uint32_t grid[3];
    const char *reason = vec_add_refuses(grid, a, b, c, N);
    printf("grid %s: %u %u %u\n", reason ? reason : "taken", grid[0], grid[1], grid[2]);
    const int32_t sizes[] = {7, 0, 8192};
    for (int i = 0; i < 3; i++)
        printf("n = %d: error %d, %s\n", (int)sizes[i], (int)vec_add_launch(&kernel, NULL, a, b, c, sizes[i]),
               vec_add_refuses(grid, a, b, c, sizes[i]));
    printf("x + 1: error %d, %s\n", (int)vec_add_launch(&kernel, NULL, a + 1, b, c, N),
           vec_add_refuses(grid, a + 1, b, c, N));
    check(vec_add_unload(&kernel), "unload");
    for (int i = 0; i < 3; i++)
        check(hipFree(on_device[i]), "hipFree");
    return wrong;
}
