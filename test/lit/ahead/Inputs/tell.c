// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches a kernel that prints.
#include "tell.h"

#include <stdio.h>

int main(void)
{
    void *memory;
    float value = 0;
    tell_kernel_t kernel;
    if (hipMalloc(&memory, sizeof value) || tell_load(&kernel))
        return 1;
    const int error = (int)tell_launch(&kernel, NULL, (float *)memory, 7);
    if (hipDeviceSynchronize() || hipMemcpy(&value, memory, sizeof value, hipMemcpyDeviceToHost))
        return 1;
    printf("error %d, %g\n", error, (double)value);
    return (int)tell_unload(&kernel);
}
