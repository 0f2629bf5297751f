// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes which registers an instruction reads and writes, in which role, and which counters it
// raises.
//
// Decoding has already resolved the explicit operands. What remains are the implicit ones (VCC, M0,
// EXEC) and a few operands that are encoded but not used, such as the destination of an atomic
// without a result.
//
// Pitfall: a footprint lacks registers that M0 selects at run time (s_movrel*, s_set_gpr_idx_on).
#include "decode/footprint.h"

#include <stdio.h>

#include "decode/isa.h"

static void add(kiln_sim_footprint_t *f, unsigned first, unsigned count, unsigned role)
{
    if (count && f->count < sizeof f->spans / sizeof f->spans[0])
        f->spans[f->count++] = (kiln_sim_registers_t){
            .first = (uint16_t)first, .count = (uint8_t)count, .role = (uint16_t)role};
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
        return kiln_sim_inst_starts(inst, "ds_nop") ? KILN_SIM_QUEUE_NONE : KILN_SIM_QUEUE_LDS;
    if (kiln_sim_inst_starts(inst, "s_sendmsg"))
        return KILN_SIM_QUEUE_SMEM;
    if (!is_vmem(inst) || kiln_sim_inst_starts(inst, "buffer_inv") ||
        kiln_sim_inst_starts(inst, "buffer_wbinv"))
        return KILN_SIM_QUEUE_NONE;
    bool flat = inst->format == KILN_SIM_FLAT &&
                !(inst->flags & (KILN_SIM_INST_GLOBAL | KILN_SIM_INST_SCRATCH));
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
    bool crossbar = kiln_sim_inst_starts(inst, "ds_swizzle");
    add_operand(f, &inst->src[0], crossbar ? KILN_SIM_READS_DATA : KILN_SIM_READS_ADDRESS);
    add_operand(f, &inst->src[1], KILN_SIM_READS_DATA);
    add_operand(f, &inst->src[2],
                inst->format == KILN_SIM_DS ? KILN_SIM_READS_DATA : KILN_SIM_READS_ADDRESS);
    add_operand(f, &inst->mem[0], KILN_SIM_READS_ADDRESS);
    add_operand(f, &inst->mem[1], KILN_SIM_READS_ADDRESS);
    if (kiln_sim_inst_to_lds(inst) || has(inst, "addtid"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_M0, 1, KILN_SIM_READS_ADDRESS);
}

// Scalar instructions whose destination's previous value is a source: the rows of sop.def that
// mention `old`.
static bool reads_scalar_dst(const kiln_sim_inst_t *inst)
{
    static const char *const parts[] = {"s_cmov", "s_bitset", "s_addk", "s_mulk"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (kiln_sim_inst_starts(inst, parts[i]))
            return true;
    }
    return false;
}

static void add_reads(kiln_sim_footprint_t *f, const kiln_sim_inst_t *inst)
{
    bool matrix = inst->row->class_ == KILN_SIM_CLASS_MFMA,
         lane =
             kiln_sim_inst_starts(inst, "v_readlane") || kiln_sim_inst_starts(inst, "v_writelane");
    bool sparse = matrix && (inst->row->flags & KILN_SIM_ROW_DST_IS_SRC);
    bool cross =
        kiln_sim_inst_starts(inst, "v_readlane") || kiln_sim_inst_starts(inst, "v_readfirstlane");
    for (unsigned i = 0; i < 3; i++) {
        unsigned role = KILN_SIM_READS_AB;
        if (i == 2 && ((matrix && !sparse) || kiln_sim_inst_starts(inst, "v_dot")))
            role = KILN_SIM_READS_C;
        else if (lane && i == 1)
            role |= KILN_SIM_READS_LANE;
        else if (i == 0 && cross)
            role |= KILN_SIM_READS_CROSS;
        if (inst->encoding == KILN_SIM_DPP && inst->src[i].kind == KILN_SIM_OP_VGPR)
            role |= KILN_SIM_USES_DPP;
        add_operand(f, &inst->src[i], role);
    }
    if (reads_scalar_dst(inst))
        add_operand(f, &inst->dst, KILN_SIM_READS_AB);
    if (inst->row->flags & KILN_SIM_ROW_DST_IS_SRC)
        add_operand(f, &inst->dst, matrix ? KILN_SIM_READS_C : KILN_SIM_READS_AB);
    if (kiln_sim_inst_starts(inst, "v_div_fmas"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_VCC, 2, KILN_SIM_READS_MASK);
    if (kiln_sim_inst_starts(inst, "s_cbranch_vcc"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_VCC, 2, KILN_SIM_READS_AB);
    if (kiln_sim_inst_starts(inst, "s_sendmsg") || kiln_sim_inst_starts(inst, "s_movrel"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_M0, 1, KILN_SIM_READS_AB);
}

// Destinations whose unwritten parts keep their value, and which LLVM therefore models as operands,
// too.
static void add_kept(kiln_sim_footprint_t *f, const kiln_sim_inst_t *inst)
{
    static const char *const parts[] = {"v_cvt_pk_fp8", "v_cvt_pk_bf8", "v_cvt_sr_",
                                        "v_fma_mixlo",  "v_fma_mixhi",  "v_mad_mixlo",
                                        "v_mad_mixhi",  "v_writelane"};
    if (inst->dst.kind != KILN_SIM_OP_VGPR)
        return;
    if (inst->encoding == KILN_SIM_DPP) // LLVM does so even if all lanes are written
        add_operand(f, &inst->dst, KILN_SIM_KEEPS | KILN_SIM_USES_DPP);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (kiln_sim_inst_starts(inst, parts[i]))
            add_operand(f, &inst->dst, KILN_SIM_KEEPS);
    }
}

static bool is_partial(const kiln_sim_footprint_t *f, const kiln_sim_inst_t *inst)
{
    bool partial = inst->row->flags & KILN_SIM_ROW_KEEPS_REST || has(inst, "d16") ||
                   inst->encoding == KILN_SIM_SDWA || inst->encoding == KILN_SIM_DPP;
    for (unsigned i = 0; i < f->count; i++)
        partial = partial || f->spans[i].role & KILN_SIM_KEEPS;
    return partial;
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
    if (kiln_sim_inst_starts(inst, "s_set_gpr_idx"))
        add(f, KILN_SIM_FIRST_SGPR + KILN_SIM_SGPR_M0, 1, KILN_SIM_WRITES);
}

void kiln_sim_footprint_fill(kiln_sim_footprint_t *f, const kiln_sim_inst_t *inst)
{
    *f = (kiln_sim_footprint_t){.wait_states = 1};
    bool memory =
        inst->row->class_ == KILN_SIM_CLASS_SMEM || inst->row->class_ >= KILN_SIM_CLASS_LDS;
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
    f->partial = is_partial(f, inst);
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
