// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is linked into this program twice, with two sizes of block; its launcher knows
// arguments, ranges and grid.
#include "large.h"
#include "small.h"
#include "vectors.h"

int main(void)
{
    kiln_device_t *device;
    kiln_buffer_t *buffers[3];
    small_kernel_t small;
    large_kernel_t large;
    check(kiln_device_open(NULL, &device));
    make_vectors(device, buffers);
    check(small_load(&small, device));
    check(small_launch(&small, NULL, buffers[0], buffers[1], buffers[2], N, 2));
    check(check_sum(buffers, 2));
    kiln_status_t refused =
        small_launch(&small, NULL, buffers[0], buffers[1], buffers[2], N + 1, 2);
    if (!refused)
        return 1;
    kiln_status_free(refused);
    check(large_load(&large, device));
    check(large_launch(&large, NULL, buffers[0], buffers[1], buffers[2], N, 3));
    check(check_sum(buffers, 3));
    small_unload(&small);
    large_unload(&large);
    return finish("embedded", device, buffers);
}
