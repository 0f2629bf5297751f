// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One code object on two devices, and the comparison of buffers.
#ifndef KILN_VERIFY_LAUNCH_H
#define KILN_VERIFY_LAUNCH_H

#include "kiln/element.h"
#include "verify/verify.h"

// A code object in memory; symbol and bytes are from malloc.
typedef struct kiln_verify_code {
    char *bytes, *symbol;
    size_t size;
    unsigned block; // work-items per workgroup
} kiln_verify_code_t;
void kiln_verify_code_release(kiln_verify_code_t *code);

// Launches a kernel of a loaded module and waits. `args` are pointers to the parameters' values.
kiln_status_t kiln_verify_launch(kiln_device_t *device, kiln_module_t *module, const char *symbol,
                                 const unsigned grid[3], unsigned block, void *const *args);

// The same, of a code object that is loaded for this launch.
kiln_status_t kiln_verify_launch_code(kiln_device_t *device, const kiln_verify_code_t *code,
                                      const unsigned grid[3], void *const *args);

// Compares a buffer's contents after a launch on both devices, by bytes and else by the rules of
// kiln/compare.h. Adds to the counts of `result`; a difference sets verdict and text, unless an
// earlier buffer did.
void kiln_verify_compare(const char *name, kiln_element_type_t type, const void *gpu,
                         const void *simulator, size_t bytes, kiln_verify_result_t *result);

#endif
