// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A preloaded library that counts launches and passes them on, as tools of other projects do.
#include <dlfcn.h>
#include <stdio.h>

static int count;

int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned lds, void *stream, void **params,
                          void **extra)
{
    int (*next)() = (int (*)())dlsym(RTLD_NEXT, "hipModuleLaunchKernel");
    count++;
    return next ? next(function, gx, gy, gz, bx, by, bz, lds, stream, params, extra) : 500;
}

int hipDeviceSynchronize(void)
{
    int (*next)() = (int (*)())dlsym(RTLD_NEXT, "hipDeviceSynchronize");
    return next ? next() : 500;
}

__attribute__((destructor)) static void report(void)
{
    if (count)
        fprintf(stderr, "interposed: %d\n", count);
}
