// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the options in a loop's llvm.loop_annotation, and runs MLIR's hoisting on loops whose
// annotation does not disable it.
//
// Note that hoisting must go from the innermost loop outwards, else operations hoisted out of an
// inner loop stay in the outer one.
#include "kiln/dialects.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

static bool isSet(BoolAttr flag)
{
    return flag && flag.getValue();
}

kiln_loop_hints_t kiln_loop_hints(MlirOperation loop)
{
    auto annotation = unwrap(loop)->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
    LLVM::LoopLICMAttr licm = annotation ? annotation.getLicm() : nullptr;
    if (!licm)
        return {false, false};
    return {isSet(licm.getDisable()), isSet(licm.getVersioningDisable())};
}

void kiln_hoist_invariants(MlirOperation root)
{
    unwrap(root)->walk([](LoopLikeOpInterface loop) {
        if (!kiln_loop_hints(wrap(loop.getOperation())).disable_licm)
            moveLoopInvariantCode(loop);
    });
}
