// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that MLIR already has, as rows of our list.
#include <mlir-c/Pass.h>
#include <mlir-c/Transforms.h>

#include "builder/ir.h"
#include "passes/pass.h"

static kiln_status_t run_upstream(const kiln_pass_context_t *context, MlirModule module, MlirPass pass,
                                  const char *name)
{
    MlirPassManager manager = mlirPassManagerCreate(context->mlir);
    mlirPassManagerEnableVerifier(manager, false); // the pipeline verifies once a stage
    mlirPassManagerAddOwnedPass(manager, pass);
    MlirLogicalResult result = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
    mlirPassManagerDestroy(manager);
    if (mlirLogicalResultIsSuccess(result))
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_INTERNAL, "MLIR's %s failed", name);
}

kiln_status_t kiln_canonicalize(const kiln_pass_context_t *context, MlirModule module)
{
    return run_upstream(context, module, mlirCreateTransformsCanonicalizer(), "canonicalizer");
}

kiln_status_t kiln_cse(const kiln_pass_context_t *context, MlirModule module)
{
    return run_upstream(context, module, mlirCreateTransformsCSE(), "CSE");
}

kiln_status_t kiln_licm(const kiln_pass_context_t *context, MlirModule module)
{
    return run_upstream(context, module, mlirCreateTransformsLoopInvariantCodeMotion(), "loop-invariant code motion");
}

static MlirWalkResult find_call(MlirOperation op, void *user)
{
    bool *found = user;
    *found = *found || kiln_op_kind(op) == KILN_OP_TT_CALL;
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// What a function marked noinline calls stays a function; a private function that nobody calls any more is dropped.
// Most modules have no calls, and then making a call graph would be for nothing.
kiln_status_t kiln_inline(const kiln_pass_context_t *context, MlirModule module)
{
    bool has_calls = false;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_call, &has_calls);
    if (!has_calls)
        return KILN_OK;
    KILN_TRY(run_upstream(context, module, mlirCreateTransformsInliner(), "inliner"));
    return run_upstream(context, module, mlirCreateTransformsSymbolDCE(), "removal of unused functions");
}
