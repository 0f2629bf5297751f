// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effects that MLIR's own passes (CSE, canonicalization, LICM) see, for comparison with
// effects.def.
#include "kiln/dialects.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

kiln_mlir_effects_t kiln_op_mlir_effects(MlirOperation op)
{
    Operation *operation = unwrap(op);
    kiln_mlir_effects_t out = {};
    out.may_be_dropped = wouldOpBeTriviallyDead(operation);
    out.may_be_hoisted = isMemoryEffectFree(operation) && isSpeculatable(operation);
    std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
        getEffectsRecursively(operation);
    out.is_known = effects.has_value();
    for (const MemoryEffects::EffectInstance &effect :
         out.is_known ? *effects : SmallVector<MemoryEffects::EffectInstance>()) {
        bool makes_result = isa<MemoryEffects::Allocate>(effect.getEffect());
        out.reads |= isa<MemoryEffects::Read>(effect.getEffect());
        out.writes |= !isa<MemoryEffects::Read>(effect.getEffect()) && !makes_result;
    }
    return out;
}
