// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detects uses of undefined values: as an address, as a branch condition, in EXEC, or as data
// stored to memory.
//
// Definedness is propagated with values: one bit for each byte of a vector register's lanes, for
// each bit of a scalar register (a mask has a lane in each bit), for each byte of LDS and of device
// memory. Copies and arithmetic propagate it (check/undefined_compute.c), and so do loads and
// stores (check/undefined_memory.c). Only a use that has an effect outside of the wave's registers
// is reported. The value is then marked as defined, so that one mistake is reported once.
//
// Lanes that EXEC or a buffer descriptor masks use nothing.
#include "check/undefined.h"

// Returns the first register of an operand that is undefined in those lanes; if all are defined,
// the register after the operand's last.
static unsigned first_undefined(const check_shadow_t *s, const kiln_sim_operand_t *op,
                                uint64_t lanes, bool gaps)
{
    unsigned number = op->reg, end = op->reg + op->dwords;
    for (; number < end; number++) {
        uint64_t undefined = op->kind == KILN_SIM_OP_VGPR
                                 ? s->any[number] & ~(gaps ? 0 : s->gaps[number]) & lanes
                                 : s->scalar[number];
        if (undefined)
            break;
    }
    return number;
}

void kiln_sim_check_undefined_use(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                                  const kiln_sim_operand_t *op, uint64_t lanes, const char *use)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    bool vector = op->kind == KILN_SIM_OP_VGPR;
    if (!vector && op->kind != KILN_SIM_OP_SGPR)
        return;
    const unsigned end = op->reg + op->dwords;
    unsigned number = first_undefined(s, op, lanes, false); // preferred to a gap of a structure
    if (number == end)
        number = first_undefined(s, op, lanes, true);
    if (number == end)
        return;
    char name[24];
    kiln_sim_register_name(vector ? number : KILN_SIM_FIRST_SGPR + number, name, sizeof name);
    kiln_sim_check_found(wave, inst, NULL, vector ? __builtin_ctzll(s->any[number] & lanes) : -1,
                         KILN_SIM_CHECK_INDEX_UNDEFINED,
                         "%s is used as %s, but its value was never defined", name, use);
    for (number = op->reg; number < end; number++) {
        if (vector)
            check_shadow_clear(s, number, UINT64_MAX);
        else
            s->scalar[number] = 0;
    }
}

static void run_branch(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    if (s->scc && kiln_sim_inst_starts(inst, "s_cbranch_scc")) {
        kiln_sim_check_found(wave, inst, NULL, -1, KILN_SIM_CHECK_INDEX_UNDEFINED,
                             "a branch depends on SCC, which was computed from undefined values");
        s->scc = false;
    } else if (kiln_sim_inst_starts(inst, "s_cbranch_vcc")) {
        const kiln_sim_operand_t vcc = {
            .kind = KILN_SIM_OP_SGPR, .reg = KILN_SIM_SGPR_VCC, .dwords = 2};
        uint64_t open = s->scalar[KILN_SIM_SGPR_VCC] | (uint64_t)s->scalar[KILN_SIM_SGPR_VCC + 1]
                                                           << 32;
        if (open && (wave->vcc & ~open) == 0)
            kiln_sim_check_undefined_use(wave, inst, &vcc, 0, "a branch's condition");
    } else if (kiln_sim_inst_starts(inst, "s_setpc") || kiln_sim_inst_starts(inst, "s_swappc")) {
        kiln_sim_check_undefined_use(wave, inst, &inst->src[0], 0, "the address of a jump");
    }
    for (unsigned i = 0; inst->dst.kind == KILN_SIM_OP_SGPR && i < inst->dst.dwords; i++)
        s->scalar[inst->dst.reg + i] = 0;
}

void kiln_sim_check_undefined(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                              const check_facts_t *f)
{
    switch (inst->row->class_) {
    case KILN_SIM_CLASS_BRANCH:
        run_branch(wave, inst);
        break;
    case KILN_SIM_CLASS_SYNC:
        break;
    case KILN_SIM_CLASS_SALU:
    case KILN_SIM_CLASS_VALU:
    case KILN_SIM_CLASS_TRANS:
    case KILN_SIM_CLASS_MFMA:
        kiln_sim_check_undefined_compute(wave, inst, f);
        break;
    default:
        if (f->uses->crossbar)
            kiln_sim_check_undefined_compute(wave, inst, f);
        else
            kiln_sim_check_undefined_address(wave, inst, f);
        break;
    }
}

void kiln_sim_check_undefined_begin(kiln_sim_wave_t *wave)
{
    check_shadow_t *s = kiln_sim_check_shadow(wave);
    memset(s->any, 0xff, sizeof s->any);
    memset(s->bytes, 0xff, sizeof s->bytes);
    memset(s->gaps, 0, sizeof s->gaps);
    check_shadow_clear(s, 0, UINT64_MAX);
    // The dispatcher fills all registers with a pattern, and then those that the ABI defines.
    for (unsigned i = 0; i < KILN_SIM_SGPR_COUNT; i++)
        s->scalar[i] = wave->sgpr[i] == KILN_SIM_UNDEFINED ? UINT32_MAX : 0;
    s->scc = true;
}
