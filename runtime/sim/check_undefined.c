// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses of registers and LDS bytes that nobody has written: as an address, a branch, EXEC, or what is stored to memory.
//
// Idea: definedness travels with values, one bit for each lane of a vector register, one for each bit of a scalar
// register (masks have a lane in each bit), one for each byte of LDS. Copies and arithmetic carry it along; only a use
// that matters outside of the wave's registers is reported, and then forgiven, so that one mistake is told once.
//
// What a reader gets wrong: in doubt a value counts as defined. A register of which a part was written is defined; a
// value that moved across lanes, or came out of a matrix product, is undefined only if all that it may come from is.
// Global memory counts as defined.
#include <stdlib.h>

#include "check_access.h"

// ---- what sources are

static uint64_t scalar_bits(const check_wave_t *w, unsigned reg, unsigned dwords)
{
    uint64_t bits = w->scalar_undefined[reg];
    return dwords > 1 ? bits | (uint64_t)w->scalar_undefined[reg + 1] << 32 : bits;
}

static bool scalar_any(const check_wave_t *w, unsigned reg, unsigned dwords)
{
    for (unsigned i = 0; i < dwords; i++) {
        if (w->scalar_undefined[reg + i])
            return true;
    }
    return false;
}

// Lanes in which an operand is undefined.
static uint64_t lanes_of(const check_wave_t *w, const kiln_sim_operand_t *op)
{
    uint64_t lanes = 0;
    if (op->kind == KILN_SIM_OP_VGPR) {
        for (unsigned i = 0; i < op->dwords; i++)
            lanes |= w->vector_undefined[op->reg + i];
    } else if (op->kind == KILN_SIM_OP_SGPR) {
        if (op->type == KILN_SIM_T_B1)
            return scalar_bits(w, op->reg, 2);
        lanes = scalar_any(w, op->reg, op->dwords) ? UINT64_MAX : 0;
    }
    return lanes;
}

static void set_scalar(check_wave_t *w, const kiln_sim_operand_t *op, uint64_t bits)
{
    for (unsigned i = 0; i < op->dwords && op->reg + i < KILN_SIM_SGPR_SINK; i++)
        w->scalar_undefined[op->reg + i] = i < 2 ? (uint32_t)(bits >> (32 * i)) : (uint32_t)(bits ? UINT32_MAX : 0);
}

static void set_lanes(check_wave_t *w, const kiln_sim_operand_t *op, uint64_t where, uint64_t lanes)
{
    if (op->kind == KILN_SIM_OP_VGPR) {
        for (unsigned i = 0; i < op->dwords; i++)
            w->vector_undefined[op->reg + i] = (w->vector_undefined[op->reg + i] & ~where) | (lanes & where);
    } else if (op->kind == KILN_SIM_OP_SGPR) {
        set_scalar(w, op, op->type == KILN_SIM_T_B1 ? lanes & where : lanes & where ? UINT64_MAX : 0);
    }
}

static bool starts(const kiln_sim_inst_t *inst, const char *prefix)
{
    return strncmp(inst->row->name, prefix, strlen(prefix)) == 0;
}

static bool same_sources(const kiln_sim_inst_t *inst)
{
    const kiln_sim_operand_t *a = &inst->src[0], *b = &inst->src[1];
    bool cancels = strstr(inst->row->name, "xor") || strstr(inst->row->name, "_sub_");
    return cancels && a->kind == b->kind && a->kind != KILN_SIM_OP_CONST && a->reg == b->reg &&
           inst->src[2].kind == KILN_SIM_OP_NONE;
}

// ---- reports

// Tells the use of one operand's register and forgives it. `lanes`: undefined ones that are in use; 0: a scalar.
static void report(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_operand_t *op, uint64_t lanes,
                   const char *use)
{
    check_wave_t *w = kiln_sim_check_wave(wave);
    char name[24];
    unsigned number = op->reg;
    bool vector = op->kind == KILN_SIM_OP_VGPR;
    for (unsigned i = 0; i < op->dwords; i++) {
        if (vector ? (w->vector_undefined[op->reg + i] & lanes) != 0 : w->scalar_undefined[op->reg + i] != 0) {
            number = op->reg + i;
            break;
        }
    }
    kiln_sim_check_register_name(vector ? number : CHECK_SGPR + number, name, sizeof name);
    kiln_sim_check_found(wave, inst, NULL, vector ? __builtin_ctzll(lanes) : -1, KILN_SIM_CHECK_INDEX_UNDEFINED,
                         "%s is used as %s, but its value was never defined", name, use);
    for (unsigned i = 0; i < op->dwords; i++) {
        if (vector)
            w->vector_undefined[op->reg + i] = 0;
        else
            w->scalar_undefined[op->reg + i] = 0;
    }
}

static void use_operand(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_operand_t *op,
                        uint64_t lanes, const char *use)
{
    const check_wave_t *w = kiln_sim_check_wave(wave);
    if (op->kind != KILN_SIM_OP_VGPR && op->kind != KILN_SIM_OP_SGPR)
        return;
    uint64_t bad = lanes_of(w, op) & lanes;
    if (bad)
        report(wave, inst, op, bad, use);
}

// ---- vector arithmetic

static void run_matrix(check_wave_t *w, const kiln_sim_inst_t *inst)
{
    bool sparse = inst->row->flags & KILN_SIM_ROW_DST_IS_SRC;
    uint64_t a = lanes_of(w, &inst->src[0]), b = lanes_of(w, &inst->src[1]);
    const kiln_sim_operand_t *c = sparse ? &inst->dst : &inst->src[2];
    bool nothing = a == UINT64_MAX || b == UINT64_MAX;
    for (unsigned i = 0; i < inst->dst.dwords; i++) {
        uint64_t before = c->kind == KILN_SIM_OP_VGPR ? w->vector_undefined[c->reg + i] : 0;
        w->vector_undefined[inst->dst.reg + i] = nothing ? UINT64_MAX : before;
    }
}

static void run_lane_move(kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst)
{
    uint64_t source = lanes_of(w, &inst->src[0]);
    bool reads = inst->row->flags & KILN_SIM_ROW_DST_SGPR;
    unsigned lane = wave->exec ? (unsigned)__builtin_ctzll(wave->exec) : 0;
    if (!starts(inst, "v_readfirstlane"))
        lane = kiln_sim_scalar_u32(wave, &inst->src[1]) & 63;
    if (reads)
        set_scalar(w, &inst->dst, source >> lane & 1 ? UINT64_MAX : 0);
    else
        set_lanes(w, &inst->dst, 1ull << lane, source);
}

static void run_select(kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst)
{
    uint64_t chosen = kiln_sim_scalar_u64(wave, &inst->src[2]), unknown = lanes_of(w, &inst->src[2]);
    uint64_t lanes = (lanes_of(w, &inst->src[0]) & ~chosen) | (lanes_of(w, &inst->src[1]) & chosen) | unknown;
    set_lanes(w, &inst->dst, wave->exec, lanes);
}

// The low dword of an integer result depends on low dwords only (in doubt: a right shift's, too).
static void refine_low_dword(const kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst,
                             const uint64_t before[3])
{
    uint64_t low = 0;
    if (inst->dst.kind != KILN_SIM_OP_VGPR || inst->dst.dwords != 2 || strstr(inst->row->name, "f64"))
        return;
    for (unsigned i = 0; i < 3; i++)
        low |= before[i];
    set_lanes(w, &(kiln_sim_operand_t){.kind = KILN_SIM_OP_VGPR, .reg = inst->dst.reg, .dwords = 1}, wave->exec, low);
}

static uint64_t half_of(const check_wave_t *w, const kiln_sim_operand_t *op, unsigned half)
{
    if (op->kind == KILN_SIM_OP_VGPR)
        return w->vector_undefined[op->reg + (op->dwords > 1 ? half : 0)];
    if (op->kind == KILN_SIM_OP_SGPR)
        return w->scalar_undefined[op->reg + (op->dwords > 1 ? half : 0)] ? UINT64_MAX : 0;
    return 0;
}

// Two f32 in a register pair: op_sel picks the halves from which the low result comes, op_sel_hi those of the high one.
static void run_packed(const kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst)
{
    uint64_t lanes[2] = {0};
    if (starts(inst, "v_pk_mov")) {
        lanes[0] = half_of(w, &inst->src[0], inst->op_sel & 1);
        lanes[1] = half_of(w, &inst->src[1], inst->op_sel >> 1 & 1);
    } else {
        for (unsigned i = 0; i < 3; i++) {
            lanes[0] |= half_of(w, &inst->src[i], inst->op_sel >> i & 1);
            lanes[1] |= half_of(w, &inst->src[i], inst->op_sel_hi >> i & 1);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        const kiln_sim_operand_t dst = {.kind = KILN_SIM_OP_VGPR, .reg = (uint16_t)(inst->dst.reg + i), .dwords = 1};
        set_lanes(w, &dst, wave->exec, lanes[i]);
    }
}

static void run_vector(kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst)
{
    if (inst->row->class_ == KILN_SIM_CLASS_MFMA) {
        run_matrix(w, inst);
        return;
    }
    if ((inst->row->flags & KILN_SIM_ROW_DST_SGPR) || starts(inst, "v_writelane")) {
        run_lane_move(wave, w, inst);
        return;
    }
    if (starts(inst, "v_cndmask") && inst->encoding != KILN_SIM_DPP) {
        run_select(wave, w, inst);
        return;
    }
    if (inst->format == KILN_SIM_VOP3P && inst->dst.dwords == 2) {
        run_packed(wave, w, inst);
        return;
    }
    uint64_t lanes[3], low[3], all = 0;
    for (unsigned i = 0; i < 3; i++) {
        lanes[i] = low[i] = lanes_of(w, &inst->src[i]);
        if (inst->src[i].kind == KILN_SIM_OP_VGPR)
            low[i] = w->vector_undefined[inst->src[i].reg];
        if (i == 0 && inst->encoding == KILN_SIM_DPP)
            lanes[i] = (lanes[i] & wave->exec) == wave->exec ? UINT64_MAX : 0;
        all |= lanes[i];
    }
    if (same_sources(inst))
        all = 0;
    if (starts(inst, "v_swap")) {
        uint64_t other = lanes_of(w, &inst->dst);
        set_lanes(w, &inst->src[0], wave->exec, other);
    }
    set_lanes(w, &inst->dst, wave->exec, all);
    refine_low_dword(wave, w, inst, low);
    set_lanes(w, &inst->sdst, wave->exec, all);
}

// ---- scalar arithmetic

// Bits of a two-operand bit operation that the defined bits of its operands leave open.
static bool bit_operation(const kiln_sim_wave_t *wave, const check_wave_t *w, const kiln_sim_inst_t *inst,
                          uint64_t *open)
{
    const char *name = inst->row->name;
    bool and = strncmp(name, "s_and_b", 7) == 0 || strncmp(name, "s_andn2_b", 9) == 0;
    bool or = strncmp(name, "s_or_b", 6) == 0, xor = strncmp(name, "s_xor_b", 7) == 0;
    if (!and && !or && !xor)
        return false;
    uint64_t value[2], bits[2];
    for (unsigned i = 0; i < 2; i++) {
        const kiln_sim_operand_t *op = &inst->src[i];
        value[i] = kiln_sim_scalar_u64(wave, op);
        bits[i] = op->kind == KILN_SIM_OP_SGPR ? scalar_bits(w, op->reg, op->dwords) : 0;
    }
    if (strncmp(name, "s_andn2", 7) == 0)
        value[1] = ~value[1];
    *open = bits[0] | bits[1];
    if (and)
        *open &= ~((~value[0] & ~bits[0]) | (~value[1] & ~bits[1]));
    else if (or)
        *open &= ~((value[0] & ~bits[0]) | (value[1] & ~bits[1]));
    return true;
}

static bool writes_scc(const kiln_sim_inst_t *inst)
{
    static const char *const silent[] = {"s_mov",  "s_cselect", "s_mul",    "s_pack",   "s_cmov",
                                         "s_bfm",  "s_getpc",   "s_brev",   "s_ff",     "s_flbit",
                                         "s_sext", "s_setreg",  "s_getreg", "s_set_gpr"};
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++) {
        if (starts(inst, silent[i]))
            return false;
    }
    return true;
}

static uint64_t plain_bits(const check_wave_t *w, const kiln_sim_operand_t *op)
{
    return op->kind == KILN_SIM_OP_SGPR ? scalar_bits(w, op->reg, op->dwords) : 0;
}

static void run_scalar(kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst)
{
    if (starts(inst, "s_movrel")) {
        set_scalar(w, &inst->dst, 0);
        return;
    }
    uint64_t open = 0;
    bool any = false;
    for (unsigned i = 0; i < 3; i++) {
        const kiln_sim_operand_t *op = &inst->src[i];
        any = any || (op->kind == KILN_SIM_OP_SGPR && scalar_any(w, op->reg, op->dwords)) ||
              (op->kind == KILN_SIM_OP_SPECIAL && op->reg == 253 && w->scc_undefined);
    }
    if (starts(inst, "s_mov_b") || starts(inst, "s_not_b") || strstr(inst->row->name, "saveexec"))
        open = plain_bits(w, &inst->src[0]);
    else if (starts(inst, "s_cselect"))
        open = w->scc_undefined ? UINT64_MAX : plain_bits(w, &inst->src[wave->scc ? 0 : 1]);
    else if (starts(inst, "s_cmov"))
        open = wave->scc ? plain_bits(w, &inst->src[0]) : plain_bits(w, &inst->dst);
    else if (same_sources(inst))
        open = 0;
    else if (!bit_operation(wave, w, inst, &open))
        open = any ? UINT64_MAX : 0;
    if (strstr(inst->row->name, "saveexec")) {
        set_scalar(w, &inst->dst, 0); // EXEC before
        if (strstr(inst->row->name, "_and_"))
            open &= wave->exec;
    } else if (inst->dst.kind == KILN_SIM_OP_SGPR) {
        set_scalar(w, &inst->dst, open);
    }
    if (writes_scc(inst))
        w->scc_undefined = inst->format == KILN_SIM_SOPC || inst->format == KILN_SIM_SOPK ? any : open == UINT64_MAX;
    bool to_exec = strstr(inst->row->name, "saveexec") ||
                   (inst->dst.kind == KILN_SIM_OP_SGPR && inst->dst.reg == KILN_SIM_SGPR_EXEC);
    if (to_exec && open && inst->src[0].kind == KILN_SIM_OP_SGPR) {
        const kiln_sim_operand_t *op = &inst->src[0];
        if (!scalar_any(w, op->reg, op->dwords) && inst->src[1].kind == KILN_SIM_OP_SGPR)
            op = &inst->src[1];
        report(wave, inst, op, 0, "EXEC");
    }
    w->scalar_undefined[KILN_SIM_SGPR_EXEC] = w->scalar_undefined[KILN_SIM_SGPR_EXEC + 1] = 0;
}

static void run_branch(kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst)
{
    if (starts(inst, "s_cbranch_scc") && w->scc_undefined) {
        kiln_sim_check_found(wave, inst, NULL, -1, KILN_SIM_CHECK_INDEX_UNDEFINED,
                             "a branch depends on SCC, but what was compared was never defined");
        w->scc_undefined = false;
    } else if (starts(inst, "s_cbranch_vcc")) {
        const kiln_sim_operand_t vcc = {.kind = KILN_SIM_OP_SGPR, .reg = KILN_SIM_SGPR_VCC, .dwords = 2};
        uint64_t open = scalar_bits(w, KILN_SIM_SGPR_VCC, 2);
        if (open && (wave->vcc & ~open) == 0)
            report(wave, inst, &vcc, 0, "a branch's condition");
    } else if (starts(inst, "s_setpc") || starts(inst, "s_swappc")) {
        use_operand(wave, inst, &inst->src[0], UINT64_MAX, "the address of a jump");
    }
    if (inst->dst.kind == KILN_SIM_OP_SGPR)
        set_scalar(w, &inst->dst, 0);
}

// ---- memory

// Active lanes whose place is not cut off by a buffer descriptor.
static uint64_t effective_lanes(const kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    uint64_t lanes = wave->exec;
    bool plain =
        inst->format == KILN_SIM_MUBUF && (inst->flags & KILN_SIM_INST_OFFEN) && !(inst->flags & KILN_SIM_INST_IDXEN);
    if (inst->format == KILN_SIM_MUBUF && plain && inst->mem[0].kind == KILN_SIM_OP_SGPR) {
        uint32_t soffset = kiln_sim_scalar_u32(wave, &inst->mem[1]), records = wave->sgpr[inst->mem[0].reg + 2];
        for (uint64_t left = lanes; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            if ((uint64_t)(wave->vgpr[inst->src[0].reg][lane] + (uint32_t)inst->imm) + soffset >= records)
                lanes &= ~(1ull << lane);
        }
    }
    return lanes;
}

static void run_crossbar(kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst)
{
    uint64_t data = lanes_of(w, starts(inst, "ds_swizzle") ? &inst->src[0] : &inst->src[1]);
    set_lanes(w, &inst->dst, wave->exec, (data & wave->exec) == wave->exec ? UINT64_MAX : 0);
}

// LDS: bytes carry definedness like registers do.
static void run_lds(kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst, const check_access_t *a)
{
    uint8_t *written = wave->group->checks->lds_written;
    uint64_t bad = 0;
    for (unsigned part = 0; part < a->lds_parts && written; part++) {
        const kiln_sim_operand_t *data = &inst->src[1 + part];
        bool direct = inst->format != KILN_SIM_DS && inst->src[1].kind != KILN_SIM_OP_VGPR;
        uint64_t unknown = a->lds_kind == KILN_SIM_STORE && !direct ? lanes_of(w, data) : 0;
        for (uint64_t left = a->lds_lanes[part]; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            uint8_t *bytes = written + a->lds_at[part][lane];
            if (a->lds_kind == KILN_SIM_LOAD) // undefined as a whole only; wide loads may cover bytes that nobody uses
                bad |= (uint64_t)!memchr(bytes, 1, a->lds_bytes) << lane;
            else
                memset(bytes, !(unknown >> lane & 1), a->lds_bytes);
        }
    }
    if (inst->dst.kind == KILN_SIM_OP_VGPR)
        set_lanes(w, &inst->dst, wave->exec, a->lds_kind == KILN_SIM_LOAD ? bad : 0);
}

static void run_memory(kiln_sim_wave_t *wave, check_wave_t *w, const kiln_sim_inst_t *inst, const check_footprint_t *f,
                       const check_access_t *a)
{
    bool crossbar = inst->format == KILN_SIM_DS && !f->lds_bytes;
    if (crossbar) {
        run_crossbar(wave, w, inst);
        return;
    }
    static const char address[] = "an address";
    bool is_scalar = inst->format == KILN_SIM_SMEM;
    use_operand(wave, inst, &inst->src[0], wave->exec, address);
    use_operand(wave, inst, &inst->mem[0], wave->exec, "a buffer descriptor");
    use_operand(wave, inst, &inst->mem[1], wave->exec, address);
    if (inst->format != KILN_SIM_DS)
        use_operand(wave, inst, &inst->src[2], wave->exec, address);
    if (inst->format == KILN_SIM_DS) {
        run_lds(wave, w, inst, a);
        return;
    }
    bool stores =
        inst->row->class_ == KILN_SIM_CLASS_VMEM_STORE || inst->row->class_ == KILN_SIM_CLASS_VMEM_ATOMIC || is_scalar;
    if (stores)
        use_operand(wave, inst, &inst->src[1], effective_lanes(wave, inst), "data that are stored");
    if (a && a->lds_parts && wave->group->checks->lds_written) {
        run_lds(wave, w, inst, a);
        return;
    }
    set_lanes(w, &inst->dst, wave->exec, 0);
    if (is_scalar && inst->dst.kind == KILN_SIM_OP_SGPR)
        set_scalar(w, &inst->dst, 0);
}

// ---- all together

void kiln_sim_check_undefined(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const check_footprint_t *f,
                              const check_access_t *a)
{
    check_wave_t *w = kiln_sim_check_wave(wave);
    switch (inst->row->class_) {
    case KILN_SIM_CLASS_SALU:
        run_scalar(wave, w, inst);
        break;
    case KILN_SIM_CLASS_BRANCH:
        run_branch(wave, w, inst);
        break;
    case KILN_SIM_CLASS_SYNC:
        break;
    case KILN_SIM_CLASS_VALU:
    case KILN_SIM_CLASS_TRANS:
    case KILN_SIM_CLASS_MFMA:
        run_vector(wave, w, inst);
        break;
    default:
        run_memory(wave, w, inst, f, a);
        break;
    }
}

void kiln_sim_check_undefined_begin(kiln_sim_wave_t *wave)
{
    check_wave_t *w = kiln_sim_check_wave(wave);
    for (unsigned i = 1; i < KILN_SIM_VGPR_ROWS; i++)
        w->vector_undefined[i] = UINT64_MAX;
    w->vector_undefined[0] = 0;
    // The dispatcher has filled what the ABI defines over a pattern.
    for (unsigned i = 0; i < KILN_SIM_SGPR_COUNT; i++)
        w->scalar_undefined[i] = wave->sgpr[i] == KILN_SIM_UNDEFINED ? UINT32_MAX : 0;
    w->scc_undefined = true;
}
