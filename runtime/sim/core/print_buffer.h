// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other printf of kernels (clang's -mprintf-kind=buffered): lanes put records into a buffer in device memory, to which a hidden argument points, and
// the host prints them when the kernel has ended.
//
// What a reader gets wrong: a buffer that is full is no error. printf gives -1 there, and the kernel goes on.
#ifndef KILN_SIM_PRINT_BUFFER_H
#define KILN_SIM_PRINT_BUFFER_H

#include "core/code_object.h"

// An empty buffer in device memory, to be freed with kiln_sim_memory_free. NULL on failure.
uint8_t *kiln_sim_print_buffer_create(kiln_sim_memory_t *memory, kiln_sim_error_t *error);

// Prints what the kernel's waves have put there. False where a record is damaged; those before it are printed.
bool kiln_sim_print_buffer_print(const uint8_t *buffer, const kiln_sim_kernel_t *kernel, kiln_sim_error_t *error);

#endif
