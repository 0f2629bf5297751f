// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that was compiled when this program was built, by kiln_add_kernels or by hand, in a
// file: only the runtime is needed.
#include "vectors.h"

int main(void)
{
    static char code[1 << 20];
    FILE *file = fopen(KILN_KERNELS_DIRECTORY "/add.hsaco", "rb");
    size_t size = file ? fread(code, 1, sizeof code, file) : 0;
    kiln_device_t *device;
    kiln_buffer_t *buffers[3];
    kiln_module_t *module;
    kiln_function_t *add;
    check(kiln_device_open(NULL, &device));
    make_vectors(device, buffers);
    check(kiln_module_load(device, code, size, &module));
    check(kiln_module_function(module, "add", &add));

    uint64_t x = kiln_buffer_address(buffers[0]), y = kiln_buffer_address(buffers[1]),
             out = kiln_buffer_address(buffers[2]);
    int32_t n = N;
    float scale = 0.5f;
    void *arguments[] = {&x, &y, &out, &n, &scale};
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.grid[0] = (N + BLOCK - 1) / BLOCK; // as it was compiled with
    launch.args = arguments;
    check(kiln_function_launch(add, &launch));
    check(check_sum(buffers, scale));
    kiln_module_release(module);
    fclose(file);
    return finish("ahead", device, buffers);
}
