// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's offload bundles: code objects for several targets in one file or section, plain or
// compressed.
#ifndef KILN_SIM_BUNDLE_H
#define KILN_SIM_BUNDLE_H

#include "load/inflate.h"
#include "sim/port/error.h"

// Whether the source starts with a bundle.
bool kiln_sim_is_bundle(const kiln_sim_source_t *source);

// Returns the code object that best suits this device, from the first bundle that has one. Bundles
// may follow one another, with zeros between them. The caller frees it. NULL after an error:
// KILN_SIM_NO_BINARY_FOR_GPU, which lists the targets found, KILN_SIM_INVALID_IMAGE or
// KILN_SIM_OUT_OF_MEMORY.
uint8_t *kiln_sim_unbundle(const kiln_sim_source_t *source, size_t *size, kiln_sim_error_t *error);

// How well a bundle entry of this name suits this device, a gfx942 with SRAM ECC and without XNACK:
// 0 if it cannot run; higher for gfx942 than for its generic target, and higher if features are
// named.
unsigned kiln_sim_suits(const char *entry);

#endif
