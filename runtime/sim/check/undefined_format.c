// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definedness in typed buffer accesses, per component: transfers it between memory and registers or
// their halves.
//
// A component is undefined as a whole, in all bytes of its register (or half), because the
// conversion mixes its bits. A component that dst_sel replaces by 0 or 1 is defined.
#include "check/undefined.h"

typedef struct typed {
    unsigned components; // number that the instruction names
    bool half, high;     // 16 bits per component, two per register; in the upper half
} typed_t;

static typed_t typed_of(const kiln_sim_inst_t *inst)
{
    const char *name = inst->row->name, *last = strrchr(name, '_') + 1;
    return (typed_t){(unsigned)strlen(last), strstr(name, "d16") != NULL,
                     strstr(name, "d16_hi") != NULL};
}

static unsigned count_of(const kiln_sim_accesses_t *a)
{
    unsigned count = 0;
    while (count < 4 && a->format[count])
        count++;
    return count;
}

// The bytes of a component's register.
static void place_of(const typed_t *t, unsigned component, unsigned *row, unsigned *first,
                     unsigned *bytes)
{
    *row = t->half ? component / 2 : component;
    *first = t->high || (t->half && component % 2) ? 2 : 0;
    *bytes = t->half ? 2 : 4;
}

void kiln_sim_check_format_load(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                const kiln_sim_accesses_t *a,
                                const uint8_t *const marks[KILN_GFX942_LANES], uint64_t lanes)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    const typed_t t = typed_of(inst);
    bool selects = inst->format == KILN_SIM_MUBUF;
    uint32_t select =
        selects ? wave->sgpr[inst->mem[0].reg + 3] & 0xfff : 4u | 5u << 3 | 6u << 6 | 7u << 9;
    for (unsigned i = 0; i < t.components; i++) {
        unsigned row, first, bytes, from = select >> (3 * i) & 7, bit = 0;
        uint64_t undefined = 0;
        if (marks && from >= 4 && from - 4 < count_of(a)) {
            for (unsigned c = 0; c < from - 4; c++)
                bit += a->format[c];
            for (unsigned b = bit / 8; b <= (bit + a->format[from - 4] - 1) / 8; b++)
                undefined |= kiln_sim_check_unwritten(marks, lanes, b);
        }
        place_of(&t, i, &row, &first, &bytes);
        for (unsigned b = 0; b < bytes; b++)
            check_shadow_set(s, inst->dst.reg + row, first + b, wave->exec, undefined);
    }
}

uint64_t kiln_sim_check_format_data(const check_shadow_t *s, const kiln_sim_inst_t *inst,
                                    const kiln_sim_accesses_t *a)
{
    const typed_t t = typed_of(inst);
    uint64_t bad = 0;
    for (unsigned i = 0; i < t.components && i < count_of(a); i++) {
        unsigned row, first, bytes;
        place_of(&t, i, &row, &first, &bytes);
        for (unsigned b = 0; b < bytes; b++)
            bad |= s->bytes[inst->src[1].reg + row][first + b];
    }
    return bad;
}
