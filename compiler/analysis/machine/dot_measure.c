// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measures dots; see dot_measure.h.
#include "analysis/machine/dot_measure.h"

#include "analysis/machine/loop_registers.h"
#include "analysis/machine/mfma.h"
#include "base/gfx942.h"

static int64_t at_least_one(int64_t count)
{
    return count < 1 ? 1 : count;
}

bool kiln_dot_measure(MlirOperation dot, int waves, kiln_dot_measure_t *out)
{
    MlirType a = mlirValueGetType(kiln_op_operand(dot, 0)),
             b = mlirValueGetType(kiln_op_operand(dot, 1)),
             result = mlirValueGetType(kiln_op_result(dot, 0));
    MlirAttribute encoding = kiln_type_encoding(result);
    if (kiln_encoding_kind(encoding) != KILN_ENCODING_MFMA || kiln_type_rank(result) != 2)
        return false;
    kiln_mfma_t mfma = kiln_mfma_get(encoding);
    const kiln_mfma_instruction_t *instruction = kiln_mfma_find(
        kiln_mfma_element(kiln_type_element(a)), kiln_mfma_element(kiln_type_element(b)),
        kiln_mfma_precision(dot), mfma.instr_shape[0], mfma.instr_shape[1]);
    if (!instruction)
        return false;
    int64_t tiles = 1;
    for (int d = 0; d < 2; d++)
        tiles *=
            at_least_one(kiln_type_dim(result, d) / (mfma.instr_shape[d] * mfma.warps_per_cta[d]));
    out->k = kiln_type_dim(a, 1);
    out->instructions = tiles * (out->k / instruction->k);
    out->cycles = out->instructions * instruction->cycles;
    out->min_k =
        at_least_one(kiln_dot_operand_k_width(kiln_type_encoding(a)) / instruction->k_base) *
        instruction->k;
    out->operand_registers = kiln_value_registers(kiln_op_operand(dot, 0), waves) +
                             kiln_value_registers(kiln_op_operand(dot, 1), waves);
    const int64_t register_bytes = KILN_GFX942_LANES * 4,
                  lds_cycle_bytes = KILN_GFX942_LDS_BANKS * KILN_GFX942_LDS_BANK_BYTES;
    out->read_cycles =
        out->operand_registers * register_bytes * KILN_GFX942_SIMDS / lds_cycle_bytes;
    return true;
}
