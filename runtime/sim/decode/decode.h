// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts encoding fields to operands.
#ifndef KILN_SIM_DECODE_H
#define KILN_SIM_DECODE_H

#include "decode/isa.h"
#include "sim/port/error.h"

// Returns the 128 dwords of a constant (64 × low, 64 × high), which live as long as the program.
// NULL: out of memory.
typedef const uint32_t *(*kiln_sim_constant_row_t)(void *context, uint64_t value);

// Fills inst from the instruction's dwords (size/4 of them). row, size and address are already set.
// Fails with KILN_SIM_LAUNCH_FAILURE for operands that gfx942 does not have, and with
// KILN_SIM_OUT_OF_MEMORY.
bool kiln_sim_decode_fields(kiln_sim_inst_t *inst, const uint32_t *words,
                            kiln_sim_constant_row_t constant_row, void *context,
                            kiln_sim_error_t *error);

// Returns the variant of the handlers with this name ("generic", "avx2", "avx512"). If there is
// none or this host cannot run it, returns the best variant that this host can run.
const kiln_sim_variant_t *kiln_sim_variant_find(const char *name);

// Finds the row of a printed instruction ("v_add_f32_e32 v0, v1, v2") with a variant's handlers, or
// NULL.
const kiln_sim_row_t *kiln_sim_row_find(const kiln_sim_variant_t *variant, const char *text);

#endif
