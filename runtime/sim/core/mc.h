// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's MC layer as a C interface: which gfx942 instruction do these bytes hold, and how does it print?
//
// What a reader gets wrong: a kiln_sim_mc_t is not thread-safe, not even for printing; its owner locks.
#ifndef KILN_SIM_MC_H
#define KILN_SIM_MC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_sim_mc kiln_sim_mc_t;

// NULL when LLVM was built without the AMDGPU target or memory ran out.
kiln_sim_mc_t *kiln_sim_mc_create(void);
void kiln_sim_mc_destroy(kiln_sim_mc_t *mc);

// Decodes one instruction and prints it ("v_add_f32_e32 v0, v1, v2") into text. Returns its size in bytes, 4 or 8; 0
// where the bytes are no instruction of gfx942. Then, too, text is filled where LLVM can print the instruction but
// remarks that its operands are wrong ("/*Invalid register ...").
unsigned kiln_sim_mc_decode(kiln_sim_mc_t *mc, const uint8_t *bytes, size_t count, uint64_t address, char *text,
                            size_t text_size);

// One for all programs of the process, and all threads, which take turns with it: it is half a megabyte, and the same for all
// code. It is there as long as somebody holds it. False where it can't be made. In core/mc_shared.c.
bool kiln_sim_shared_mc_hold(void);
void kiln_sim_shared_mc_release(void);
unsigned kiln_sim_shared_mc_decode(const uint8_t *bytes, size_t count, uint64_t address, char *text, size_t text_size);

#ifdef __cplusplus
}
#endif

#endif
