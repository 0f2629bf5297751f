// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the encoding fields of each format (CDNA3 ISA guide, chapter 13) to operands.
//
// One function per format transcribes the guide's picture of the encoding. They share the rules
// that map a 7-, 8- or 9-bit code to a register, a constant or a special value.
//
// Pitfalls: the constant of an inline code depends on the operand's type, and whether VCC is an
// operand depends on the encoding, not on the opcode.
#include "decode/decode.h"

typedef struct decoder {
    kiln_sim_inst_t *inst;
    const uint32_t *words;
    uint32_t literal;
    kiln_sim_constant_row_t constant_row;
    void *context;
    kiln_sim_error_t *error;
    bool failed;
} decoder_t;

typedef enum { FORM_INT, FORM_SINT, FORM_F16, FORM_F32, FORM_F64 } constant_form_t;

static const struct {
    uint8_t dwords;
    uint8_t form;
} type_info[] = {
#define T(id, dwords, form) {dwords, FORM_##form},
    KILN_SIM_TYPES(T)
#undef T
};

enum {
    CODE_NULL = 125,
    CODE_SHARED_BASE = 235,
    CODE_POPS_WAVE = 239,
    CODE_LITERAL = 255,
    CODE_VGPR0 = 256
};

static uint32_t bits(uint32_t word, unsigned low, unsigned count)
{
    return (word >> low) & ((1u << count) - 1);
}

static void fail(decoder_t *d, const char *what)
{
    if (!d->failed)
        kiln_sim_fail(d->error, KILN_SIM_LAUNCH_FAILURE, "%s", what);
    d->failed = true;
}

static uint64_t float_constant(unsigned code, kiln_sim_type_t type)
{
    // 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2π)
    static const uint16_t f16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                   0xc000, 0x4400, 0xc400, 0x3118};
    static const uint32_t f32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                   0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
    static const uint64_t f64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                   0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                   0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
    unsigned at = code - 240;
    if (type_info[type].form == FORM_F16)
        return f16[at];
    bool wide = type == KILN_SIM_T_V4F64 || (type_info[type].dwords == 2 &&
                                             type != KILN_SIM_T_V2F32 && type != KILN_SIM_T_V2I32);
    return wide ? f64[at] : f32[at];
}

static void set_constant(decoder_t *d, kiln_sim_operand_t *op, uint64_t value)
{
    op->kind = KILN_SIM_OP_CONST;
    op->value = op->dwords == 1 ? (uint32_t)value : value;
    op->row = d->constant_row(d->context, op->value);
    if (!op->row && !d->failed)
        kiln_sim_fail(d->error, KILN_SIM_OUT_OF_MEMORY, "out of host memory while decoding");
    d->failed = d->failed || !op->row;
}

static void set_literal(decoder_t *d, kiln_sim_operand_t *op)
{
    uint64_t value = d->literal;
    if (op->type == KILN_SIM_T_F64)
        value <<= 32;
    else if (op->type == KILN_SIM_T_I64)
        value = (uint64_t)(int64_t)(int32_t)d->literal;
    set_constant(d, op, value);
}

static void init_operand(kiln_sim_operand_t *op, kiln_sim_type_t type)
{
    *op = (kiln_sim_operand_t){
        .type = (uint8_t)type, .dwords = type_info[type].dwords, .sel = KILN_SIM_SEL_DWORD};
}

static void set_vgpr(decoder_t *d, kiln_sim_operand_t *op, kiln_sim_type_t type, unsigned number,
                     unsigned bank)
{
    init_operand(op, type);
    if (op->dwords == 0)
        return;
    op->kind = KILN_SIM_OP_VGPR;
    op->reg = (uint16_t)(bank + number);
    if (number + op->dwords > 256)
        fail(d, "a vector operand reaches past register 255");
}

// The first register of a scalar operand. Pairs start at an even register, wider operands at a
// multiple of four; the hardware ignores the low bits.
static unsigned aligned_scalar(decoder_t *d, unsigned code, unsigned dwords)
{
    static const uint8_t ends[] = {102, 104, 106, 108, 124, 125, 128}; // of banks of registers
    code &= dwords == 1 ? ~0u : dwords == 2 ? ~1u : ~3u;
    unsigned bank = 0;
    while (bank < sizeof ends - 1 && code >= ends[bank])
        bank++;
    if (code == CODE_NULL || code + dwords > ends[bank])
        fail(d, "a scalar operand that does not exist on gfx942");
    return code;
}

// Sources of every format: codes 0-255 scalar and constant, 256-511 vector.
static void set_source(decoder_t *d, kiln_sim_operand_t *op, kiln_sim_type_t type, unsigned code)
{
    init_operand(op, type);
    if (op->dwords == 0)
        return;
    if (code >= CODE_VGPR0) {
        set_vgpr(d, op, type, code - CODE_VGPR0, 0);
    } else if (code < 128) {
        op->kind = KILN_SIM_OP_SGPR;
        op->reg = (uint16_t)aligned_scalar(d, code, op->dwords);
    } else if (code <= 192) {
        set_constant(d, op, code - 128);
    } else if (code <= 208) {
        set_constant(d, op, (uint64_t)-(int64_t)(code - 192));
    } else if (code >= CODE_SHARED_BASE && code < CODE_SHARED_BASE + 4) {
        static const uint64_t apertures[] = {
            KILN_SIM_SHARED_BASE, KILN_SIM_SHARED_BASE | 0xffffffff, KILN_SIM_PRIVATE_BASE,
            KILN_SIM_PRIVATE_BASE | 0xffffffff};
        uint64_t value = apertures[code - CODE_SHARED_BASE];
        set_constant(d, op, op->dwords == 1 ? value >> 32 : value);
    } else if (code == CODE_POPS_WAVE) {
        set_constant(d, op, 0); // pixel order is for graphics
    } else if (code >= 240 && code <= 248) {
        set_constant(d, op, float_constant(code, type));
    } else if (code >= 251 && code <= 253) {
        op->kind = KILN_SIM_OP_SPECIAL;
        op->reg = (uint16_t)code;
    } else if (code == CODE_LITERAL) {
        set_literal(d, op);
    } else {
        fail(d, "an operand code that gfx942 does not define");
    }
}

// Scalar destinations. Writes of TTMPs by a program are ignored.
static void set_scalar_destination(decoder_t *d, kiln_sim_operand_t *op, kiln_sim_type_t type,
                                   unsigned code)
{
    init_operand(op, type);
    if (op->dwords == 0)
        return;
    op->kind = KILN_SIM_OP_SGPR;
    op->reg = (uint16_t)aligned_scalar(d, code, op->dwords);
    if (op->reg >= KILN_SIM_SGPR_TTMP0 && op->reg < KILN_SIM_SGPR_M0)
        op->reg = KILN_SIM_SGPR_SINK;
}

static void set_vcc(kiln_sim_operand_t *op)
{
    init_operand(op, KILN_SIM_T_B1);
    op->kind = KILN_SIM_OP_SGPR;
    op->reg = KILN_SIM_SGPR_VCC;
}

static int32_t sign_extend(uint32_t value, unsigned width)
{
    return (int32_t)(value << (32 - width)) >> (32 - width);
}

// ---- scalar formats

static void decode_sop(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t word = d->words[0];
    d->literal = d->words[1];
    switch (row->format) {
    case KILN_SIM_SOP1:
        set_source(d, &inst->src[0], row->src[0], bits(word, 0, 8));
        set_scalar_destination(d, &inst->dst, row->dst, bits(word, 16, 7));
        break;
    case KILN_SIM_SOP2:
        set_source(d, &inst->src[0], row->src[0], bits(word, 0, 8));
        set_source(d, &inst->src[1], row->src[1], bits(word, 8, 8));
        set_scalar_destination(d, &inst->dst, row->dst, bits(word, 16, 7));
        break;
    case KILN_SIM_SOPC:
        set_source(d, &inst->src[0], row->src[0], bits(word, 0, 8));
        set_source(d, &inst->src[1], row->src[1], bits(word, 8, 8));
        inst->gpr_idx = (uint8_t)bits(word, 8, 4);
        break;
    case KILN_SIM_SOPK:
        inst->imm = sign_extend(word, 16);
        set_source(d, &inst->src[0], row->src[0],
                   inst->size == 8 ? CODE_LITERAL : bits(word, 16, 7));
        set_scalar_destination(d, &inst->dst, row->dst, bits(word, 16, 7));
        break;
    default:
        inst->imm = sign_extend(word, 16);
        break;
    }
}

static void decode_smem(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t low = d->words[0], high = d->words[1];
    bool has_imm = bits(low, 17, 1), has_soffset = bits(low, 14, 1);
    inst->cache = bits(low, 16, 1) ? KILN_SIM_CACHE_SC0 : 0;
    inst->flags = (uint8_t)bits(low, 6, 7);
    set_source(d, &inst->src[0], row->src[0], bits(low, 0, 6) * 2);
    set_source(d, &inst->src[1], row->src[1], bits(low, 6, 7));
    set_scalar_destination(d, &inst->dst, row->dst, bits(low, 6, 7));
    if (has_imm)
        inst->imm = sign_extend(high, 21);
    if (row->src[0] != KILN_SIM_T_NONE && (has_soffset || !has_imm))
        set_source(d, &inst->src[2], KILN_SIM_T_U32,
                   has_imm || has_soffset ? bits(high, 25, 7) : bits(high, 0, 7));
}

// ---- vector arithmetic

static void decode_sdwa(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t word = d->words[1];
    inst->encoding = KILN_SIM_SDWA;
    bool compare = row->format == KILN_SIM_VOPC;
    set_source(d, &inst->src[0], row->src[0],
               bits(word, 0, 8) + (bits(word, 23, 1) ? 0 : CODE_VGPR0));
    if (row->format != KILN_SIM_VOP1)
        set_source(d, &inst->src[1], row->src[1],
                   bits(d->words[0], 9, 8) + (bits(word, 31, 1) ? 0 : CODE_VGPR0));
    for (unsigned i = 0; i < 2; i++) {
        unsigned at = i ? 24 : 16;
        inst->src[i].sel = (uint8_t)bits(word, at, 3);
        inst->src[i].mods = (uint8_t)((bits(word, at + 3, 1) ? KILN_SIM_SEXT : 0) |
                                      (bits(word, at + 4, 1) ? KILN_SIM_NEG : 0) |
                                      (bits(word, at + 5, 1) ? KILN_SIM_ABS : 0));
    }
    if (compare) {
        set_scalar_destination(d, &inst->dst, KILN_SIM_T_B1,
                               bits(word, 15, 1) ? bits(word, 8, 7) : KILN_SIM_SGPR_VCC);
        return;
    }
    if (row->flags & KILN_SIM_ROW_SDWA_SELECTS) {
        inst->src[0].mods = 0;
        inst->dst_sel = KILN_SIM_SEL_DWORD;
        return;
    }
    inst->dst_sel = (uint8_t)bits(word, 8, 3);
    inst->dst_unused = (uint8_t)bits(word, 11, 2);
    inst->clamp = (uint8_t)bits(word, 13, 1);
    inst->omod = (uint8_t)bits(word, 14, 2);
}

static void decode_dpp(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t word = d->words[1];
    inst->encoding = KILN_SIM_DPP;
    set_source(d, &inst->src[0], row->src[0], CODE_VGPR0 + bits(word, 0, 8));
    if (row->format != KILN_SIM_VOP1)
        set_source(d, &inst->src[1], row->src[1], CODE_VGPR0 + bits(d->words[0], 9, 8));
    inst->dpp_ctrl = (uint16_t)bits(word, 8, 9);
    if (inst->src[0].dwords == 2 && (inst->dpp_ctrl & 0x1f0) != 0x150)
        fail(d, "64-bit operands support only row_newbcast DPP");
    inst->bound_ctrl = (uint8_t)bits(word, 19, 1);
    for (unsigned i = 0; i < 2; i++)
        inst->src[i].mods = (uint8_t)((bits(word, 20 + 2 * i, 1) ? KILN_SIM_NEG : 0) |
                                      (bits(word, 21 + 2 * i, 1) ? KILN_SIM_ABS : 0));
    inst->bank_mask = (uint8_t)bits(word, 24, 4);
    inst->row_mask = (uint8_t)bits(word, 28, 4);
}

static void set_vector_destination(decoder_t *d, unsigned code)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    if (row->flags & KILN_SIM_ROW_NO_DST)
        return;
    if ((row->flags & KILN_SIM_ROW_DST_SGPR) && code > 127)
        fail(d, "a scalar operand that does not exist on gfx942");
    else if (row->flags & KILN_SIM_ROW_DST_SGPR)
        set_scalar_destination(d, &inst->dst, row->dst, code);
    else
        set_vgpr(d, &inst->dst, row->dst, code,
                 row->flags & KILN_SIM_ROW_DST_ACC ? KILN_SIM_ACC_ROW : 0);
}

// The e32, SDWA and DPP forms of VOP1, VOP2 and VOPC.
static void decode_vop_short(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t word = d->words[0];
    unsigned src0 = bits(word, 0, 9);
    d->literal = d->words[1];
    if (row->format == KILN_SIM_VOPC)
        set_vcc(&inst->dst);
    else
        set_vector_destination(d, bits(word, 17, 8));

    if (src0 == 249) {
        decode_sdwa(d);
    } else if (src0 == 250) {
        decode_dpp(d);
    } else {
        set_source(d, &inst->src[0], row->src[0], src0);
        if (row->format != KILN_SIM_VOP1)
            set_source(d, &inst->src[1], row->src[1], CODE_VGPR0 + bits(word, 9, 8));
    }
    if (row->flags & KILN_SIM_ROW_LITERAL_K1) {
        inst->src[2] = inst->src[1];
        set_source(d, &inst->src[1], row->src[1], CODE_LITERAL);
    } else if (row->flags & KILN_SIM_ROW_LITERAL_K2) {
        set_source(d, &inst->src[2], row->src[2], CODE_LITERAL);
    }
    if (row->flags & KILN_SIM_ROW_CARRY_IN)
        set_vcc(&inst->src[2]);
    if (row->flags & KILN_SIM_ROW_CARRY_OUT)
        set_vcc(&inst->sdst);
}

static void decode_vop3(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t low = d->words[0], high = d->words[1];
    inst->encoding = KILN_SIM_E64;
    if (row->format == KILN_SIM_VOPC)
        set_scalar_destination(d, &inst->dst, KILN_SIM_T_B1, bits(low, 0, 8));
    else
        set_vector_destination(d, bits(low, 0, 8));
    unsigned count = row->flags & KILN_SIM_ROW_READS_DST ? 2 : 3; // the accumulator has no field
    for (unsigned i = 0; i < count; i++) {
        if (row->src[i] != KILN_SIM_T_NONE)
            set_source(d, &inst->src[i], row->src[i], bits(high, 9 * i, 9));
    }
    if (row->flags & KILN_SIM_ROW_CARRY_OUT) {
        set_scalar_destination(d, &inst->sdst, KILN_SIM_T_B1, bits(low, 8, 7));
    } else {
        for (unsigned i = 0; i < 3; i++)
            inst->src[i].mods |= bits(low, 8 + i, 1) ? KILN_SIM_ABS : 0;
        inst->op_sel = (uint8_t)bits(low, 11, 4);
    }
    inst->clamp = (uint8_t)bits(low, 15, 1);
    inst->omod = (uint8_t)bits(high, 27, 2);
    for (unsigned i = 0; i < 3; i++)
        inst->src[i].mods |= bits(high, 29 + i, 1) ? KILN_SIM_NEG : 0;
}

static void decode_vop3p(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t low = d->words[0], high = d->words[1];
    inst->encoding = KILN_SIM_E64;
    set_vector_destination(d, bits(low, 0, 8));
    for (unsigned i = 0; i < 3; i++) {
        set_source(d, &inst->src[i], row->src[i], bits(high, 9 * i, 9));
        inst->src[i].mods = bits(high, 29 + i, 1) ? KILN_SIM_NEG : 0;
        inst->src[i].neg_hi = (uint8_t)bits(low, 8 + i, 1);
    }
    inst->op_sel = (uint8_t)bits(low, 11, 3);
    inst->op_sel_hi = (uint8_t)(bits(high, 27, 2) | bits(low, 14, 1) << 2);
    inst->clamp = (uint8_t)bits(low, 15, 1);
    if (row->src[0] != KILN_SIM_T_U32)
        return;
    // Byte dot products and moves of whole registers do not select halves.
    inst->op_sel = 0;
    inst->op_sel_hi = 7;
    for (unsigned i = 0; i < 3; i++)
        inst->src[i].mods = inst->src[i].neg_hi = 0;
    if (row->flags & (KILN_SIM_ROW_DST_ACC | KILN_SIM_ROW_SRC_ACC))
        inst->clamp = 0;
}

// v_accvgpr_read and _write share the encoding, but the row fixes their register banks.
static void decode_mai(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t low = d->words[0], high = d->words[1];
    bool fixed_banks = row->flags & (KILN_SIM_ROW_DST_ACC | KILN_SIM_ROW_SRC_ACC);
    inst->encoding = KILN_SIM_E64;
    bool acc_cd = !fixed_banks && bits(low, 15, 1);
    set_vgpr(d, &inst->dst, row->dst, bits(low, 0, 8),
             acc_cd || (row->flags & KILN_SIM_ROW_DST_ACC) ? KILN_SIM_ACC_ROW : 0);
    for (unsigned i = 0; i < 3; i++) {
        unsigned code = bits(high, 9 * i, 9);
        bool acc = i < 2 ? !fixed_banks && bits(high, 27 + i, 1)
                         : acc_cd && !(row->flags & KILN_SIM_ROW_DST_IS_SRC);
        acc = acc || (i == 0 && (row->flags & KILN_SIM_ROW_SRC_ACC));
        if (acc && code >= CODE_VGPR0)
            set_vgpr(d, &inst->src[i], row->src[i], code - CODE_VGPR0, KILN_SIM_ACC_ROW);
        else
            set_source(d, &inst->src[i], row->src[i], code);
    }
    if (fixed_banks)
        return;
    inst->cbsz = (uint8_t)bits(low, 8, 3);
    inst->abid = (uint8_t)bits(low, 11, 4);
    inst->blgp = (uint8_t)bits(high, 29, 3);
}

static void decode_vop1_acc(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    if ((inst->row->flags & KILN_SIM_ROW_SRC_ACC) && inst->src[0].kind == KILN_SIM_OP_VGPR &&
        inst->src[0].reg < KILN_SIM_ACC_ROW)
        inst->src[0].reg = (uint16_t)(inst->src[0].reg + KILN_SIM_ACC_ROW);
}

static bool is_float(unsigned type)
{
    return type == KILN_SIM_T_F16 || type == KILN_SIM_T_F32 || type == KILN_SIM_T_F64 ||
           type == KILN_SIM_T_V2F16 || type == KILN_SIM_T_V2F32;
}

// Only floating-point numbers can be negated, and only integers of SDWA sign-extended; other types
// ignore these bits.
static void drop_idle_modifiers(kiln_sim_inst_t *inst)
{
    if (!(inst->row->flags & KILN_SIM_ROW_OP_SEL))
        inst->op_sel = 0;
    for (unsigned i = 0; i < 3; i++)
        inst->src[i].mods &=
            inst->encoding == KILN_SIM_SDWA && inst->src[i].type == KILN_SIM_T_V2F16 ? 0
            : is_float(inst->src[i].type) ? KILN_SIM_NEG | KILN_SIM_ABS
                                          : KILN_SIM_SEXT;
}

static void decode_vop(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    if (row->format == KILN_SIM_MAI)
        decode_mai(d);
    else if (row->format == KILN_SIM_VOP3P)
        decode_vop3p(d);
    else if (bits(d->words[0], 26, 6) == 0x34)
        decode_vop3(d);
    else
        decode_vop_short(d);
    if (row->format != KILN_SIM_MAI)
        decode_vop1_acc(d);
    if (row->format != KILN_SIM_VOP3P)
        drop_idle_modifiers(inst);
    if ((row->flags & KILN_SIM_ROW_READS_DST) && inst->dst.kind == KILN_SIM_OP_VGPR) {
        init_operand(&inst->src[2], row->dst);
        inst->src[2].kind = KILN_SIM_OP_VGPR;
        inst->src[2].reg = inst->dst.reg;
    }

    bool modified = inst->clamp || inst->omod || inst->op_sel || inst->encoding == KILN_SIM_SDWA ||
                    inst->encoding == KILN_SIM_DPP;
    unsigned used = 0;
    for (unsigned i = 0; i < 3; i++) {
        modified = modified || inst->src[i].mods || inst->src[i].neg_hi;
        used |= (row->src[i] != KILN_SIM_T_NONE ? 1u : 0u) << i;
    }
    if (row->format == KILN_SIM_VOP3P)
        modified = modified || (inst->op_sel_hi & used) != used;
    inst->modified = modified;
}

// ---- memory formats

static void decode_ds(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t low = d->words[0], high = d->words[1];
    unsigned bank = bits(low, 25, 1) ? KILN_SIM_ACC_ROW : 0;
    inst->imm = (int32_t)bits(low, 0, 16);
    inst->flags = bits(low, 16, 1) ? KILN_SIM_INST_GDS : 0;
    set_vgpr(d, &inst->src[0], row->src[0], bits(high, 0, 8),
             row->flags & KILN_SIM_ROW_DATA_AT_ADDRESS ? bank : 0);
    set_vgpr(d, &inst->src[1], row->src[1], bits(high, 8, 8), bank);
    set_vgpr(d, &inst->src[2], row->src[2], bits(high, 16, 8), bank);
    set_vgpr(d, &inst->dst, row->dst, bits(high, 24, 8), bank);
}

static void decode_flat(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t low = d->words[0], high = d->words[1];
    unsigned segment = bits(low, 14, 2), bank = bits(high, 23, 1) ? KILN_SIM_ACC_ROW : 0;
    unsigned saddr = bits(high, 16, 7);
    inst->cache = (uint8_t)((bits(low, 16, 1) ? KILN_SIM_CACHE_SC0 : 0) |
                            (bits(low, 17, 1) ? KILN_SIM_CACHE_NT : 0) |
                            (bits(low, 25, 1) ? KILN_SIM_CACHE_SC1 : 0));
    inst->imm = segment == 0 ? (int32_t)bits(low, 0, 12) : sign_extend(low, 13);
    if (segment == 0 && bits(low, 12, 1))
        fail(d, "the offset of a flat access must fit in 12 bits");
    bool has_saddr = segment != 0 && saddr != 127;
    if (segment == 1) {
        inst->flags = KILN_SIM_INST_SCRATCH;
        if (bits(low, 13, 1))
            set_vgpr(d, &inst->src[0], KILN_SIM_T_U32, bits(high, 0, 8), 0);
        if (has_saddr)
            set_source(d, &inst->src[2], KILN_SIM_T_U32, saddr);
    } else {
        inst->flags = segment == 2 ? KILN_SIM_INST_GLOBAL : 0;
        set_vgpr(d, &inst->src[0], has_saddr ? KILN_SIM_T_U32 : KILN_SIM_T_U64, bits(high, 0, 8),
                 0);
        if (has_saddr)
            set_source(d, &inst->src[2], KILN_SIM_T_U64, saddr);
    }
    set_vgpr(d, &inst->src[1], row->src[1], bits(high, 8, 8), bank);
    if (row->class_ != KILN_SIM_CLASS_VMEM_ATOMIC || (inst->cache & KILN_SIM_CACHE_SC0))
        set_vgpr(d, &inst->dst, row->dst, bits(high, 24, 8), bank);
}

static void decode_buffer(decoder_t *d)
{
    kiln_sim_inst_t *inst = d->inst;
    const kiln_sim_row_t *row = inst->row;
    uint32_t low = d->words[0], high = d->words[1];
    unsigned bank = bits(high, 23, 1) ? KILN_SIM_ACC_ROW : 0;
    bool sc0 = bits(low, 14, 1), nt, sc1;
    inst->imm = (int32_t)bits(low, 0, 12);
    inst->flags = (uint8_t)((bits(low, 12, 1) ? KILN_SIM_INST_OFFEN : 0) |
                            (bits(low, 13, 1) ? KILN_SIM_INST_IDXEN : 0));
    if (row->format == KILN_SIM_MTBUF) {
        inst->data_format = (uint8_t)bits(low, 19, 4);
        inst->num_format = (uint8_t)bits(low, 23, 3);
        sc1 = bits(high, 21, 1);
        nt = bits(high, 22, 1);
    } else {
        sc1 = bits(low, 15, 1);
        nt = bits(low, 17, 1);
        if (bits(low, 16, 1))
            inst->flags |= KILN_SIM_INST_LDS;
        if (bits(low, 16, 1) && (type_info[row->dst].dwords != 1 || row->src[1] != KILN_SIM_T_NONE))
            fail(d, "direct loads to LDS must be of one dword");
    }
    inst->cache = (uint8_t)((sc0 ? KILN_SIM_CACHE_SC0 : 0) | (nt ? KILN_SIM_CACHE_NT : 0) |
                            (sc1 ? KILN_SIM_CACHE_SC1 : 0));
    if (row->src[0] != KILN_SIM_T_NONE) {
        unsigned both = KILN_SIM_INST_OFFEN | KILN_SIM_INST_IDXEN;
        kiln_sim_type_t address = (inst->flags & both) == both ? KILN_SIM_T_U64
                                  : inst->flags & both         ? KILN_SIM_T_U32
                                                               : KILN_SIM_T_NONE;
        set_vgpr(d, &inst->src[0], address, bits(high, 0, 8), 0);
        set_source(d, &inst->mem[0], KILN_SIM_T_B128, bits(high, 16, 5) * 4);
        set_source(d, &inst->mem[1], KILN_SIM_T_U32, bits(high, 24, 8));
    }
    if (!(inst->flags & KILN_SIM_INST_LDS))
        set_vgpr(d, &inst->dst, row->dst, bits(high, 8, 8), bank);
    set_vgpr(d, &inst->src[1], row->src[1], bits(high, 8, 8), bank);
}

bool kiln_sim_decode_fields(kiln_sim_inst_t *inst, const uint32_t *words,
                            kiln_sim_constant_row_t constant_row, void *context,
                            kiln_sim_error_t *error)
{
    decoder_t d = {.inst = inst,
                   .words = words,
                   .constant_row = constant_row,
                   .context = context,
                   .error = error};
    inst->format = inst->row->format;
    inst->encoding = KILN_SIM_E32;
    switch (inst->row->format) {
    case KILN_SIM_SOP1:
    case KILN_SIM_SOP2:
    case KILN_SIM_SOPC:
    case KILN_SIM_SOPK:
    case KILN_SIM_SOPP:
        decode_sop(&d);
        break;
    case KILN_SIM_SMEM:
        decode_smem(&d);
        break;
    case KILN_SIM_DS:
        decode_ds(&d);
        break;
    case KILN_SIM_FLAT:
        decode_flat(&d);
        break;
    case KILN_SIM_MUBUF:
    case KILN_SIM_MTBUF:
        decode_buffer(&d);
        break;
    default:
        decode_vop(&d);
        break;
    }
    return !d.failed;
}
