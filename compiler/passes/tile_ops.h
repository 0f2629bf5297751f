// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making tt's shape operations and what else a rewriting of tile programs needs, before there are layouts. Shapes
// follow from the operand; nothing is made where the operand has the wanted type already.
#ifndef KILN_TILE_OPS_H
#define KILN_TILE_OPS_H

#include "builder/ir.h"

typedef enum kiln_compare {
    KILN_COMPARE_EQ = 0,
    KILN_COMPARE_NE = 1,
    KILN_COMPARE_SLT = 2,
    KILN_COMPARE_SGE = 5
} kiln_compare_t;

MlirValue kiln_tile_compare(const kiln_ir_t *ir, kiln_compare_t predicate, MlirValue a, MlirValue b); // arith.cmpi
MlirValue kiln_tile_select(const kiln_ir_t *ir, MlirValue condition, MlirValue yes, MlirValue no);
MlirValue kiln_tile_splat(const kiln_ir_t *ir, MlirType shape, MlirValue scalar); // shape: a tensor of any element
MlirValue kiln_tile_broadcast(const kiln_ir_t *ir, MlirType shape, MlirValue value);
MlirValue kiln_tile_expand_dims(const kiln_ir_t *ir, MlirValue value, int axis);
MlirValue kiln_tile_trans(const kiln_ir_t *ir, MlirValue value, const int32_t *order);
MlirValue kiln_tile_reshape(const kiln_ir_t *ir, MlirValue value, int rank, const int64_t *shape);
MlirValue kiln_tile_join(const kiln_ir_t *ir, MlirValue a, MlirValue b);
MlirValue kiln_tile_cast(const kiln_ir_t *ir, kiln_op_t kind, MlirValue value, MlirType element); // arith.extsi, …
// Something of the type where nothing is there yet. Numbers are no poison: masks are made of them.
MlirValue kiln_tile_nothing(const kiln_ir_t *ir, MlirType type);
// e2m1 (a sign, two exponent bits of bias 1, a mantissa bit) in the low four bits of an i16, as f16 or bf16.
MlirValue kiln_tile_widen_e2m1(const kiln_ir_t *ir, MlirValue code, MlirType element);

#endif
