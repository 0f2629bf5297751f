// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one function that LLVM and the C++ library, linked inside, want of glibc 2.36: with it here
// Kiln's binaries load from 2.35 on, which Ubuntu 22.04 has.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

uint32_t arc4random(void);
uint32_t arc4random(void)
{
    uint32_t bits;
    while (getrandom(&bits, sizeof bits, 0) !=
           (ssize_t)sizeof bits) // EINTR is all that can happen to so few bytes
        ;
    return bits;
}
