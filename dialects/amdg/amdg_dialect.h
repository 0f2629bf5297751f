// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ classes of the amdg dialect. Only dialects/ includes this; the compiler uses
// kiln/dialects.h.
#ifndef KILN_AMDG_DIALECT_H
#define KILN_AMDG_DIALECT_H

#include "ttg/ttg_dialect.h"

namespace kiln::tt
{
// Checks the element type of a read-modify-write; buffer atomics have tt.atomic_rmw's rule.
mlir::LogicalResult verifyAtomic(mlir::Operation *op, RMWOp kind, mlir::Type element);
} // namespace kiln::tt

namespace kiln::amdg
{

// A pointer to a tensor's elements.
mlir::Type pointerTo(mlir::Type tensor);
// i32 with the shape and encoding of a tensor.
mlir::Type offsetsLike(mlir::Type tensor);

} // namespace kiln::amdg

#include "amdg_dialect.h.inc"
#include "amdg_enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "amdg_attrs.h.inc"
#define GET_OP_CLASSES
#include "amdg_ops.h.inc"

#endif
