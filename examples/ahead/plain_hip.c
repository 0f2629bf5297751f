// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vec_add.hsaco, launched with plain HIP; vec_add.json has all required facts. See
// docs/ahead-of-time.md.
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const int N = 1000;
static long manifest_number(const char *text, const char *member) // "member": NUMBER
{
    const char *at = strstr(text, member);
    return at ? strtol(at + strlen(member) + 2, NULL, 10) : 0;
}
int main(void)
{
    float x[1000], y[1000];
    void *a, *b, *c,
        *arguments[] = {&a, &b, &c, (void *)&N}; // x, y, z, n: the manifest's order and types
    static char manifest[1 << 16];
    hipModule_t module;
    hipFunction_t vec_add;
    FILE *file = fopen("vec_add.json", "r");
    manifest[file ? fread(manifest, 1, sizeof manifest - 1, file) : 0] = 0;
    for (int i = 0; i < N; i++)
        x[i] = (float)i, y[i] = (float)(2 * i);
    hipMalloc(&a, sizeof x), hipMalloc(&b, sizeof x), hipMalloc(&c, sizeof x);
    hipMemcpy(a, x, sizeof x, hipMemcpyHostToDevice),
        hipMemcpy(b, y, sizeof x, hipMemcpyHostToDevice);
    unsigned block = (unsigned)manifest_number(manifest, "\"block_size\""),
             groups = (unsigned)(N + 255) / 256;
    if (hipModuleLoad(&module, "vec_add.hsaco") ||
        hipModuleGetFunction(&vec_add, module, "vec_add") ||
        hipModuleLaunchKernel(vec_add, groups, 1, 1, block, 1, 1, 0, NULL, arguments, NULL))
        return 1;
    hipMemcpy(x, c, sizeof x, hipMemcpyDeviceToHost);
    hipFree(a), hipFree(b), hipFree(c), hipModuleUnload(module);
    return printf("z[999] = %g\n", (double)x[999]) < 0 || x[999] != 3 * 999;
}
