// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of `undefined` share: shadow of registers, one bit for each byte of a lane, and how a use is told.
//
// What a reader gets wrong: `any` is the union of the four bytes' masks, kept so that the common case, nothing is
// undefined, is one look.
#ifndef KILN_SIM_CHECK_UNDEFINED_H
#define KILN_SIM_CHECK_UNDEFINED_H

#include "check/state.h"

typedef struct check_shadow {
    uint64_t any[KILN_SIM_VGPR_ROWS];      // lanes of which some byte is undefined
    uint64_t bytes[KILN_SIM_VGPR_ROWS][4]; // lanes of which that byte is
    uint64_t gaps[KILN_SIM_VGPR_ROWS];     // lanes in which those bytes are a structure's gaps, while it is copied
    uint32_t scalar[KILN_SIM_SGPR_COUNT];  // bits
    bool scc;
} check_shadow_t;

static inline check_shadow_t *kiln_sim_check_shadow(const kiln_sim_wave_t *wave)
{
    return &kiln_sim_check_group(wave->group)->shadows[wave->index];
}

// Gives a byte of a register its definedness in the lanes `where`.
static inline void check_shadow_set(check_shadow_t *s, unsigned row, unsigned byte, uint64_t where, uint64_t undefined)
{
    uint64_t *b = s->bytes[row];
    b[byte] = (b[byte] & ~where) | (undefined & where);
    s->gaps[row] &= ~where;
    s->any[row] = b[0] | b[1] | b[2] | b[3];
}

static inline void check_shadow_clear(check_shadow_t *s, unsigned row, uint64_t where)
{
    if (s->any[row] & where) {
        for (unsigned i = 0; i < 4; i++)
            s->bytes[row][i] &= ~where;
        s->any[row] &= ~where;
        s->gaps[row] &= ~where;
    }
}

// Of which lanes byte `at[lane] + index` was written by nobody. NULL where a lane takes no part.
uint64_t kiln_sim_check_unwritten(const uint8_t *const at[KILN_SIM_LANES], uint64_t lanes, unsigned index);

// check/undefined_format.c: components of a typed access, from marks of memory (NULL: all defined) to registers. Lanes of
// exec that are not in `lanes` load what is defined.
void kiln_sim_check_format_load(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_accesses_t *access,
                                const uint8_t *const marks[KILN_SIM_LANES], uint64_t lanes);
// Lanes of which a component that goes to memory has undefined bytes.
uint64_t kiln_sim_check_format_data(const check_shadow_t *s, const kiln_sim_inst_t *inst,
                                    const kiln_sim_accesses_t *access);

// An instruction that computes: gives its results the definedness that its sources make.
void kiln_sim_check_undefined_compute(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_facts_t *f);
// An instruction that accesses memory: what it takes its addresses from. Where its lanes get to is told later.
void kiln_sim_check_undefined_address(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_facts_t *f);

// Tells the use of an operand where it is undefined in `lanes` (scalars: at all), and forgives it.
void kiln_sim_check_undefined_use(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_operand_t *op,
                                  uint64_t lanes, const char *use);

#endif
