// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C interface to LLVM's MC layer: which gfx942 instruction do these bytes hold, and how is it
// printed?
//
// A kiln_sim_mc_t is not thread-safe, not even for printing; its owner must lock.
#ifndef KILN_SIM_MC_H
#define KILN_SIM_MC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_sim_mc kiln_sim_mc_t;

// NULL if LLVM was built without the AMDGPU target or memory is exhausted.
kiln_sim_mc_t *kiln_sim_mc_create(void);
void kiln_sim_mc_destroy(kiln_sim_mc_t *mc);

// Decodes one instruction and prints it ("v_add_f32_e32 v0, v1, v2") into text. Returns its size in
// bytes, 4 or 8, or 0 if the bytes are not a gfx942 instruction. In that case, too, text is filled
// if LLVM can print the instruction with a remark that its operands are invalid ("/*Invalid
// register ...").
unsigned kiln_sim_mc_decode(kiln_sim_mc_t *mc, const uint8_t *bytes, size_t count, uint64_t address,
                            char *text, size_t text_size);

// One decoder for all programs and threads of the process, which use it in turn, since it takes
// half a megabyte and is the same for all code. It exists while at least one holder exists. False
// if it cannot be created. In decode/mc_shared.c.
bool kiln_sim_shared_mc_hold(void);
void kiln_sim_shared_mc_release(void);
unsigned kiln_sim_shared_mc_decode(const uint8_t *bytes, size_t count, uint64_t address, char *text,
                                   size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
