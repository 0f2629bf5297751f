// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow and machine state: defines handlers for isa/sopp.def.
//
// s_waitcnt does nothing because memory operations complete when they are executed. s_barrier and
// s_sleep stop the wave; the scheduler (run/run.c) decides when it continues.
#include "run/machine.h"

#define BRANCH_IF(condition)                                                                       \
    if (condition)                                                                                 \
    wave->next = inst->target

static void barrier(kiln_sim_wave_t *wave)
{
    if (wave->group->wave_count > 1)
        kiln_sim_wave_stop(wave, KILN_SIM_STOP_BARRIER, wave->next);
}

static void sethalt(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    if (inst->imm & 1)
        kiln_sim_wave_fault(wave, inst, -1, "the wave halted itself and nothing can wake it");
}

// s_trap as the HSA trap handler executes it: 2 is llvm.trap; 3 is llvm.debugtrap, which continues
// if no debugger is attached.
static void trap(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    unsigned id = (unsigned)inst->imm & 255;
    if (id != 3 && id != 0)
        kiln_sim_wave_trap(wave, inst, id);
}

// ---- the branch stack: MODE.CSP counts levels of {EXEC, PC} in s[0:3], s[4:7], …

static unsigned stack_level(const kiln_sim_wave_t *wave)
{
    return wave->mode >> KILN_SIM_MODE_CSP_SHIFT;
}

static void set_stack_level(kiln_sim_wave_t *wave, unsigned level)
{
    wave->mode =
        (wave->mode & ((1u << KILN_SIM_MODE_CSP_SHIFT) - 1)) | level << KILN_SIM_MODE_CSP_SHIFT;
}

// Active lanes in the mask jump to `destination`, the others continue. If both sets are not empty,
// the smaller one runs first.
static void fork_lanes(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, uint64_t destination)
{
    uint64_t mask = kiln_sim_scalar_u64(wave, &inst->src[0]), pass = mask & wave->exec,
             fail = ~mask & wave->exec;
    if (pass != wave->exec && fail == wave->exec)
        return;
    if (pass == wave->exec) {
        kiln_sim_wave_jump(wave, inst, destination);
        return;
    }
    unsigned level = stack_level(wave);
    bool stay = __builtin_popcountll(fail) < __builtin_popcountll(pass);
    if (level == 7) {
        kiln_sim_wave_fault(wave, inst, -1, "branch stack overflow: at most 7 levels");
        return;
    }
    kiln_sim_sgpr_write_u64(wave, 4 * level, stay ? pass : fail);
    kiln_sim_sgpr_write_u64(wave, 4 * level + 2, stay ? destination : kiln_sim_next_pc(wave, inst));
    set_stack_level(wave, level + 1);
    wave->exec = stay ? fail : pass;
    if (!stay)
        kiln_sim_wave_jump(wave, inst, destination);
}

// The source is the stack level before the fork. The lanes saved above that level run first.
static void join_lanes(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    unsigned level = stack_level(wave);
    if (level == kiln_sim_scalar_u32(wave, &inst->src[0]))
        return;
    if (level == 0) {
        kiln_sim_wave_fault(wave, inst, -1, "branch stack underflow");
        return;
    }
    uint64_t pc;
    set_stack_level(wave, --level);
    memcpy(&wave->exec, &wave->sgpr[4 * level], sizeof wave->exec);
    memcpy(&pc, &wave->sgpr[4 * level + 2], sizeof pc);
    kiln_sim_wave_jump(wave, inst, pc);
}

// ---- relative addressing: uses all bits of M0

static uint32_t relative(const kiln_sim_wave_t *wave, const kiln_sim_operand_t *op)
{
    return op->reg + wave->m0;
}

static void movrel(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, uint32_t to, uint32_t from,
                   unsigned count)
{
    uint32_t value[2] = {0};
    if (inst->src[0].kind != KILN_SIM_OP_SGPR || from > 108 - count)
        from = 0; // out of range reads s0
    memcpy(value, &wave->sgpr[from], count * sizeof *value);
    memcpy(&wave->sgpr[to], value, count * sizeof *value);
}

static void movreld(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, unsigned count)
{
    uint64_t value = count == 2 ? kiln_sim_scalar_u64(wave, &inst->src[0])
                                : kiln_sim_scalar_u32(wave, &inst->src[0]);
    uint32_t to = relative(wave, &inst->dst);
    if (to <= 108 - count)
        memcpy(&wave->sgpr[to], &value, count * sizeof(uint32_t));
}

// ---- hardware registers

enum {
    HWREG_MODE = 1,
    HWREG_STATUS = 2,
    HWREG_TRAPSTS = 3,
    HWREG_HW_ID = 4,
    HWREG_GPR_ALLOC = 5,
    HWREG_LDS_ALLOC = 6,
    HWREG_SH_MEM_BASES = 15,
    HWREG_XCC_ID = 20
};

// Workgroups are distributed round-robin over the 8 XCDs, and over the 38 compute units of each.
static uint32_t hw_id(const kiln_sim_wave_t *wave)
{
    uint32_t unit = wave->group->index / 8 % 38;
    uint32_t simd = wave->index & 3, slot = wave->index >> 2 & 7;
    return slot | simd << 4 | (unit % 10) << 8 | (unit / 10) << 13;
}

static uint32_t hw_register(const kiln_sim_wave_t *wave, unsigned id)
{
    switch (id) {
    case HWREG_MODE:
        return wave->mode;
    case HWREG_STATUS:
        return wave->scc | (uint32_t)(wave->exec == 0) << 9 | (uint32_t)(wave->vcc == 0) << 10 |
               (uint32_t)(wave->group->wave_count > 1) << 11 | 1u << 16;
    case HWREG_HW_ID:
        return hw_id(wave);
    case HWREG_SH_MEM_BASES:
        return (uint32_t)(KILN_SIM_PRIVATE_BASE >> 48 | KILN_SIM_SHARED_BASE >> 48 << 16);
    case HWREG_LDS_ALLOC:
        return (wave->group->lds_size + 511) / 512 << 12;
    case HWREG_XCC_ID:
        return wave->group->index % 8;
    default:
        return 0;
    }
}

static uint32_t field_mask(const kiln_sim_inst_t *inst, unsigned *offset)
{
    unsigned size = ((unsigned)inst->imm >> 11 & 31) + 1;
    *offset = (unsigned)inst->imm >> 6 & 31;
    return (size == 32 ? UINT32_MAX : (1u << size) - 1);
}

static uint32_t getreg(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    unsigned offset;
    uint32_t mask = field_mask(inst, &offset);
    return hw_register(wave, (unsigned)inst->imm & 63) >> offset & mask;
}

// A program can only write MODE; writes of other registers are ignored.
static void setreg(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    unsigned offset;
    uint32_t mask = field_mask(inst, &offset), value = kiln_sim_scalar_u32(wave, &inst->src[0]);
    if (((unsigned)inst->imm & 63) != HWREG_MODE)
        return;
    mask <<= offset;
    wave->mode = (wave->mode & ~mask) | (value << offset & mask);
    kiln_sim_wave_mode_changed(wave);
}

static void set_gpr_idx_on(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t index = kiln_sim_scalar_u32(wave, &inst->src[0]);
    wave->m0 = (wave->m0 & ~0xf0ffu) | (index & 0xff) | (inst->gpr_idx & 15u) << 12;
    wave->mode |= KILN_SIM_MODE_GPR_IDX_EN;
    kiln_sim_wave_mode_changed(wave);
}

static void setvskip(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint32_t bit = kiln_sim_scalar_u32(wave, &inst->src[0]) >>
                       (kiln_sim_scalar_u32(wave, &inst->src[1]) & 31) &
                   1;
    wave->mode =
        bit ? wave->mode | KILN_SIM_MODE_VSKIP : wave->mode & ~(uint32_t)KILN_SIM_MODE_VSKIP;
    kiln_sim_wave_mode_changed(wave);
}

#define CONTROL(name, format, class, flags, D, A, B, ...)                                          \
    static void run_##name(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)                     \
    {                                                                                              \
        (void)wave;                                                                                \
        (void)inst;                                                                                \
        __VA_ARGS__;                                                                               \
    }
#include "isa/sopp.def"
#undef CONTROL

#define CONTROL(name_, format_, unit, flags_, D, A, B, ...)                                        \
    {.name = #name_,                                                                               \
     .run = run_##name_,                                                                           \
     .format = KILN_SIM_##format_,                                                                 \
     .class_ = KILN_SIM_CLASS_##unit,                                                              \
     .cycles = KILN_SIM_CLASS_##unit == KILN_SIM_CLASS_SYNC ? 0 : 4,                               \
     .dst = KILN_SIM_T_##D,                                                                        \
     .src = {KILN_SIM_T_##A, KILN_SIM_T_##B},                                                      \
     .flags = (flags_)},
static const kiln_sim_row_t rows[] = {
#include "isa/sopp.def"
};

const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_sopp) = {rows, sizeof rows / sizeof rows[0]};
