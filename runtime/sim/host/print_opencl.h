// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the records of OpenCL's printf.
#ifndef KILN_SIM_PRINT_OPENCL_H
#define KILN_SIM_PRINT_OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Size in bytes of an OpenCL printf record that a metadata `entry` describes
// ("NUMBER:COUNT:SIZE:…:FORMAT"): the format's number (four bytes), then arguments of these sizes,
// strings among them, each rounded up to a dword. 0 if the entry is damaged.
size_t kiln_sim_print_opencl_bytes(const char *entry);

// Prints a record on stdout, which the caller flushes. False if arguments and format do not match,
// or memory is exhausted.
bool kiln_sim_print_opencl(const char *entry, const uint8_t *record);

#endif
