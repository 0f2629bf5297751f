// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a decoded instruction like LLVM's disassembler, from kiln_sim_inst_t alone.
//
// Idea: the text is the common representation of two decoders. It contains only what a handler
// would see (registers, constants in their type, modifiers, offsets); nothing is taken from the
// encoding or from LLVM's text, except the mnemonic with its suffix, whose agreement with the
// encoding the caller checks.
//
// Apertures are constants here, so they print as numbers, and destinations that the machine ignores
// print as "sink"; the caller converts LLVM's names to the same form. Immediates that LLVM prints
// symbolically (s_waitcnt, s_sendmsg, hwreg, swizzle) are not printed; the caller compares their
// numbers.
#ifndef KILN_TEST_SIM_RENDER_H
#define KILN_TEST_SIM_RENDER_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "decode/isa.h"

typedef struct render {
    char *text;
    size_t size, used;
    bool first; // no operand yet
    bool plain_numbers;
} render_t;

static void __attribute__((format(printf, 2, 3))) render_put(render_t *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(r->text + r->used, r->size - r->used, format, args);
    va_end(args);
    r->used += length > 0 ? (size_t)length : 0;
    if (r->used >= r->size)
        r->used = r->size - 1;
}

static void render_comma(render_t *r)
{
    render_put(r, r->first ? " " : ", ");
    r->first = false;
}

// Whether LLVM writes constants of 16-bit integers as integers, however they are encoded.
static bool render_has_plain_numbers(const char *mnemonic)
{
    return !strstr(mnemonic, "_class_") && !strstr(mnemonic, "v_ldexp_") &&
           !strstr(mnemonic, "v_alignb");
}

static void render_range(render_t *r, char bank, unsigned first, unsigned count)
{
    if (count == 1)
        render_put(r, "%c%u", bank, first);
    else
        render_put(r, "%c[%u:%u]", bank, first, first + count - 1);
}

static void render_scalar(render_t *r, unsigned code, unsigned count)
{
    static const struct {
        unsigned code;
        const char *name;
    } pairs[] = {{102, "flat_scratch"}, {104, "xnack_mask"}, {106, "vcc"}, {126, "exec"}};
    if (code >= KILN_SIM_SGPR_SINK) {
        render_put(r, "sink");
        return;
    }
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (code - pairs[i].code < 2 && count <= 2) {
            render_put(r, "%s%s", pairs[i].name,
                       count == 2              ? ""
                       : code == pairs[i].code ? "_lo"
                                               : "_hi");
            return;
        }
    }
    if (code == KILN_SIM_SGPR_M0 && count == 1) {
        render_put(r, "m0");
    } else if (code >= KILN_SIM_SGPR_TTMP0 && code < KILN_SIM_SGPR_TTMP0 + 16) {
        render_put(r, "ttmp");
        if (count == 1)
            render_put(r, "%u", code - KILN_SIM_SGPR_TTMP0);
        else
            render_put(r, "[%u:%u]", code - KILN_SIM_SGPR_TTMP0,
                       code - KILN_SIM_SGPR_TTMP0 + count - 1);
    } else {
        render_range(r, 's', code, count);
    }
}

// plain_numbers: the operand is an integer of 16 bits, for which LLVM does not write constants as
// fractions.
static void render_constant(render_t *r, const kiln_sim_operand_t *op, bool plain_numbers)
{
    static const char *const names[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
    static const uint64_t codes[3][9] = {
        {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118},
        {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000,
         0xc0800000, 0x3e22f983},
        {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000,
         0x4000000000000000, 0xc000000000000000, 0x4010000000000000, 0xc010000000000000,
         0x3fc45f306dc9c882}};
    static const char *const inverse[] = {"0.15915494", "0.15915494", "0.15915494309189532"};
    const unsigned type = op->type;
    const bool is16 = type == KILN_SIM_T_U16 || type == KILN_SIM_T_I16 || type == KILN_SIM_T_F16;
    const bool is64 = op->dwords == 2 && type != KILN_SIM_T_V2F32 && type != KILN_SIM_T_V2I32;
    const unsigned width = is16 ? 0 : is64 || type == KILN_SIM_T_V4F64 ? 2 : 1;
    const int64_t value = width < 2 ? (int32_t)op->value : (int64_t)op->value;
    if (is16 && (op->value & 0xffff) == 0) { // an aperture, too
        render_put(r, "0");
        return;
    }
    if (value >= -16 && value <= 64) {
        render_put(r, "%" PRId64, value);
        return;
    }
    const unsigned packed = type == KILN_SIM_T_V2F16 ? 0 : width;
    for (unsigned i = 0; i < 9 && !plain_numbers; i++) {
        if (codes[packed][i] == op->value) {
            render_put(r, "%s", i < 8 ? names[i] : inverse[packed]);
            return;
        }
    }
    // LLVM shows a literal's 32 bits, which are the high ones of an f64 and are extended to an i64.
    render_put(r, "0x%" PRIx64,
               type == KILN_SIM_T_F64 && width == 2  ? op->value >> 32
               : type == KILN_SIM_T_I64 && value < 0 ? op->value & UINT32_MAX
               : is16                                ? op->value & 0xffff
                                                     : op->value);
}

static void render_plain(render_t *r, const kiln_sim_operand_t *op)
{
    if (op->kind == KILN_SIM_OP_VGPR)
        render_range(r, op->reg >= KILN_SIM_ACC_ROW ? 'a' : 'v', op->reg & 255u, op->dwords);
    else if (op->kind == KILN_SIM_OP_SGPR)
        render_scalar(r, op->reg, op->dwords);
    else if (op->kind == KILN_SIM_OP_CONST)
        render_constant(
            r, op, r->plain_numbers && (op->type == KILN_SIM_T_U16 || op->type == KILN_SIM_T_I16));
    else if (op->kind == KILN_SIM_OP_SPECIAL)
        render_put(r, "%s",
                   op->reg == 251   ? "src_vccz"
                   : op->reg == 252 ? "src_execz"
                   : op->reg == 253 ? "src_scc"
                                    : "src_lds_direct");
    else
        render_put(r, "nothing");
}

// Prints an operand, if there is one, with its comma and modifiers.
static void render_operand(render_t *r, const kiln_sim_operand_t *op, bool with_modifiers)
{
    if (op->kind == KILN_SIM_OP_NONE)
        return;
    render_comma(r);
    const unsigned mods = with_modifiers ? op->mods : 0;
    const bool constant = op->kind == KILN_SIM_OP_CONST && op->value >> 48 != 1 &&
                          op->value >> 48 != 2 && op->value != KILN_SIM_SHARED_BASE >> 32 &&
                          op->value != KILN_SIM_PRIVATE_BASE >> 32; // not an aperture
    const char *before = "", *after = "";
    if (mods & KILN_SIM_SEXT)
        before = "sext(", after = ")";
    else if ((mods & KILN_SIM_ABS) && (mods & KILN_SIM_NEG))
        before = "-|", after = "|";
    else if (mods & KILN_SIM_ABS)
        before = after = "|";
    else if (mods & KILN_SIM_NEG)
        before = constant ? "neg(" : "-", after = constant ? ")" : "";
    render_put(r, "%s", before);
    render_plain(r, op);
    render_put(r, "%s", after);
}

// " name:[1,0,1]" for `count` operands, unless all bits are `usual`.
static void render_bits(render_t *r, const char *name, unsigned bits, unsigned count,
                        unsigned usual)
{
    const unsigned mask = (1u << count) - 1;
    if ((bits & mask) == (usual & mask))
        return;
    render_put(r, " %s:[", name);
    for (unsigned i = 0; i < count; i++)
        render_put(r, "%s%u", i ? "," : "", bits >> i & 1);
    render_put(r, "]");
}

static void render_clamp_omod(render_t *r, const kiln_sim_inst_t *inst)
{
    static const char *const omod[] = {"", " mul:2", " mul:4", " div:2"};
    render_put(r, "%s%s", inst->clamp ? " clamp" : "", omod[inst->omod & 3]);
}

static void render_dpp(render_t *r, const kiln_sim_inst_t *inst)
{
    static const struct {
        unsigned first, last;
        const char *name;
    } controls[] = {{0x101, 0x10f, "row_shl"},
                    {0x111, 0x11f, "row_shr"},
                    {0x121, 0x12f, "row_ror"},
                    {0x150, 0x15f, "row_newbcast"}};
    static const struct {
        unsigned control;
        const char *text;
    } others[] = {{0x130, "wave_shl:1"},   {0x134, "wave_rol:1"},  {0x138, "wave_shr:1"},
                  {0x13c, "wave_ror:1"},   {0x140, "row_mirror"},  {0x141, "row_half_mirror"},
                  {0x142, "row_bcast:15"}, {0x143, "row_bcast:31"}};
    const unsigned control = inst->dpp_ctrl;
    if (control <= 0xff)
        render_put(r, " quad_perm:[%u,%u,%u,%u]", control & 3, control >> 2 & 3, control >> 4 & 3,
                   control >> 6 & 3);
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        if (control >= controls[i].first && control <= controls[i].last)
            render_put(r, " %s:%u", controls[i].name, control & 15);
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (control == others[i].control)
            render_put(r, " %s", others[i].text);
    }
    render_put(r, " row_mask:0x%x bank_mask:0x%x%s", inst->row_mask, inst->bank_mask,
               inst->bound_ctrl ? " bound_ctrl:1" : "");
}

static void render_sdwa(render_t *r, const kiln_sim_inst_t *inst)
{
    static const char *const sel[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                      "WORD_0", "WORD_1", "DWORD",  "?"};
    static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"};
    if (inst->format != KILN_SIM_VOPC && !(inst->row->flags & KILN_SIM_ROW_SDWA_SELECTS))
        render_put(r, " dst_sel:%s dst_unused:%s", sel[inst->dst_sel & 7],
                   unused[inst->dst_unused & 3]);
    render_put(r, " src0_sel:%s", sel[inst->src[0].sel & 7]);
    if (inst->format != KILN_SIM_VOP1)
        render_put(r, " src1_sel:%s", sel[inst->src[1].sel & 7]);
}

static unsigned render_neg(const kiln_sim_inst_t *inst, bool high)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < 3; i++)
        bits |=
            (unsigned)(high ? inst->src[i].neg_hi != 0 : (inst->src[i].mods & KILN_SIM_NEG) != 0)
            << i;
    return bits;
}

static void render_vector(render_t *r, const kiln_sim_inst_t *inst)
{
    const kiln_sim_row_t *row = inst->row;
    const bool implicit_accumulator = row->flags & KILN_SIM_ROW_READS_DST,
               packed = row->format == KILN_SIM_VOP3P, matrix = row->format == KILN_SIM_MAI,
               mixed = kiln_sim_inst_starts(inst, "v_fma_mix");
    unsigned count = 0;
    if (row->flags & KILN_SIM_ROW_NO_DST)
        return;
    render_operand(r, &inst->dst, false);
    render_operand(r, &inst->sdst, false);
    for (unsigned i = 0; i < 3; i++) {
        if (i == 2 && implicit_accumulator)
            break;
        kiln_sim_operand_t op = inst->src[i];
        if (mixed && op.neg_hi)
            op.mods |= KILN_SIM_ABS;
        render_operand(r, &op, mixed || (!packed && !matrix));
        count += inst->src[i].kind != KILN_SIM_OP_NONE;
    }
    if (matrix) {
        if (inst->cbsz)
            render_put(r, " cbsz:%u", inst->cbsz);
        if (inst->abid)
            render_put(r, " abid:%u", inst->abid);
        if (kiln_sim_inst_starts(inst, "v_mfma_f64"))
            render_bits(r, "neg", inst->blgp, 3, 0);
        else if (inst->blgp)
            render_put(r, " blgp:%u", inst->blgp);
    } else if (mixed) {
        render_bits(r, "op_sel", inst->op_sel, count, 0);
        render_bits(r, "op_sel_hi", inst->op_sel_hi, count, 0);
        render_put(r, "%s", inst->clamp ? " clamp" : "");
    } else if (packed && !(row->flags & (KILN_SIM_ROW_SRC_ACC | KILN_SIM_ROW_DST_ACC))) {
        render_bits(r, "op_sel", inst->op_sel, count, 0);
        render_bits(r, "op_sel_hi", inst->op_sel_hi, count, 7);
        render_bits(r, "neg_lo", render_neg(inst, false), count, 0);
        render_bits(r, "neg_hi", render_neg(inst, true), count, 0);
        render_put(r, "%s", inst->clamp ? " clamp" : "");
    } else if (inst->encoding == KILN_SIM_SDWA) {
        render_clamp_omod(r, inst);
        render_sdwa(r, inst);
    } else if (inst->encoding == KILN_SIM_DPP) {
        render_dpp(r, inst);
    } else {
        if (kiln_sim_inst_starts(inst, "v_cvt_sr_"))
            count = 3;    // the third source's bit belongs to the destination's byte
        if (inst->op_sel) // the destination's bit is printed after those of the sources
            render_bits(r, "op_sel",
                        (inst->op_sel & ((1u << count) - 1)) | (inst->op_sel >> 3 & 1u) << count,
                        count + 1, 0);
        render_clamp_omod(r, inst);
    }
}

// ---- scalar and memory formats

static bool render_has_no_number(const kiln_sim_inst_t *inst)
{
    static const char *const names[] = {"s_wakeup",
                                        "s_barrier",
                                        "s_icache_inv",
                                        "s_ttracedata",
                                        "s_set_gpr_idx_off",
                                        "s_endpgm_saved",
                                        "s_endpgm_ordered_ps_done"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(inst->row->name, names[i]) == 0)
            return true;
    }
    return strcmp(inst->row->name, "s_endpgm") == 0 && inst->imm == 0;
}

static void render_sop(render_t *r, const kiln_sim_inst_t *inst)
{
    const bool sopk = inst->format == KILN_SIM_SOPK, sopp = inst->format == KILN_SIM_SOPP;
    const unsigned imm = (unsigned)inst->imm & 0xffff;
    if (kiln_sim_inst_starts(inst,
                             "s_setreg")) { // the hardware register is an immediate, printed first
        render_comma(r);
        render_put(r, "#");
        render_operand(r, &inst->src[0], false);
        return;
    }
    render_operand(r, &inst->dst, false);
    for (unsigned i = 0; i < 2; i++)
        render_operand(r, &inst->src[i], false);
    if (kiln_sim_inst_starts(inst, "s_getreg") || kiln_sim_inst_starts(inst, "s_sendmsg") ||
        kiln_sim_inst_starts(inst, "s_waitcnt") || kiln_sim_inst_starts(inst, "s_set_gpr_idx_on") ||
        kiln_sim_inst_starts(inst, "s_set_gpr_idx_mode")) {
        render_comma(r);
        render_put(r, "#");
    } else if ((inst->row->flags & KILN_SIM_ROW_BRANCHES) ||
               kiln_sim_inst_starts(inst, "s_cbranch_cdbg")) {
        render_comma(r);
        render_put(r, "%u", imm);
    } else if (sopk) {
        render_comma(r);
        render_put(r, "0x%x", imm);
    } else if (sopp && !render_has_no_number(inst)) {
        render_comma(r);
        render_put(r, imm > 64 && !kiln_sim_inst_starts(inst, "s_endpgm") ? "0x%x" : "%u", imm);
    }
}

static void render_smem(render_t *r, const kiln_sim_inst_t *inst)
{
    const bool atomic =
        kiln_sim_inst_starts(inst, "s_atomic") || kiln_sim_inst_starts(inst, "s_buffer_atomic");
    if (!(atomic && inst->src[1].kind != KILN_SIM_OP_NONE))
        render_operand(r, &inst->dst, false);
    render_operand(r, &inst->src[1], false);
    if (inst->src[0].kind == KILN_SIM_OP_NONE)
        return;
    if (kiln_sim_inst_starts(inst, "s_atc_probe")) {
        render_comma(r);
        render_put(r, inst->flags > 64 ? "0x%x" : "%u", inst->flags);
    }
    render_operand(r, &inst->src[0], false);
    const bool has_register = inst->src[2].kind != KILN_SIM_OP_NONE;
    render_operand(r, &inst->src[2], false);
    if (!has_register || inst->imm) {
        if (has_register)
            render_put(r, " offset:");
        else
            render_comma(r);
        render_put(r, "%s0x%x", inst->imm < 0 ? "-" : "",
                   (unsigned)(inst->imm < 0 ? -inst->imm : inst->imm));
    }
    const bool hint =
        !atomic && inst->dst.kind == KILN_SIM_OP_NONE && inst->src[1].kind == KILN_SIM_OP_NONE;
    render_put(r, "%s", inst->cache & KILN_SIM_CACHE_SC0 && !hint ? " glc" : "");
}

static void render_ds(render_t *r, const kiln_sim_inst_t *inst)
{
    render_operand(r, &inst->dst, false);
    for (unsigned i = 0; i < 3; i++)
        render_operand(r, &inst->src[i], false);
    const bool pair = strstr(inst->row->name, "read2") || strstr(inst->row->name, "write2") ||
                      strstr(inst->row->name, "xchg2");
    const unsigned offset = (unsigned)inst->imm;
    if (pair) {
        if (offset & 255)
            render_put(r, " offset0:%u", offset & 255);
        if (offset >> 8)
            render_put(r, " offset1:%u", offset >> 8);
    } else if (kiln_sim_inst_starts(inst, "ds_swizzle")) {
        render_put(r, "#");
    } else if (offset) {
        render_put(r, " offset:%u", offset);
    }
    const bool swizzle = kiln_sim_inst_starts(inst, "ds_swizzle"); // LLVM does not print its bit
    render_put(r, "%s", inst->flags & KILN_SIM_INST_GDS && !swizzle ? " gds" : "");
}

static void render_cache(render_t *r, const kiln_sim_inst_t *inst)
{
    render_put(r, "%s%s%s", inst->cache & KILN_SIM_CACHE_SC0 ? " sc0" : "",
               inst->cache & KILN_SIM_CACHE_NT ? " nt" : "",
               inst->cache & KILN_SIM_CACHE_SC1 ? " sc1" : "");
}

static void render_flat(render_t *r, const kiln_sim_inst_t *inst)
{
    const bool atomic = inst->row->class_ == KILN_SIM_CLASS_VMEM_ATOMIC,
               scratch = inst->flags & KILN_SIM_INST_SCRATCH;
    const bool load = inst->row->class_ == KILN_SIM_CLASS_VMEM_LOAD;
    const bool off = scratch || (inst->flags & KILN_SIM_INST_GLOBAL);
    if (load || (atomic && (inst->cache & KILN_SIM_CACHE_SC0)))
        render_operand(r, &inst->dst, false);
    if (scratch && inst->src[0].kind == KILN_SIM_OP_NONE) {
        render_comma(r);
        render_put(r, "off");
    }
    render_operand(r, &inst->src[0], false);
    render_operand(r, &inst->src[1], false);
    render_operand(r, &inst->src[2], false);
    if (off && inst->src[2].kind == KILN_SIM_OP_NONE) {
        render_comma(r);
        render_put(r, "off");
    }
    if (inst->imm)
        render_put(r, " offset:%d", inst->imm);
    render_cache(r, inst);
}

static void render_buffer(render_t *r, const kiln_sim_inst_t *inst)
{
    static const char *const data[] = {"INVALID",     "8",          "16",          "8_8",
                                       "32",          "16_16",      "10_11_11",    "11_11_10",
                                       "10_10_10_2",  "2_10_10_10", "8_8_8_8",     "32_32",
                                       "16_16_16_16", "32_32_32",   "32_32_32_32", "RESERVED_15"};
    static const char *const number[] = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                         "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
    if (inst->row->src[0] == KILN_SIM_T_NONE) { // cache control
        render_put(r, "%s%s", inst->cache & KILN_SIM_CACHE_SC0 ? " sc0" : "",
                   inst->cache & KILN_SIM_CACHE_SC1 ? " sc1" : "");
        return;
    }
    const bool offen = inst->flags & KILN_SIM_INST_OFFEN, idxen = inst->flags & KILN_SIM_INST_IDXEN;
    // An atomic prints its data, a load its destination; an atomic has both in the same register.
    render_operand(r,
                   inst->dst.kind != KILN_SIM_OP_NONE && inst->src[1].kind == KILN_SIM_OP_NONE
                       ? &inst->dst
                       : &inst->src[1],
                   false);
    if (!offen && !idxen) {
        render_comma(r);
        render_put(r, "off");
    }
    render_operand(r, &inst->src[0], false);
    render_operand(r, &inst->mem[0], false);
    render_operand(r, &inst->mem[1], false);
    if (inst->format == KILN_SIM_MTBUF && (inst->data_format != 1 || inst->num_format)) {
        render_put(r, " format:[");
        if (inst->data_format != 1)
            render_put(r, "BUF_DATA_FORMAT_%s", data[inst->data_format & 15]);
        if (inst->num_format)
            render_put(r, "%sBUF_NUM_FORMAT_%s", inst->data_format != 1 ? "," : "",
                       number[inst->num_format & 7]);
        render_put(r, "]");
    }
    render_put(r, "%s%s", idxen ? " idxen" : "", offen ? " offen" : "");
    if (inst->imm)
        render_put(r, " offset:%d", inst->imm);
    render_cache(r, inst);
    render_put(r, "%s", inst->flags & KILN_SIM_INST_LDS ? " lds" : "");
}

// `mnemonic` as LLVM prints it, with its encoding suffix.
static void render_instruction(const kiln_sim_inst_t *inst, const char *mnemonic,
                               size_t mnemonic_length, char *text, size_t size)
{
    render_t r = {.text = text,
                  .size = size,
                  .first = true,
                  .plain_numbers = render_has_plain_numbers(mnemonic)};
    render_put(&r, "%.*s", (int)mnemonic_length, mnemonic);
    switch (inst->format) {
    case KILN_SIM_SOP1:
    case KILN_SIM_SOP2:
    case KILN_SIM_SOPC:
    case KILN_SIM_SOPK:
    case KILN_SIM_SOPP:
        render_sop(&r, inst);
        break;
    case KILN_SIM_SMEM:
        render_smem(&r, inst);
        break;
    case KILN_SIM_DS:
        render_ds(&r, inst);
        break;
    case KILN_SIM_FLAT:
        render_flat(&r, inst);
        break;
    case KILN_SIM_MUBUF:
    case KILN_SIM_MTBUF:
        render_buffer(&r, inst);
        break;
    default:
        render_vector(&r, inst);
        break;
    }
}

#endif
