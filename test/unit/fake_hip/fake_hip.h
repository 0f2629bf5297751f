// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fake HIP library's record of its last launch, returned by fakeHipLastLaunch, which tests find
// by dlsym.
#ifndef FAKE_HIP_H
#define FAKE_HIP_H

#include <stddef.h>

typedef struct fake_launch {
    int count; // launches so far
    unsigned grid[3], block[3], lds;
    void *stream;
    char function[64];
    unsigned char kernarg[256]; // packed argument bytes, or those that the pointers of an args
                                // launch point to, 8 each
    size_t kernarg_size;
} fake_launch_t;

typedef const fake_launch_t *(*fake_last_launch_fn)(void);

#endif
