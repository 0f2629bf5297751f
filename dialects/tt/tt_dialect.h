// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ classes of the tt dialect. Only dialects/ includes this; the compiler uses
// kiln/dialects.h.
#ifndef KILN_TT_DIALECT_H
#define KILN_TT_DIALECT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"

namespace kiln::tt
{

struct GlobalMemory : public mlir::SideEffects::Resource::Base<GlobalMemory> {
    llvm::StringRef getName() final { return "<GlobalMemory>"; }
};

// The pointee of a pointer or of each pointer of a tensor: f32 for !tt.ptr<f32>, tensor<8xf32, #l>
// for tensor<8x!tt.ptr<f32>, #l>, the block for a block pointer. A null type for other types.
mlir::Type pointeeOf(mlir::Type pointer);
// i1 with the shape and encoding of `like`.
mlir::Type boolsLike(mlir::Type like);
// !tt.ptr<f16> for !tt.ptr<tensor<128x64xf16>>.
mlir::Type elementPointerOf(mlir::Type blockPointer);

// A value's type if it is a tensor, else null.
inline mlir::RankedTensorType tensorOf(mlir::Value value)
{
    return mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
}

// After parsing, replaces newer forms that have an older equivalent, so that no pass needs to know
// them. Emits an error at the operation and fails if such a form is invalid.
mlir::LogicalResult normalizeForms(mlir::Operation *root);

mlir::LogicalResult verifyTensorShapes(mlir::Operation *op);

template <typename Concrete>
class TensorShapes : public mlir::OpTrait::TraitBase<Concrete, TensorShapes>
{
  public:
    static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyTensorShapes(op); }
};

} // namespace kiln::tt

#include "tt_dialect.h.inc"
#include "tt_enums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tt_types.h.inc"
#define GET_OP_CLASSES
#include "tt_ops.h.inc"

#endif
