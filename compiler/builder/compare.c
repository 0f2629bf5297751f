// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates and reads arith.cmpi. The predicates have MLIR's order and need no translation.
#include "builder/compare.h"

static const struct {
    int8_t opposite, mirrored;
} relatives[] = {
    [KILN_CMPI_EQ] = {KILN_CMPI_NE, KILN_CMPI_EQ},
    [KILN_CMPI_NE] = {KILN_CMPI_EQ, KILN_CMPI_NE},
    [KILN_CMPI_SLT] = {KILN_CMPI_SGE, KILN_CMPI_SGT},
    [KILN_CMPI_SLE] = {KILN_CMPI_SGT, KILN_CMPI_SGE},
    [KILN_CMPI_SGT] = {KILN_CMPI_SLE, KILN_CMPI_SLT},
    [KILN_CMPI_SGE] = {KILN_CMPI_SLT, KILN_CMPI_SLE},
    [KILN_CMPI_ULT] = {KILN_CMPI_UGE, KILN_CMPI_UGT},
    [KILN_CMPI_ULE] = {KILN_CMPI_UGT, KILN_CMPI_UGE},
    [KILN_CMPI_UGT] = {KILN_CMPI_ULE, KILN_CMPI_ULT},
    [KILN_CMPI_UGE] = {KILN_CMPI_ULT, KILN_CMPI_ULE},
};
_Static_assert(sizeof relatives / sizeof *relatives == KILN_CMPI_COUNT, "a predicate has no row");

kiln_cmpi_t kiln_cmpi_of(MlirOperation op)
{
    if (mlirOperationIsNull(op) || kiln_op_kind(op) != KILN_OP_ARITH_CMPI)
        return KILN_CMPI_NONE;
    const int64_t predicate = kiln_ir_int_attr(op, "predicate", KILN_CMPI_NONE);
    return predicate >= 0 && predicate < KILN_CMPI_COUNT ? (kiln_cmpi_t)predicate : KILN_CMPI_NONE;
}

kiln_cmpi_t kiln_cmpi_opposite(kiln_cmpi_t predicate)
{
    return predicate == KILN_CMPI_NONE ? KILN_CMPI_NONE
                                       : (kiln_cmpi_t)relatives[predicate].opposite;
}

kiln_cmpi_t kiln_cmpi_mirrored(kiln_cmpi_t predicate)
{
    return predicate == KILN_CMPI_NONE ? KILN_CMPI_NONE
                                       : (kiln_cmpi_t)relatives[predicate].mirrored;
}

MlirValue kiln_ir_compare(const kiln_ir_t *ir, kiln_cmpi_t predicate, MlirValue a, MlirValue b)
{
    const MlirType type =
        kiln_type_with_element(mlirValueGetType(a), mlirIntegerTypeGet(ir->context, 1));
    const MlirAttribute number = mlirIntegerAttrGet(mlirIntegerTypeGet(ir->context, 64), predicate);
    const MlirValue operands[] = {a, b};
    return mlirOperationGetResult(
        kiln_ir_with_attr(ir, KILN_OP_ARITH_CMPI, type, 2, operands, "predicate", number), 0);
}
