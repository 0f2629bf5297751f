// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of isa/*.def: an instruction's name, operand types, class, cost and handler.
//
// Each exec/<format>.c includes its .def twice: once to define a handler for each row's expression,
// once to fill a table of kiln_sim_row_t. LLVM's MC layer decodes a word to a mnemonic; the
// mnemonic without its encoding suffix selects the row; the row's types determine how decode
// resolves operands. Nothing else in the simulator knows opcodes.
//
// Pitfall: exec/*.c are compiled several times, for different host instruction sets. Everything
// with external linkage in them is therefore named through KILN_SIM_V(), which appends the variant.
//
// Contract of vector handlers (VOP*, MFMA):
// - The host's floating-point environment is the default one (round to nearest, no flush). A
//   handler that needs another mode changes it and restores it, or computes in a different way.
// - A handler writes only lanes in EXEC (except where the ISA ignores EXEC). Its destination row
//   may also be a source row. The `row` of KILN_SIM_OP_CONST sources is shared between threads and
//   must not be written.
// - VOPC: dst is the scalar pair (VCC in e32); bits of inactive lanes are written 0. v_cmpx also
//   writes EXEC.
// - Decoding has checked register ranges: dst.reg + dst.dwords stays inside v or a. It has not
//   checked register alignment.
// - The run loop implements M0-relative indexing (s_set_gpr_idx_on): it passes a copy of the
//   instruction with shifted registers.
#ifndef KILN_SIM_ISA_H
#define KILN_SIM_ISA_H

#include <string.h>

#include "base/string.h"
#include "decode/inst.h"

// Types of operands. id, dwords, how an inline constant or literal of this type is formed:
//   INT               the integer, sign-extended; float codes give f32 bits, in 64-bit operands f64 bits; 64-bit
//                     literals are zero-extended
//   SINT              as INT, but 64-bit literals are sign-extended
//   F16 / F32 / F64   float codes in that format, integer codes as plain integers (as on the machine); an
//                     F64 literal is the high dword
#define KILN_SIM_TYPES(T)                                                                          \
    T(NONE, 0, INT)                                                                                \
    T(B1, 2, INT) /* a mask with one bit per lane, in a scalar pair */                             \
    T(U16, 1, F16)                                                                                 \
    T(I16, 1, F16)                                                                                 \
    T(F16, 1, F16)                                                                                 \
    T(U32, 1, INT)                                                                                 \
    T(I32, 1, INT)                                                                                 \
    T(F32, 1, F32)                                                                                 \
    T(U64, 2, INT)                                                                                 \
    T(I64, 2, SINT)                                                                                \
    T(F64, 2, F64)                                                                                 \
    T(V2F16, 1, F16) /* inline constants: low half only, high half 0 */                            \
    T(V2I16, 1, INT)                                                                               \
    T(V2U16, 1, INT)                                                                               \
    T(V2F32, 2, F32) /* inline constants: low dword only */                                        \
    T(V2I32, 2, INT)                                                                               \
    T(V4F64, 8, F64) /* four f64 per lane: C of a matrix instruction */                            \
    T(B96, 3, INT)                                                                                 \
    T(B128, 4, INT)                                                                                \
    T(B256, 8, INT)                                                                                \
    T(B512, 16, INT)                                                                               \
    T(B1024, 32, INT)

typedef enum kiln_sim_type {
#define T(id, dwords, form) KILN_SIM_T_##id,
    KILN_SIM_TYPES(T)
#undef T
} kiln_sim_type_t;

// The execution unit that an instruction occupies; statistics are kept by class.
typedef enum kiln_sim_class {
    KILN_SIM_CLASS_SALU,
    KILN_SIM_CLASS_BRANCH,
    KILN_SIM_CLASS_SYNC, // waits, barriers, s_nop, s_sleep, messages: no execution port
    KILN_SIM_CLASS_SMEM,
    KILN_SIM_CLASS_VALU,
    KILN_SIM_CLASS_TRANS,
    KILN_SIM_CLASS_MFMA,
    KILN_SIM_CLASS_LDS,
    KILN_SIM_CLASS_VMEM_LOAD,
    KILN_SIM_CLASS_VMEM_STORE,
    KILN_SIM_CLASS_VMEM_ATOMIC,
    KILN_SIM_CLASS_COUNT
} kiln_sim_class_t;

// Row flags. The first group determines where decode finds operands.
enum {
    KILN_SIM_ROW_READS_DST =
        1 << 0, // short forms: third source = destination (v_fmac, v_mac, v_dot2c …): src[2]
    KILN_SIM_ROW_CARRY_IN =
        1 << 1, // last source is a mask: VCC in e32/SDWA/DPP, src2 in e64 (v_cndmask, v_addc_co)
    KILN_SIM_ROW_CARRY_OUT = 1 << 2, // sdst: VCC in e32/SDWA/DPP, the sdst field in e64 (v_add_co,
                                     // v_div_scale, v_mad_u64_u32)
    KILN_SIM_ROW_DST_SGPR =
        1 << 3, // vdst names a scalar register (v_readlane, v_readfirstlane); VOPC is implied
    KILN_SIM_ROW_DST_ACC = 1 << 4, // vdst is an accumulation register regardless of the encoding
    KILN_SIM_ROW_SRC_ACC = 1 << 5, // src0 is an accumulation register regardless of the encoding
    KILN_SIM_ROW_LITERAL_K1 =
        1 << 6, // v_madmk/v_fmamk: D = S0 * K + S1: decoded as src = {S0, K, S1}
    KILN_SIM_ROW_LITERAL_K2 =
        1 << 7,                   // v_madak/v_fmaak: D = S0 * S1 + K: decoded as src = {S0, S1, K}
    KILN_SIM_ROW_NO_DST = 1 << 8, // v_nop and the like
    KILN_SIM_ROW_DST_IS_SRC =
        1 << 9, // v_swap: src[0] is also written. SMFMAC: D is the accumulator, and src[2], the
                // indices, stays a v register under acc_cd
    KILN_SIM_ROW_CMPX = 1 << 10, // VOPC that also writes EXEC
    KILN_SIM_ROW_SCALAR_SRC1 =
        1 << 11, // v_readlane/v_writelane lane select: src[1] is read as a scalar
    KILN_SIM_ROW_SDWA_SELECTS = 1 << 12, // SDWA uses only src0_sel
    KILN_SIM_ROW_DATA_AT_ADDRESS =
        1 << 14, // ds_gws_*: src[0] is data, which may be an accumulation register
    KILN_SIM_ROW_OP_SEL =
        1 << 13, // VOP3: op_sel selects halves, or bytes of the result; ignored elsewhere
    KILN_SIM_ROW_KEEPS_REST = 1 << 15, // writes a half or a byte of its destination register
    // second group: control flow
    KILN_SIM_ROW_BRANCHES = 1 << 16, // may branch to the instruction's end + 4 * imm
    KILN_SIM_ROW_ENDS = 1 << 17      // control never reaches the following instruction
};

typedef struct kiln_sim_row {
    const char *name;                // the assembler's mnemonic without _e32/_e64/_sdwa/_dpp
    kiln_sim_handler_t run;          // for instructions without modifiers
    kiln_sim_handler_t run_modified; // for kiln_sim_inst_t.modified ones; NULL: the same as run
    uint8_t format; // kiln_sim_format_t (VOP1/VOP2/VOPC rows also serve their e64 form)
    uint8_t class_; // kiln_sim_class_t
    uint8_t
        cycles; // cycles per wave that the class's unit is busy (VALU 4, trans 16, MFMA 4 × passes)
    uint8_t dst; // kiln_sim_type_t
    uint8_t src[3];
    uint32_t flags; // KILN_SIM_ROW_*
    uint32_t info;  // for use by the format's own file
} kiln_sim_row_t;

// Whether an instruction's mnemonic begins with a prefix.
static inline bool kiln_sim_inst_starts(const kiln_sim_inst_t *inst, const char *prefix)
{
    return kiln_string_starts_with(inst->row->name, prefix);
}

typedef struct kiln_sim_rows {
    const kiln_sim_row_t *rows;
    size_t count;
} kiln_sim_rows_t;

// Variants: exec/*.c are compiled with -DKILN_SIM_VARIANT=<name> and matching host flags
// (decode/rows.c lists all variants).
typedef struct kiln_sim_variant kiln_sim_variant_t;
#ifndef KILN_SIM_VARIANT
#define KILN_SIM_VARIANT generic
#endif
#define KILN_SIM_PASTE2(a, b) a##_##b
#define KILN_SIM_PASTE(a, b) KILN_SIM_PASTE2(a, b)
#define KILN_SIM_V(name) KILN_SIM_PASTE(name, KILN_SIM_VARIANT)

// Each exec file defines one table, for example exec/vop2.c:
//     const kiln_sim_rows_t KILN_SIM_V(kiln_sim_rows_vop2) = {rows, sizeof rows / sizeof rows[0]};
// This is the list of all tables; add a line for a new exec file.
#define KILN_SIM_ROW_TABLES_OF(X, variant)                                                         \
    X(sop, variant)                                                                                \
    X(sopp, variant)                                                                               \
    X(smem, variant)                                                                               \
    X(ds, variant)                                                                                 \
    X(flat, variant)                                                                               \
    X(buffer, variant)                                                                             \
    X(format, variant)                                                                             \
    X(vop1, variant)                                                                               \
    X(vop2, variant) X(vopc, variant) X(vop3, variant) X(vop3p, variant) X(mfma, variant)

// Reads any scalar operand (SGPR, constant, SCC/VCCZ/EXECZ) as 32 or 64 bits.
static inline uint32_t kiln_sim_scalar_u32(const kiln_sim_wave_t *wave,
                                           const kiln_sim_operand_t *op)
{
    switch (op->kind) {
    case KILN_SIM_OP_SGPR:
        return wave->sgpr[op->reg];
    case KILN_SIM_OP_CONST:
        return (uint32_t)op->value;
    case KILN_SIM_OP_SPECIAL:
        return op->reg == 251 ? wave->vcc == 0 : op->reg == 252 ? wave->exec == 0 : wave->scc;
    default:
        return 0;
    }
}

static inline uint64_t kiln_sim_scalar_u64(const kiln_sim_wave_t *wave,
                                           const kiln_sim_operand_t *op)
{
    if (op->kind == KILN_SIM_OP_SGPR) {
        uint64_t value;
        memcpy(&value, &wave->sgpr[op->reg], sizeof value);
        return value;
    }
    if (op->kind == KILN_SIM_OP_CONST)
        return op->value;
    return kiln_sim_scalar_u32(wave, op);
}

static inline void kiln_sim_sgpr_write_u64(kiln_sim_wave_t *wave, unsigned reg, uint64_t value)
{
    memcpy(&wave->sgpr[reg], &value, sizeof value);
}

// Returns a row of 64 dwords that holds a source for every lane: the register row itself, the
// constant's row, or `temp` filled with a scalar. `part` selects the dword of a wider operand (0
// low). Applies no modifiers.
static inline const uint32_t *kiln_sim_source_row(const kiln_sim_wave_t *wave,
                                                  const kiln_sim_operand_t *op, unsigned part,
                                                  uint32_t temp[KILN_GFX942_LANES])
{
    if (op->kind == KILN_SIM_OP_VGPR)
        return wave->vgpr[op->reg + part];
    if (op->kind == KILN_SIM_OP_CONST && part < 2)
        return op->row + part * KILN_GFX942_LANES;
    uint32_t value = 0;
    if (op->kind == KILN_SIM_OP_SGPR)
        value = wave->sgpr[op->reg + part];
    else if (op->kind == KILN_SIM_OP_SPECIAL && part == 0)
        value = kiln_sim_scalar_u32(wave, op);
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++)
        temp[lane] = value;
    return temp;
}

#endif
