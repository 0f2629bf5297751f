// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses outside of what was allocated, and accesses that the machine silently bends: LDS beyond the workgroup's
// bytes, misaligned buffers and scalar loads.
//
// What a reader gets wrong: global accesses outside of all allocations end the launch with or without this check; here
// they only become findings. A lane beyond a buffer descriptor's range is no error: kernels mask their tails that way.
#include "check_access.h"

void kiln_sim_check_fault(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, int lane, const char *what)
{
    bool on = wave->thread->launch->options->checks & KILN_SIM_CHECK_MEMORY;
    if (on && (inst->row->class_ == KILN_SIM_CLASS_SMEM || inst->row->class_ >= KILN_SIM_CLASS_LDS))
        kiln_sim_check_found(wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_MEMORY, "%s", what);
}

static void check_lds(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_access_t *a)
{
    static const char *const verbs[] = {"load", "store", "atomic"};
    for (unsigned part = 0; part < a->lds_parts; part++) {
        if (!a->lds_outside[part])
            continue;
        int lane = __builtin_ctzll(a->lds_outside[part]);
        kiln_sim_check_found(wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_MEMORY,
                             "%s of %u bytes at LDS offset 0x%x, but the workgroup has %u bytes: the machine %s",
                             verbs[a->lds_kind], a->lds_bytes, a->lds_at[part][lane], wave->group->lds_size,
                             a->lds_kind == KILN_SIM_LOAD ? "reads zero" : "drops it");
        return;
    }
}

static void check_scalar(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    if (inst->src[0].kind == KILN_SIM_OP_NONE || inst->src[0].dwords != 2 || strstr(inst->row->name, "scratch"))
        return;
    uint64_t at = kiln_sim_scalar_u64(wave, &inst->src[0]) + (uint64_t)(int64_t)inst->imm;
    if (inst->src[2].kind != KILN_SIM_OP_NONE)
        at += kiln_sim_scalar_u32(wave, &inst->src[2]);
    if (at & 3)
        kiln_sim_check_found(wave, inst, NULL, -1, KILN_SIM_CHECK_INDEX_MEMORY,
                             "misaligned scalar access at 0x%llx: the machine ignores the two low bits",
                             (unsigned long long)at);
}

static unsigned buffer_bytes(const kiln_sim_inst_t *inst)
{
    const char *name = inst->row->name;
    bool small = strstr(name, "byte") || strstr(name, "short");
    return inst->format == KILN_SIM_MUBUF && strstr(name, "dword") && !small ? 4 : 0;
}

static void check_buffer(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    bool plain = (inst->flags & KILN_SIM_INST_OFFEN) && !(inst->flags & KILN_SIM_INST_IDXEN);
    if (!plain || !buffer_bytes(inst) || inst->mem[0].kind != KILN_SIM_OP_SGPR)
        return;
    const uint32_t *v = &wave->sgpr[inst->mem[0].reg];
    uint32_t soffset = kiln_sim_scalar_u32(wave, &inst->mem[1]);
    for (uint64_t left = wave->exec; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        uint64_t offset = wave->vgpr[inst->src[0].reg][lane] + (uint32_t)inst->imm + (uint64_t)soffset;
        if (offset >= v[2] || ((v[0] + offset) & 3) == 0)
            continue;
        kiln_sim_check_found(wave, inst, NULL, lane, KILN_SIM_CHECK_INDEX_MEMORY,
                             "misaligned buffer access at offset 0x%llx: the machine ignores the two low bits",
                             (unsigned long long)offset);
        return;
    }
}

void kiln_sim_check_memory(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_access_t *a)
{
    if (inst->format == KILN_SIM_SMEM)
        check_scalar(wave, inst);
    if (!a)
        return;
    check_lds(wave, inst, a);
    if (inst->format == KILN_SIM_MUBUF)
        check_buffer(wave, inst);
}
