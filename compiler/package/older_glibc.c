// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines the only function of glibc 2.36 that the statically linked LLVM and C++ library need, so
// that Kiln's binaries load with glibc 2.35, which Ubuntu 22.04 has.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void);
uint32_t arc4random(void)
{
    uint32_t bits;
    while (getrandom(&bits, sizeof bits, 0) !=
           (ssize_t)sizeof bits) // so few bytes can fail only with EINTR
        ;
    return bits;
}
