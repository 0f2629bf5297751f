// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's offload bundles: code objects for several targets in one file or section, plain or compressed.
#ifndef KILN_SIM_BUNDLE_H
#define KILN_SIM_BUNDLE_H

#include "core/error.h"
#include "core/inflate.h"

// Whether a bundle begins there.
bool kiln_sim_is_bundle(const kiln_sim_source_t *source);

// The code object that suits this device best, of the first bundle that has one; further bundles may follow one another,
// with zeros between. The caller frees it. NULL after an error: KILN_SIM_NO_BINARY_FOR_GPU, with the targets that there
// are, KILN_SIM_INVALID_IMAGE or KILN_SIM_OUT_OF_MEMORY.
uint8_t *kiln_sim_unbundle(const kiln_sim_source_t *source, size_t *size, kiln_sim_error_t *error);

// How well an entry of a bundle suits this device, a gfx942 with SRAM ECC and without XNACK, by its name: 0 not at all;
// more for gfx942 than for its generic target, and for features that are named.
unsigned kiln_sim_suits(const char *entry);

#endif
