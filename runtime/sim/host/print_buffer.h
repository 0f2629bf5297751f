// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The buffered printf of kernels (clang's -mprintf-kind=buffered): lanes append records to a buffer
// in device memory, which a hidden argument points to, and the host prints them after the kernel
// has ended.
//
// A full buffer is not an error: printf returns -1 and the kernel continues.
#ifndef KILN_SIM_PRINT_BUFFER_H
#define KILN_SIM_PRINT_BUFFER_H

#include "load/code_object.h"

// Allocates an empty buffer in device memory; free it with kiln_sim_memory_free. NULL on failure.
uint8_t *kiln_sim_print_buffer_create(kiln_sim_memory_t *memory, kiln_sim_error_t *error);

// Prints the records that the kernel's waves have written. False if a record is damaged; those
// before it are printed.
bool kiln_sim_print_buffer_print(const uint8_t *buffer, const kiln_sim_kernel_t *kernel,
                                 kiln_sim_error_t *error);

#endif
