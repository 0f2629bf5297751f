// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which registers an instruction reads and writes, in which role, and which counters it raises.
//
// Idea: decoding has resolved the operands already; what is left are the implicit ones (VCC, M0, EXEC) and a few
// operands that are in the encoding but not in use, such as the destination of an atomic that returns nothing.
//
// What a reader gets wrong: a footprint is filled when an instruction is first executed under a check, by each host
// thread for itself.
#include <stdio.h>

#include "check/access.h"
#include "check/hazard.h"

static void add(check_footprint_t *f, unsigned first, unsigned count, unsigned role)
{
    if (count && f->count < sizeof f->spans / sizeof f->spans[0])
        f->spans[f->count++] =
            (check_span_t){.first = (uint16_t)first, .count = (uint8_t)count, .role = (uint16_t)role};
}

static void add_operand(check_footprint_t *f, const kiln_sim_operand_t *op, unsigned role)
{
    if (op->kind == KILN_SIM_OP_VGPR)
        add(f, op->reg, op->dwords, role);
    else if (op->kind == KILN_SIM_OP_SGPR && op->reg < KILN_SIM_SGPR_SINK)
        add(f, CHECK_SGPR + op->reg, op->dwords, role);
    else if (op->kind == KILN_SIM_OP_SPECIAL && op->reg == 251)
        add(f, CHECK_SGPR + KILN_SIM_SGPR_VCC, 2, role | CHECK_ZERO);
    else if (op->kind == KILN_SIM_OP_SPECIAL && op->reg == 252)
        add(f, CHECK_SGPR + KILN_SIM_SGPR_EXEC, 2, role | CHECK_ZERO);
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

bool kiln_sim_check_to_lds(const kiln_sim_inst_t *inst)
{
    return (inst->format == KILN_SIM_MUBUF && (inst->flags & KILN_SIM_INST_LDS)) ||
           (inst->format == KILN_SIM_FLAT && has(inst, "_load_lds_"));
}

static check_queue_t queue_of(const kiln_sim_inst_t *inst)
{
    if (inst->row->class_ == KILN_SIM_CLASS_SMEM)
        return CHECK_QUEUE_SMEM;
    if (inst->row->class_ == KILN_SIM_CLASS_LDS)
        return starts(inst, "ds_nop") ? CHECK_QUEUE_NONE : CHECK_QUEUE_LDS;
    if (starts(inst, "s_sendmsg"))
        return CHECK_QUEUE_SMEM;
    if (!is_vmem(inst) || starts(inst, "buffer_inv") || starts(inst, "buffer_wbinv"))
        return CHECK_QUEUE_NONE;
    bool flat = inst->format == KILN_SIM_FLAT && !(inst->flags & (KILN_SIM_INST_GLOBAL | KILN_SIM_INST_SCRATCH));
    return flat ? CHECK_QUEUE_FLAT : CHECK_QUEUE_VM;
}

static void add_memory_reads(check_footprint_t *f, const kiln_sim_inst_t *inst)
{
    if (inst->format == KILN_SIM_SMEM) {
        add_operand(f, &inst->src[0], CHECK_READ_ADDRESS);
        add_operand(f, &inst->src[1], CHECK_READ_DATA);
        add_operand(f, &inst->src[2], CHECK_READ_ADDRESS);
        return;
    }
    bool crossbar = starts(inst, "ds_swizzle");
    add_operand(f, &inst->src[0], crossbar ? CHECK_READ_DATA : CHECK_READ_ADDRESS);
    add_operand(f, &inst->src[1], CHECK_READ_DATA);
    add_operand(f, &inst->src[2], inst->format == KILN_SIM_DS ? CHECK_READ_DATA : CHECK_READ_ADDRESS);
    add_operand(f, &inst->mem[0], CHECK_READ_ADDRESS);
    add_operand(f, &inst->mem[1], CHECK_READ_ADDRESS);
    if (kiln_sim_check_to_lds(inst) || has(inst, "addtid"))
        add(f, CHECK_SGPR + KILN_SIM_SGPR_M0, 1, CHECK_READ_ADDRESS);
}

static void add_reads(check_footprint_t *f, const kiln_sim_inst_t *inst)
{
    bool matrix = inst->row->class_ == KILN_SIM_CLASS_MFMA,
         lane = starts(inst, "v_readlane") || starts(inst, "v_writelane");
    bool sparse = matrix && (inst->row->flags & KILN_SIM_ROW_DST_IS_SRC);
    bool cross = starts(inst, "v_readlane") || starts(inst, "v_readfirstlane");
    for (unsigned i = 0; i < 3; i++) {
        unsigned role = CHECK_READ_AB;
        if (i == 2 && ((matrix && !sparse) || starts(inst, "v_dot")))
            role = CHECK_READ_C;
        else if (lane && i == 1)
            role |= CHECK_READ_LANE;
        else if (i == 0 && cross)
            role |= CHECK_READ_CROSS;
        if (inst->encoding == KILN_SIM_DPP && inst->src[i].kind == KILN_SIM_OP_VGPR)
            role |= CHECK_DPP;
        add_operand(f, &inst->src[i], role);
    }
    if (inst->row->flags & KILN_SIM_ROW_DST_IS_SRC)
        add_operand(f, &inst->dst, matrix ? CHECK_READ_C : CHECK_READ_AB);
    if (starts(inst, "v_div_fmas"))
        add(f, CHECK_SGPR + KILN_SIM_SGPR_VCC, 2, CHECK_READ_MASK);
    if (starts(inst, "s_cbranch_vcc"))
        add(f, CHECK_SGPR + KILN_SIM_SGPR_VCC, 2, CHECK_READ_AB);
    if (starts(inst, "s_sendmsg") || starts(inst, "s_movrel"))
        add(f, CHECK_SGPR + KILN_SIM_SGPR_M0, 1, CHECK_READ_AB);
}

// Destinations that are also read as far as they are not written, and that LLVM therefore has as operands.
static void add_kept(check_footprint_t *f, const kiln_sim_inst_t *inst)
{
    static const char *const parts[] = {"v_cvt_pk_fp8", "v_cvt_pk_bf8", "v_cvt_sr_",   "v_fma_mixlo",
                                        "v_fma_mixhi",  "v_mad_mixlo",  "v_mad_mixhi", "v_writelane"};
    if (inst->dst.kind != KILN_SIM_OP_VGPR)
        return;
    if (inst->encoding == KILN_SIM_DPP) // for LLVM even where all lanes are written
        add_operand(f, &inst->dst, CHECK_KEPT | CHECK_DPP);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (starts(inst, parts[i]))
            add_operand(f, &inst->dst, CHECK_KEPT);
    }
}

static void add_writes(check_footprint_t *f, const kiln_sim_inst_t *inst)
{
    bool silent_atomic = !(inst->cache & KILN_SIM_CACHE_SC0) &&
                         (inst->row->class_ == KILN_SIM_CLASS_VMEM_ATOMIC ||
                          (inst->format == KILN_SIM_SMEM && inst->row->src[1] != KILN_SIM_T_NONE));
    if (!silent_atomic)
        add_operand(f, &inst->dst, CHECK_WRITE);
    add_operand(f, &inst->sdst, CHECK_WRITE);
    if (inst->row->class_ != KILN_SIM_CLASS_MFMA && (inst->row->flags & KILN_SIM_ROW_DST_IS_SRC))
        add_operand(f, &inst->src[0], CHECK_WRITE);
    if ((inst->row->flags & KILN_SIM_ROW_CMPX) || has(inst, "saveexec") || has(inst, "wrexec"))
        add(f, CHECK_SGPR + KILN_SIM_SGPR_EXEC, 2, CHECK_WRITE);
    if (starts(inst, "s_set_gpr_idx"))
        add(f, CHECK_SGPR + KILN_SIM_SGPR_M0, 1, CHECK_WRITE);
}

// ---- LDS accesses

static unsigned ds_bytes(const char *name)
{
    static const struct {
        const char *part;
        unsigned bytes;
    } sizes[] = {{"b128", 16}, {"b96", 12}, {"64", 8},  {"32", 4}, {"f16", 4}, {"bf16", 4},
                 {"b16", 2},   {"u16", 2},  {"i16", 2}, {"b8", 1}, {"u8", 1},  {"i8", 1}};
    bool packed = strstr(name, "_pk_") != NULL;
    if (strstr(name, "_u16") && !packed)
        return 2;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strstr(name, sizes[i].part))
            return sizes[i].bytes;
    }
    return 0;
}

static void fill_lds(check_footprint_t *f, const kiln_sim_inst_t *inst)
{
    if (kiln_sim_check_to_lds(inst)) {
        f->lds_bytes = 4;
        f->lds_access = KILN_SIM_STORE;
        f->lds_parts = 1;
        return;
    }
    static const char *const none[] = {"ds_nop",     "ds_swizzle",     "ds_permute",      "ds_bpermute", "ds_append",
                                       "ds_consume", "ds_read_addtid", "ds_write_addtid", "ds_gws"};
    if (inst->format != KILN_SIM_DS || (inst->flags & KILN_SIM_INST_GDS))
        return;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        if (starts(inst, none[i]))
            return;
    }
    bool pair = starts(inst, "ds_read2") || starts(inst, "ds_write2") || starts(inst, "ds_wrxchg2");
    f->lds_parts = pair ? 2 : 1;
    f->lds_access = starts(inst, "ds_read")    ? KILN_SIM_LOAD
                    : starts(inst, "ds_write") ? KILN_SIM_STORE
                                               : KILN_SIM_ATOMIC;
    if (pair) {
        f->lds_bytes = strstr(inst->row->name, "_b64") ? 8 : 4;
        f->lds_scale = (uint16_t)(f->lds_bytes * (has(inst, "st64") ? 64 : 1));
    } else {
        f->lds_bytes = (uint8_t)ds_bytes(inst->row->name);
    }
}

void kiln_sim_check_footprint_fill(check_footprint_t *f, const kiln_sim_inst_t *inst)
{
    *f = (check_footprint_t){.known = true, .wait_states = 1};
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
    if (strcmp(inst->row->name, "s_nop") == 0)
        f->wait_states = (uint8_t)((inst->imm & 15) + 1);
    fill_lds(f, inst);
    f->clause = (uint8_t)kiln_sim_check_clause_kind(inst);
    kiln_sim_check_access_fill(f, inst);
    kiln_sim_check_undefined_fill(f, inst);
    kiln_sim_check_hazard_fill(f, inst);
}

void kiln_sim_check_register_name(unsigned number, char *text, size_t size)
{
    if (number < KILN_SIM_ACC_ROW)
        snprintf(text, size, "v%u", number);
    else if (number < CHECK_SGPR)
        snprintf(text, size, "a%u", number - KILN_SIM_ACC_ROW);
    else if (number - CHECK_SGPR < 102)
        snprintf(text, size, "s%u", number - CHECK_SGPR);
    else if (number - CHECK_SGPR == KILN_SIM_SGPR_M0)
        snprintf(text, size, "m0");
    else {
        unsigned code = number - CHECK_SGPR;
        const char *base = code >= KILN_SIM_SGPR_EXEC         ? "exec"
                           : code >= KILN_SIM_SGPR_VCC        ? "vcc"
                           : code >= KILN_SIM_SGPR_XNACK_MASK ? "xnack_mask"
                                                              : "flat_scratch";
        snprintf(text, size, "%s_%s", base, code & 1 ? "hi" : "lo");
    }
}
