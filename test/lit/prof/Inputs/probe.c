// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks whether it is linked with a HIP library.
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    printf("launches: %d\n", dlsym(RTLD_DEFAULT, "hipModuleLaunchKernel") != NULL);
    return 0;
}
