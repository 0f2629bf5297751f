// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's own passes, as rows of our list.
#include <mlir-c/Transforms.h>

#include "builder/ir.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"

kiln_status_t kiln_run_upstream(const kiln_pass_context_t *context, MlirModule module,
                                MlirPass pass, const char *name)
{
    MlirPassManager manager = mlirPassManagerCreate(context->mlir);
    mlirPassManagerEnableVerifier(manager, false); // the pipeline verifies once per stage
    mlirPassManagerAddOwnedPass(manager, pass);
    MlirLogicalResult result = mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module));
    mlirPassManagerDestroy(manager);
    if (mlirLogicalResultIsSuccess(result))
        return KILN_OK;
    return kiln_status_make(KILN_STATUS_INTERNAL, "MLIR's %s failed", name);
}

kiln_status_t kiln_canonicalize(const kiln_pass_context_t *context, MlirModule module)
{
    KILN_TRY(kiln_count_loops(module));
    return kiln_run_upstream(context, module, mlirCreateTransformsCanonicalizer(), "canonicalizer");
}

kiln_status_t kiln_cse(const kiln_pass_context_t *context, MlirModule module)
{
    return kiln_run_upstream(context, module, mlirCreateTransformsCSE(), "CSE");
}

kiln_status_t kiln_licm(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    kiln_hoist_invariants(mlirModuleGetOperation(module));
    return KILN_OK;
}
