// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates tt's shape operations and other operations needed to rewrite tile programs, before
// layouts are assigned. Shapes follow from the operand; nothing is created if the operand already
// has the wanted type.
#ifndef KILN_TILE_OPS_H
#define KILN_TILE_OPS_H

#include "builder/compare.h"
#include "builder/ir.h"

MlirValue kiln_tile_select(const kiln_ir_t *ir, MlirValue condition, MlirValue yes, MlirValue no);
// shape: a tensor type with any element type.
MlirValue kiln_tile_splat(const kiln_ir_t *ir, MlirType shape, MlirValue scalar);
MlirValue kiln_tile_broadcast(const kiln_ir_t *ir, MlirType shape, MlirValue value);
MlirValue kiln_tile_expand_dims(const kiln_ir_t *ir, MlirValue value, int axis);
MlirValue kiln_tile_trans(const kiln_ir_t *ir, MlirValue value, const int32_t *order);
MlirValue kiln_tile_reshape(const kiln_ir_t *ir, MlirValue value, int rank, const int64_t *shape);
MlirValue kiln_tile_join(const kiln_ir_t *ir, MlirValue a, MlirValue b);
// kind: arith.extsi, …
MlirValue kiln_tile_cast(const kiln_ir_t *ir, kiln_op_t kind, MlirValue value, MlirType element);
// Returns a placeholder of the type. Numbers are not poison, because masks are computed from them.
MlirValue kiln_tile_nothing(const kiln_ir_t *ir, MlirType type);
// Widens e2m1 (a sign, two exponent bits of bias 1, a mantissa bit) in the low four bits of an i16
// to f16 or bf16.
MlirValue kiln_tile_widen_e2m1(const kiln_ir_t *ir, MlirValue code, MlirType element);
// Returns 2^(code − 127) for e8m0 codes in i8, which are the exponents of an f32; 255 is NaN, and 0
// is subnormal.
MlirValue kiln_tile_widen_e8m0(const kiln_ir_t *ir, MlirValue code, MlirType element);

#endif
