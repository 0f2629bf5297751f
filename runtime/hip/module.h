// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inside of modules and of the kernels in them.
#ifndef KILN_HIP_MODULE_H
#define KILN_HIP_MODULE_H

#include <pthread.h>

#include "hip/device.h"
#include "hip/kernel_block.h"

struct kiln_function {
    kiln_module_t *module;
    void *handle;
    char *name;
    kiln_kernel_block_t block;
    struct kiln_function *next;
};

struct kiln_module {
    kiln_device_t *device;
    void *handle;
    bool is_foreign;            // not to be unloaded
    json_t *metadata;           // of the code object; NULL where it has none, or is not known
    pthread_mutex_t lock;       // of the list
    kiln_function_t *functions; // those asked for so far
};

// Takes the kernel's own block where the launch names none, and refuses another where the kernel has to have its own.
kiln_status_t kiln_function_choose_block(const kiln_function_t *function, kiln_launch_t *launch);

#endif
