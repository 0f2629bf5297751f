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
    (void)context;
    kiln_hoist_invariants(mlirModuleGetOperation(module));
    return KILN_OK;
}

// In the region of a reduction, a scan or tt.map_elementwise, whose values are elements?
static bool is_for_each_element(MlirOperation op)
{
    for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op); op = mlirOperationGetParentOperation(op)) {
        kiln_op_t kind = kiln_op_kind(op);
        if (kind == KILN_OP_TT_REDUCE || kind == KILN_OP_TT_SCAN || kind == KILN_OP_TT_MAP_ELEMENTWISE)
            return true;
    }
    return false;
}

typedef struct structuring {
    MlirSymbolTable table;
    bool in_callee; // walking a function that is called for each element: all of its calls are such, too
} structuring_t;

// MLIR's inliner leaves a function of several blocks alone where the call isn't in a function's own body; but what is
// called for each element has to be inlined. Structured, it has one block.
static MlirWalkResult structure_callee(MlirOperation op, void *user)
{
    structuring_t *s = user;
    if (kiln_op_kind(op) != KILN_OP_TT_CALL || !(s->in_callee || is_for_each_element(op)))
        return MlirWalkResultAdvance;
    MlirStringRef name = mlirFlatSymbolRefAttrGetValue(kiln_ir_attr(op, "callee"));
    MlirOperation callee = mlirSymbolTableLookup(s->table, name);
    if (mlirOperationIsNull(callee) || mlirRegionIsNull(mlirOperationGetRegion(callee, 0)))
        return MlirWalkResultAdvance;
    MlirBlock first = mlirRegionGetFirstBlock(mlirOperationGetRegion(callee, 0));
    if (mlirBlockIsNull(first) || mlirBlockIsNull(mlirBlockGetNextInRegion(first)))
        return MlirWalkResultAdvance; // also where it calls itself: it has been structured by now
    if (!kiln_function_structure(callee))
        return MlirWalkResultInterrupt;
    structuring_t inner = {s->table, true};
    kiln_walk(callee, MlirWalkPreOrder, structure_callee, &inner);
    return MlirWalkResultAdvance;
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
    structuring_t structuring = {mlirSymbolTableCreate(mlirModuleGetOperation(module)), false};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, structure_callee, &structuring);
    mlirSymbolTableDestroy(structuring.table);
    KILN_TRY(run_upstream(context, module, mlirCreateTransformsInliner(), "inliner"));
    return run_upstream(context, module, mlirCreateTransformsSymbolDCE(), "removal of unused functions");
}
