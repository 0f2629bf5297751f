// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code object for this device in what a program loads: an ELF file, or a bundle of several
// (load/bundle.h), in a file or at an address.
#ifndef KILN_SIM_IMAGE_H
#define KILN_SIM_IMAGE_H

#include "sim/port/code_object.h"
#include "sim/port/error.h"

// Returns a copy of the code object, of *out_size bytes, which the caller frees. `size` is the
// source's, or KILN_SIM_UNKNOWN_SIZE: an ELF file's headers then determine it. NULL after an error;
// `error` is zeroed before, and not NULL.
uint8_t *kiln_sim_image_read(const kiln_sim_source_t *source, uint64_t size, size_t *out_size,
                             kiln_sim_error_t *error);

#endif
