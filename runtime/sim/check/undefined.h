// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State that the parts of `undefined` share: the shadow of registers, with one bit for each byte of
// a lane, and the report of a use.
//
// `any` is the union of the four bytes' masks, which makes the test for the common case, nothing
// undefined, a single access.
#ifndef KILN_SIM_CHECK_UNDEFINED_H
#define KILN_SIM_CHECK_UNDEFINED_H

#include "check/state.h"

typedef struct check_shadow {
    uint64_t any[KILN_SIM_VGPR_ROWS];      // lanes with any undefined byte
    uint64_t bytes[KILN_SIM_VGPR_ROWS][4]; // lanes in which that byte is undefined
    uint64_t gaps[KILN_SIM_VGPR_ROWS];     // lanes in which undefined bytes are gaps of a structure
                                           // that is being copied
    uint32_t scalar[KILN_SIM_SGPR_COUNT];  // bits
    bool scc;
} check_shadow_t;

static inline check_shadow_t *kiln_sim_check_shadow(const kiln_sim_wave_t *wave)
{
    return &kiln_sim_check_group(wave->group)->shadows[wave->index];
}

// Sets the definedness of a register's byte in the lanes `where`.
static inline void check_shadow_set(check_shadow_t *s, unsigned row, unsigned byte, uint64_t where,
                                    uint64_t undefined)
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

// The lanes in which byte `at[lane] + index` was never written. at[lane] may be NULL for lanes that
// are not in `lanes`.
uint64_t kiln_sim_check_unwritten(const uint8_t *const at[KILN_GFX942_LANES], uint64_t lanes,
                                  unsigned index);

// check/undefined_format.c: transfers the components of a typed access from memory's marks (NULL:
// all defined) to registers. Lanes of EXEC that are not in `lanes` load defined values.
void kiln_sim_check_format_load(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                const kiln_sim_accesses_t *access,
                                const uint8_t *const marks[KILN_GFX942_LANES], uint64_t lanes);
// Lanes in which a stored component has undefined bytes.
uint64_t kiln_sim_check_format_data(const check_shadow_t *s, const kiln_sim_inst_t *inst,
                                    const kiln_sim_accesses_t *access);

// Computes the definedness of the results of an instruction that computes.
void kiln_sim_check_undefined_compute(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                      const check_facts_t *f);
// Checks the address operands of an instruction that accesses memory. Its accesses follow later.
void kiln_sim_check_undefined_address(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                      const check_facts_t *f);

// Reports the use of an operand that is undefined in `lanes` (scalars: at all), and marks it as
// defined.
void kiln_sim_check_undefined_use(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                  const kiln_sim_operand_t *op, uint64_t lanes, const char *use);

#endif
