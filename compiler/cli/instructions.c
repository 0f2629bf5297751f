// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instructions.h"

#include <string.h>

// `begin` is a prefix of the name, `in` must be part of it; an instruction has the kinds of all
// rows that fit.
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
    {"ds_", "", KILN_INSTRUCTION_LDS},
    {"s_load_", "", KILN_INSTRUCTION_SCALAR},
    {"s_buffer_load_", "", KILN_INSTRUCTION_SCALAR},
    {"scratch_", "", KILN_INSTRUCTION_SPILL},
    {"v_mfma_", "", KILN_INSTRUCTION_MATRIX},
    {"v_smfmac_", "", KILN_INSTRUCTION_MATRIX},
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
    {"v_accvgpr_", "", KILN_INSTRUCTION_ACCUMULATOR_MOVE},
};

bool kiln_instruction_is(const char *text, unsigned kinds)
{
    const size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind & kinds && strncmp(text, rows[i].begin, strlen(rows[i].begin)) == 0 &&
            memmem(text, length, rows[i].in, strlen(rows[i].in)))
            return true;
    return false;
}
