// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ classes of the ttg dialect. Only dialects/ includes this; the compiler uses
// kiln/dialects.h.
#ifndef KILN_TTG_DIALECT_H
#define KILN_TTG_DIALECT_H

#include "mlir/IR/TensorEncoding.h"
#include "tt/tt_dialect.h"

namespace kiln::ttg
{

struct LocalMemory : public mlir::SideEffects::Resource::Base<LocalMemory> {
    llvm::StringRef getName() final { return "<LocalMemory>"; }
};

// The rank of the tensors that the encoding fits; 0 if the attribute is not an encoding of ttg.
unsigned rankOf(mlir::Attribute encoding);
// Whether an encoding places elements in LDS instead of registers.
bool isSharedEncoding(mlir::Attribute encoding);

} // namespace kiln::ttg

#include "ttg_dialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ttg_attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "ttg_types.h.inc"
#define GET_OP_CLASSES
#include "ttg_ops.h.inc"

#endif
