// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoded instruction: everything that a handler needs, resolved once per code object.
//
// Decoding converts encoding fields to operands, each of which is a row of the vector register
// file, an index into the scalar registers, or a constant already converted to the operand's type
// and broadcast to a row of 64 lanes. Handlers never look at the encoding.
//
// An instruction has one row of isa/*.def, but may be encoded as e32, e64, SDWA or DPP. Decoding
// makes the implicit operands of the short forms explicit (VCC as carry or mask, the destination as
// third source), so that a handler sees the same operands for every encoding.
#ifndef KILN_SIM_INST_H
#define KILN_SIM_INST_H

#include "core/wave.h"
#include "decode/footprint.h"

typedef enum kiln_sim_format {
    KILN_SIM_SOP1,
    KILN_SIM_SOP2,
    KILN_SIM_SOPC,
    KILN_SIM_SOPK,
    KILN_SIM_SOPP,
    KILN_SIM_SMEM,
    KILN_SIM_VOP1,
    KILN_SIM_VOP2,
    KILN_SIM_VOPC,
    KILN_SIM_VOP3,
    KILN_SIM_VOP3P,
    KILN_SIM_MAI, // the MFMA half of VOP3P: cbsz, abid, blgp in place of op_sel and neg
    KILN_SIM_DS,
    KILN_SIM_FLAT, // flat, global and scratch
    KILN_SIM_MUBUF,
    KILN_SIM_MTBUF,
    KILN_SIM_FORMAT_COUNT
} kiln_sim_format_t;

// How the instruction was encoded, if the row allows several encodings.
typedef enum kiln_sim_encoding {
    KILN_SIM_E32,
    KILN_SIM_E64, // VOP3
    KILN_SIM_SDWA,
    KILN_SIM_DPP
} kiln_sim_encoding_t;

typedef enum kiln_sim_operand_kind {
    KILN_SIM_OP_NONE,
    KILN_SIM_OP_VGPR,   // reg = first row of vgpr[][] (0-255 v, 256-511 a); `dwords` rows
    KILN_SIM_OP_SGPR,   // reg = index into sgpr[]; `dwords` registers
    KILN_SIM_OP_CONST,  // value, and row: inline constant or literal
    KILN_SIM_OP_SPECIAL // reg = operand code 251 VCCZ, 252 EXECZ, 253 SCC: read with
                        // kiln_sim_scalar_u32
} kiln_sim_operand_kind_t;

enum { KILN_SIM_NEG = 1, KILN_SIM_ABS = 2, KILN_SIM_SEXT = 4 }; // SEXT: SDWA only

// SDWA's selection of a part of a source or destination.
enum {
    KILN_SIM_SEL_BYTE0,
    KILN_SIM_SEL_BYTE1,
    KILN_SIM_SEL_BYTE2,
    KILN_SIM_SEL_BYTE3,
    KILN_SIM_SEL_WORD0,
    KILN_SIM_SEL_WORD1,
    KILN_SIM_SEL_DWORD
};

typedef struct kiln_sim_operand {
    uint8_t kind;
    uint8_t type;   // kiln_sim_type_t of the row: how to interpret the bits
    uint8_t dwords; // registers it covers
    uint8_t mods;   // KILN_SIM_NEG | KILN_SIM_ABS | KILN_SIM_SEXT (abs first, then neg); for VOP3P
                    // bit 0 is neg_lo
    uint8_t sel;    // SDWA select; KILN_SIM_SEL_DWORD elsewhere
    uint8_t neg_hi; // VOP3P: negate the high half
    uint16_t reg;
    uint64_t value; // constants: the bits in the operand's type (32-bit types in the low half)
    const uint32_t
        *row; // constants: row[0..63] = low dword in every lane, row[64..127] = high dword
} kiln_sim_operand_t;

enum { KILN_SIM_CACHE_SC0 = 1, KILN_SIM_CACHE_NT = 2, KILN_SIM_CACHE_SC1 = 4 };

enum {
    KILN_SIM_INST_OFFEN = 1 << 0,   // MUBUF, MTBUF
    KILN_SIM_INST_IDXEN = 1 << 1,   // MUBUF, MTBUF
    KILN_SIM_INST_LDS = 1 << 2,     // MUBUF: the data goes to LDS
    KILN_SIM_INST_GDS = 1 << 3,     // DS
    KILN_SIM_INST_SCRATCH = 1 << 4, // FLAT: segment
    KILN_SIM_INST_GLOBAL = 1 << 5   // FLAT: segment
};

typedef void (*kiln_sim_handler_t)(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst);

struct kiln_sim_inst {
    kiln_sim_handler_t run;
    const kiln_sim_inst_t *next; // the following instruction
    uint32_t index;              // dense number in the code object, for counters
    uint32_t size;               // bytes
    uint64_t address; // offset in the code object's address space (as the disassembler shows it)
    const struct kiln_sim_row *row;

    uint8_t format;   // kiln_sim_format_t
    uint8_t encoding; // kiln_sim_encoding_t
    bool modified; // any of: neg/abs/sext/neg_hi on a source, clamp, omod, op_sel ≠ 0, SDWA, DPP.
                   // VOP3P: op_sel/op_sel_hi other than 0/7 also count
    uint8_t clamp;
    uint8_t omod;                // 0 none, 1 ×2, 2 ×4, 3 ÷2
    uint8_t op_sel;              // bits 0-2 sources, bit 3 destination (VOP3); VOP3P: bits 0-2
    uint8_t op_sel_hi;           // VOP3P: bits 0-2
    uint8_t dst_sel, dst_unused; // SDWA: dst_unused 0 pad with zero, 1 sign extend, 2 preserve
    uint8_t bank_mask, row_mask, bound_ctrl; // DPP
    uint16_t dpp_ctrl;
    uint8_t cbsz, abid, blgp; // MFMA

    // Memory and scalar formats; see exec/*.c of each.
    uint8_t cache; // KILN_SIM_CACHE_*
    uint8_t flags; // KILN_SIM_INST_*; SMEM: the field of sdata, which s_atc_probe reads as a number
    uint8_t data_format, num_format; // MTBUF
    uint8_t gpr_idx;                 // s_set_gpr_idx_on: bit 0 src0, 1 src1, 2 src2, 3 dst
    int32_t imm;                     // offset, SOPK/SOPP immediate, branch displacement in bytes

    kiln_sim_operand_t dst; // vdst or sdst
    kiln_sim_operand_t
        sdst; // second, scalar destination: carry out, v_div_scale's VCC, VOPC's mask is `dst`
    kiln_sim_operand_t
        src[3]; // in assembler order; DS: addr, data0, data1; FLAT: vaddr, data, saddr;
                // MUBUF: vaddr, data, and srsrc/soffset in mem[]; SMEM: sbase, sdata, soffset
    kiln_sim_operand_t mem[2];             // MUBUF: srsrc, soffset
    const kiln_sim_inst_t *target;         // direct branches
    const kiln_sim_footprint_t *footprint; // separate: executing does not need it in the cache
    uint32_t text;                         // place of its text in the program, plus one; 0: none
};

#endif
