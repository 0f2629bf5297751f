// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies instructions by their mnemonics.
#include "instructions.h"

#include <string.h>

#include "base/string.h"

// `begin` is a prefix of the name, `in` must be part of it; an instruction has the kinds of all
// rows that match.
static const struct {
    const char *begin, *in;
    unsigned kind;
} rows[] = {
    {"buffer_load_", "", KILN_INSTRUCTION_LOAD},
    {"global_load_", "", KILN_INSTRUCTION_LOAD},
    {"flat_load_", "", KILN_INSTRUCTION_LOAD},
    {"buffer_store_", "", KILN_INSTRUCTION_STORE},
    {"global_store_", "", KILN_INSTRUCTION_STORE},
    {"flat_store_", "", KILN_INSTRUCTION_STORE},
    {"buffer_atomic_", "", KILN_INSTRUCTION_ATOMIC},
    {"global_atomic_", "", KILN_INSTRUCTION_ATOMIC},
    {"flat_atomic_", "", KILN_INSTRUCTION_ATOMIC},
    {"s_branch", "", KILN_INSTRUCTION_BRANCH},
    {"s_cbranch_exec", "", KILN_INSTRUCTION_BRANCH},
    {"s_barrier", "", KILN_INSTRUCTION_ORDER},
    {"buffer_wbl2", "", KILN_INSTRUCTION_ORDER},
    {"buffer_inv", "", KILN_INSTRUCTION_ORDER},
    {"s_add_", "", KILN_INSTRUCTION_COUNTING},
    {"s_addk_", "", KILN_INSTRUCTION_COUNTING},
    {"s_cmp_", "", KILN_INSTRUCTION_COUNTING},
    {"s_cbranch_scc", "", KILN_INSTRUCTION_COUNTING},
    {"ds_", "", KILN_INSTRUCTION_LDS},
    {"s_load_", "", KILN_INSTRUCTION_SCALAR},
    {"s_buffer_load_", "", KILN_INSTRUCTION_SCALAR},
    {"scratch_", "", KILN_INSTRUCTION_SPILL},
    {"v_mfma_", "", KILN_INSTRUCTION_MATRIX},
    {"v_smfmac_", "", KILN_INSTRUCTION_MATRIX},
    {"v_mfma_f32_", "x2_f32", KILN_INSTRUCTION_F32_MATRIX},
    {"v_mfma_f32_", "x4_f32", KILN_INSTRUCTION_F32_MATRIX},
    {"v_mfma_f32_", "b_f32", KILN_INSTRUCTION_F32_MATRIX}, // several blocks
    {"v_", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_add", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_sub", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_mul", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_and", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_or", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_xor", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_abs", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_ash", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_lsh", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_cselect", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_mov", "", KILN_INSTRUCTION_ARITHMETIC},
    {"s_nop", "", KILN_INSTRUCTION_ARITHMETIC},
    {"v_div_", "", KILN_INSTRUCTION_DIVISION},
    {"v_rcp_iflag_", "", KILN_INSTRUCTION_DIVISION},
    {"v_mul_hi_", "", KILN_INSTRUCTION_HIGH_PRODUCT},
    {"s_mul_hi_", "", KILN_INSTRUCTION_HIGH_PRODUCT},
    {"v_lshrrev_", "", KILN_INSTRUCTION_RIGHT_SHIFT},
    {"v_ashrrev_", "", KILN_INSTRUCTION_RIGHT_SHIFT},
    {"s_lshr_", "", KILN_INSTRUCTION_RIGHT_SHIFT},
    {"s_ashr_", "", KILN_INSTRUCTION_RIGHT_SHIFT},
    {"v_xor_", "", KILN_INSTRUCTION_EXCLUSIVE_OR},
    {"s_xor_", "", KILN_INSTRUCTION_EXCLUSIVE_OR},
    {"v_cmp_", "_u32", KILN_INSTRUCTION_COMPARISON},
    {"s_cmp_", "_u32", KILN_INSTRUCTION_COMPARISON},
    {"v_min_u32", "", KILN_INSTRUCTION_COMPARISON},
    {"s_min_u32", "", KILN_INSTRUCTION_COMPARISON},
    {"v_cvt_f32_u32", "", KILN_INSTRUCTION_FLOATED},
    {"v_cvt_f32_i32", "", KILN_INSTRUCTION_FLOATED},
    {"v_cvt_f32_ubyte", "", KILN_INSTRUCTION_FLOATED},
    {"v_trunc_f32", "", KILN_INSTRUCTION_TRUNCATED},
    {"v_cmp_ge_f32", "", KILN_INSTRUCTION_ERROR},
    {"v_cvt_f32_f64", "", KILN_INSTRUCTION_F64_CONVERSION},
    {"v_cvt_f64_", "", KILN_INSTRUCTION_F64_CONVERSION},
    {"v_cvt_i32_f64", "", KILN_INSTRUCTION_F64}, // a part of functions
    {"v_add_f64", "", KILN_INSTRUCTION_F64},
    {"v_mul_f64", "", KILN_INSTRUCTION_F64},
    {"v_fma_f64", "", KILN_INSTRUCTION_F64},
    {"v_fmac_f64", "", KILN_INSTRUCTION_F64},
    {"v_div_", "_f64", KILN_INSTRUCTION_F64},
    {"v_rcp_f64", "", KILN_INSTRUCTION_F64},
    {"v_rsq_f64", "", KILN_INSTRUCTION_F64},
    {"v_ldexp_f64", "", KILN_INSTRUCTION_F64},
    {"v_rndne_f64", "", KILN_INSTRUCTION_F64},
    {"v_cmp_", "_f64", KILN_INSTRUCTION_F64},
    {"v_perm_b32", "", KILN_INSTRUCTION_PACK},
    {"v_lshl_or_b32", "", KILN_INSTRUCTION_PACK},
    {"v_and_or_b32", "", KILN_INSTRUCTION_PACK},
    {"v_pack_b32_", "", KILN_INSTRUCTION_PACK},
    {"v_accvgpr_", "", KILN_INSTRUCTION_ACCUMULATOR_MOVE},
};

// An access of two places ("ds_read2_") moves twice as many bytes.
static const struct {
    const char *part;
    unsigned bytes;
} widths[] = {{"_dwordx4", 16}, {"_dwordx3", 12}, {"_dwordx2", 8}, {"_dword", 4},
              {"short", 2},     {"byte", 1},      {"_b128", 16},   {"_b96", 12},
              {"_b64", 8},      {"_b32", 4},      {"_b16", 2},     {"_u16", 2},
              {"_i16", 2},      {"_b8", 1},       {"_u8", 1},      {"_i8", 1}};

unsigned kiln_instruction_lane_bytes(const char *text)
{
    const size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (memmem(text, length, widths[i].part, strlen(widths[i].part)))
            return widths[i].bytes * (kiln_string_starts_with(text, "ds_read2") ||
                                              kiln_string_starts_with(text, "ds_write2")
                                          ? 2
                                          : 1);
    return 0;
}

// Floating-point arithmetic has its type in its name.
static bool is_of_floats(const char *text, size_t length)
{
    static const char *const types[] = {"_f16", "_f32", "_f64", "_bf16"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (memmem(text, length, types[i], strlen(types[i])))
            return true;
    return false;
}

unsigned kiln_instruction_kinds(const char *text)
{
    const size_t length = strcspn(text, " ");
    unsigned kinds = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *begin = rows[i].begin;
        size_t same = 0;
        while (begin[same] && begin[same] == text[same])
            same++;
        if (!begin[same] && (!*rows[i].in || memmem(text, length, rows[i].in, strlen(rows[i].in))))
            kinds |= rows[i].kind;
    }
    if (kinds & KILN_INSTRUCTION_ARITHMETIC && !is_of_floats(text, length))
        kinds |= KILN_INSTRUCTION_INTEGER;
    return kinds;
}
