// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lookup in mfma.def.
#include "analysis/mfma.h"

#include <stddef.h>

#include <mlir-c/BuiltinTypes.h>

#include "builder/ir.h"

static const kiln_mfma_instruction_t INSTRUCTIONS[] = {
#define KILN_MFMA(a, b, accumulator, precision, m, n, k, k_base, intrinsic)                                            \
    {KILN_MFMA_##a, KILN_MFMA_##b, KILN_MFMA_##accumulator, KILN_MFMA_##precision, m, n, k, k_base, intrinsic},
#include "mfma.def"
#undef KILN_MFMA
};

kiln_mfma_element_t kiln_mfma_element(MlirType type)
{
    if (mlirTypeIsAF16(type))
        return KILN_MFMA_F16;
    if (mlirTypeIsABF16(type))
        return KILN_MFMA_BF16;
    if (mlirTypeIsAF32(type))
        return KILN_MFMA_F32;
    if (mlirTypeIsAF64(type))
        return KILN_MFMA_F64;
    if (mlirTypeIsAFloat8E4M3FNUZ(type))
        return KILN_MFMA_FP8;
    if (mlirTypeIsAFloat8E5M2FNUZ(type))
        return KILN_MFMA_BF8;
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 8)
        return KILN_MFMA_I8;
    if (mlirTypeIsAInteger(type) && mlirIntegerTypeGetWidth(type) == 32)
        return KILN_MFMA_I32;
    return KILN_MFMA_NONE;
}

kiln_mfma_precision_t kiln_mfma_precision(MlirOperation dot)
{
    enum { TF32 = 0, IEEE = 2 }; // values of tt's input precision enum
    MlirType a = kiln_type_element(mlirValueGetType(kiln_op_operand(dot, 0)));
    int64_t precision = kiln_ir_int_attr(dot, "inputPrecision", IEEE);
    return mlirTypeIsAF32(a) && precision == TF32 ? KILN_MFMA_XF32 : KILN_MFMA_ANY;
}

const kiln_mfma_instruction_t *kiln_mfma_find(kiln_mfma_element_t a, kiln_mfma_element_t b,
                                              kiln_mfma_precision_t precision, int side)
{
    for (size_t i = 0; i < sizeof INSTRUCTIONS / sizeof INSTRUCTIONS[0]; ++i) {
        const kiln_mfma_instruction_t *row = &INSTRUCTIONS[i];
        if (row->a == a && row->b == b && row->precision == precision && row->m == side)
            return row;
    }
    return NULL;
}
