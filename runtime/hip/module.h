// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internals of modules and of their kernels.
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
    bool is_foreign;            // must not be unloaded
    json_t *metadata;           // of the code object; NULL if it has none or it is unknown
    pthread_mutex_t lock;       // protects the list
    kiln_function_t *functions; // those looked up so far
};

// Uses the kernel's own block if the launch specifies none, and rejects another block if the kernel
// requires its own.
kiln_status_t kiln_function_choose_block(const kiln_function_t *function, kiln_launch_t *launch);

#endif
