// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers an instruction reads and writes, in which role, and which counters it raises.
//
// Idea: decoding has resolved the operands already; what is left are the implicit ones (VCC, M0, EXEC) and a few
// operands that are in the encoding but not in use, such as the destination of an atomic that returns nothing.
//
// What a reader gets wrong: registers that M0 picks while the program runs (s_movrel*, s_set_gpr_idx_on) are not in it.
#include "core/footprint.h"

#include <stdio.h>

#include "core/isa.h"

static void add(kiln_sim_footprint_t *f, unsigned first, unsigned count, unsigned role)
{
    if (count && f->count < sizeof f->spans / sizeof f->spans[0])
        f->spans[f->count++] =
            (kiln_sim_registers_t){.first = (uint16_t)first, .count = (uint8_t)count, .role = (uint16_t)role};
}

static void add_operand(kiln_sim_footprint_t *f, const kiln_sim_operand_t *op, unsigned role)
{
    if (op->kind == KILN_SIM_OP_VGPR)
        add(f, op->reg, op->dwords, role);
    else if (op->kind == KILN_SIM_OP_SGPR && op->reg < KILN_SIM_SGPR_SINK)
        add(f, KILN_SIM_FIRST_SGPR + op->reg, op->dwords, role);
    else if (op->kind == KILN_SIM_OP_SPECIAL && op->reg == 251)
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_VCC, 2, role | KILN_SIM_USES_ZERO);
    else if (op->kind == KILN_SIM_OP_SPECIAL && op->reg == 252)
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_EXEC, 2, role | KILN_SIM_USES_ZERO);
}

static bool starts(const kiln_sim_inst_t *inst, const char *prefix)
{
    return strncmp(inst->row->name, prefix, strlen(prefix)) == 0;
}

static bool has(const kiln_sim_inst_t *inst, const char *part)
{
    return strstr(inst->row->name, part) != NULL;
}

static bool is_vmem(const kiln_sim_inst_t *inst)
{
    return inst->row->class_ >= KILN_SIM_CLASS_VMEM_LOAD;
}

bool kiln_sim_inst_to_lds(const kiln_sim_inst_t *inst)
{
    return (inst->format == KILN_SIM_MUBUF && (inst->flags & KILN_SIM_INST_LDS)) ||
           (inst->format == KILN_SIM_FLAT && has(inst, "_load_lds_"));
}

static kiln_sim_queue_t queue_of(const kiln_sim_inst_t *inst)
{
    if (inst->row->class_ == KILN_SIM_CLASS_SMEM)
        return KILN_SIM_QUEUE_SMEM;
    if (inst->row->class_ == KILN_SIM_CLASS_LDS)
        return starts(inst, "ds_nop") ? KILN_SIM_QUEUE_NONE : KILN_SIM_QUEUE_LDS;
    if (starts(inst, "s_sendmsg"))
        return KILN_SIM_QUEUE_SMEM;
    if (!is_vmem(inst) || starts(inst, "buffer_inv") || starts(inst, "buffer_wbinv"))
        return KILN_SIM_QUEUE_NONE;
    bool flat = inst->format == KILN_SIM_FLAT && !(inst->flags & (KILN_SIM_INST_GLOBAL | KILN_SIM_INST_SCRATCH));
    return flat ? KILN_SIM_QUEUE_FLAT : KILN_SIM_QUEUE_VM;
}

static void add_memory_reads(kiln_sim_footprint_t *f, const kiln_sim_inst_t *inst)
{
    if (inst->format == KILN_SIM_SMEM) {
        add_operand(f, &inst->src[0], KILN_SIM_READS_ADDRESS);
        add_operand(f, &inst->src[1], KILN_SIM_READS_DATA);
        add_operand(f, &inst->src[2], KILN_SIM_READS_ADDRESS);
        return;
    }
    bool crossbar = starts(inst, "ds_swizzle");
    add_operand(f, &inst->src[0], crossbar ? KILN_SIM_READS_DATA : KILN_SIM_READS_ADDRESS);
    add_operand(f, &inst->src[1], KILN_SIM_READS_DATA);
    add_operand(f, &inst->src[2], inst->format == KILN_SIM_DS ? KILN_SIM_READS_DATA : KILN_SIM_READS_ADDRESS);
    add_operand(f, &inst->mem[0], KILN_SIM_READS_ADDRESS);
    add_operand(f, &inst->mem[1], KILN_SIM_READS_ADDRESS);
    if (kiln_sim_inst_to_lds(inst) || has(inst, "addtid"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_M0, 1, KILN_SIM_READS_ADDRESS);
}

static void add_reads(kiln_sim_footprint_t *f, const kiln_sim_inst_t *inst)
{
    bool matrix = inst->row->class_ == KILN_SIM_CLASS_MFMA,
         lane = starts(inst, "v_readlane") || starts(inst, "v_writelane");
    bool sparse = matrix && (inst->row->flags & KILN_SIM_ROW_DST_IS_SRC);
    bool cross = starts(inst, "v_readlane") || starts(inst, "v_readfirstlane");
    for (unsigned i = 0; i < 3; i++) {
        unsigned role = KILN_SIM_READS_AB;
        if (i == 2 && ((matrix && !sparse) || starts(inst, "v_dot")))
            role = KILN_SIM_READS_C;
        else if (lane && i == 1)
            role |= KILN_SIM_READS_LANE;
        else if (i == 0 && cross)
            role |= KILN_SIM_READS_CROSS;
        if (inst->encoding == KILN_SIM_DPP && inst->src[i].kind == KILN_SIM_OP_VGPR)
            role |= KILN_SIM_USES_DPP;
        add_operand(f, &inst->src[i], role);
    }
    if (inst->row->flags & KILN_SIM_ROW_DST_IS_SRC)
        add_operand(f, &inst->dst, matrix ? KILN_SIM_READS_C : KILN_SIM_READS_AB);
    if (starts(inst, "v_div_fmas"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_VCC, 2, KILN_SIM_READS_MASK);
    if (starts(inst, "s_cbranch_vcc"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_VCC, 2, KILN_SIM_READS_AB);
    if (starts(inst, "s_sendmsg") || starts(inst, "s_movrel"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_M0, 1, KILN_SIM_READS_AB);
}

// Destinations that are also read as far as they are not written, and that LLVM therefore has as operands.
static void add_kept(kiln_sim_footprint_t *f, const kiln_sim_inst_t *inst)
{
    static const char *const parts[] = {"v_cvt_pk_fp8", "v_cvt_pk_bf8", "v_cvt_sr_",   "v_fma_mixlo",
                                        "v_fma_mixhi",  "v_mad_mixlo",  "v_mad_mixhi", "v_writelane"};
    if (inst->dst.kind != KILN_SIM_OP_VGPR)
        return;
    if (inst->encoding == KILN_SIM_DPP) // for LLVM even where all lanes are written
        add_operand(f, &inst->dst, KILN_SIM_KEEPS | KILN_SIM_USES_DPP);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (starts(inst, parts[i]))
            add_operand(f, &inst->dst, KILN_SIM_KEEPS);
    }
}

static void add_writes(kiln_sim_footprint_t *f, const kiln_sim_inst_t *inst)
{
    bool silent_atomic = !(inst->cache & KILN_SIM_CACHE_SC0) &&
                         (inst->row->class_ == KILN_SIM_CLASS_VMEM_ATOMIC ||
                          (inst->format == KILN_SIM_SMEM && inst->row->src[1] != KILN_SIM_T_NONE));
    if (!silent_atomic)
        add_operand(f, &inst->dst, KILN_SIM_WRITES);
    add_operand(f, &inst->sdst, KILN_SIM_WRITES);
    if (inst->row->class_ != KILN_SIM_CLASS_MFMA && (inst->row->flags & KILN_SIM_ROW_DST_IS_SRC))
        add_operand(f, &inst->src[0], KILN_SIM_WRITES);
    if ((inst->row->flags & KILN_SIM_ROW_CMPX) || has(inst, "saveexec") || has(inst, "wrexec"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_EXEC, 2, KILN_SIM_WRITES);
    if (starts(inst, "s_set_gpr_idx"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_M0, 1, KILN_SIM_WRITES);
}

void kiln_sim_footprint_fill(kiln_sim_footprint_t *f, const kiln_sim_inst_t *inst)
{
    *f = (kiln_sim_footprint_t){.wait_states = 1};
    bool memory = inst->row->class_ == KILN_SIM_CLASS_SMEM || inst->row->class_ >= KILN_SIM_CLASS_LDS;
    if (memory)
        add_memory_reads(f, inst);
    else
        add_reads(f, inst);
    if (!memory)
        add_kept(f, inst);
    add_writes(f, inst);
    f->queue = (uint8_t)queue_of(inst);
    f->is_wait = strcmp(inst->row->name, "s_waitcnt") == 0;
    f->all_lanes = inst->row->class_ == KILN_SIM_CLASS_MFMA || inst->encoding == KILN_SIM_DPP ||
                   (inst->row->flags & KILN_SIM_ROW_DST_SGPR) || has(inst, "permute");
    f->crossbar = inst->format == KILN_SIM_DS && (has(inst, "permute") || has(inst, "swizzle"));
    if (strcmp(inst->row->name, "s_nop") == 0)
        f->wait_states = (uint8_t)((inst->imm & 15) + 1);
}

void kiln_sim_register_name(unsigned number, char *text, size_t size)
{
    if (number < KILN_SIM_ACC_ROW)
        snprintf(text, size, "v%u", number);
    else if (number < KILN_SIM_FIRST_SGPR)
        snprintf(text, size, "a%u", number - KILN_SIM_ACC_ROW);
    else if (number - KILN_SIM_FIRST_SGPR < 102)
        snprintf(text, size, "s%u", number - KILN_SIM_FIRST_SGPR);
    else if (number - KILN_SIM_FIRST_SGPR == KILN_SIM_SGPR_M0)
        snprintf(text, size, "m0");
    else {
        unsigned code = number - KILN_SIM_FIRST_SGPR;
        const char *base = code >= KILN_SIM_SGPR_EXEC         ? "exec"
                           : code >= KILN_SIM_SGPR_VCC        ? "vcc"
                           : code >= KILN_SIM_SGPR_XNACK_MASK ? "xnack_mask"
                                                              : "flat_scratch";
        snprintf(text, size, "%s_%s", base, code & 1 ? "hi" : "lo");
    }
}
