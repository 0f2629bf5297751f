// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef KILN_SIM_PRINT_OPENCL_H
#define KILN_SIM_PRINT_OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A record of an OpenCL kernel's printf: its format's number, and arguments of the sizes that `entry` of the metadata tells ("NUMBER:COUNT:SIZE:…:FORMAT"),
// each rounded up to a dword, strings among them.
// The bytes of the record that the entry describes, of which the first four are its number; 0 where the entry is damaged.
size_t kiln_sim_print_opencl_bytes(const char *entry);

// Prints it on stdout, which is the caller's to flush. False where arguments and format do not fit, or memory ends.
bool kiln_sim_print_opencl(const char *entry, const uint8_t *record);

#endif
