// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's own passes, as rows of our list.
//
// Where a program converts an integer to f64 and that to a smaller float, MLIR's canonicalizer
// converts at once, although the number is then rounded once instead of twice
// (codegen/workarounds.def: double_rounding). It leaves truncations with a rounding mode alone, so
// those of f64 have one while it runs.
#include <mlir-c/Transforms.h>

#include "builder/ir.h"
#include "passes/loops/for_loop.h"
#include "passes/pass.h"

static const char ROUNDING_MODE[] = "roundingmode";

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

static bool truncates_f64(MlirOperation op)
{
    return kiln_op_kind(op) == KILN_OP_ARITH_TRUNCF &&
           mlirTypeIsAF64(kiln_type_element(mlirValueGetType(kiln_op_operand(op, 0))));
}

static MlirWalkResult give_rounding_mode(MlirOperation op, void *user)
{
    if (truncates_f64(op) && mlirAttributeIsNull(kiln_ir_attr(op, ROUNDING_MODE)))
        mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString(ROUNDING_MODE),
                                        *(MlirAttribute *)user);
    return MlirWalkResultAdvance;
}

// Also a mode that the program gave, as it is the default one.
static MlirWalkResult take_rounding_mode(MlirOperation op, void *user)
{
    if (truncates_f64(op) &&
        mlirAttributeEqual(kiln_ir_attr(op, ROUNDING_MODE), *(MlirAttribute *)user))
        mlirOperationRemoveAttributeByName(op, mlirStringRefCreateFromCString(ROUNDING_MODE));
    return MlirWalkResultAdvance;
}

kiln_status_t kiln_canonicalize(const kiln_pass_context_t *context, MlirModule module)
{
    enum { TO_NEAREST_EVEN = 0 };
    MlirAttribute nearest = kiln_ir_i32_attr(context->mlir, TO_NEAREST_EVEN);
    const MlirOperation root = mlirModuleGetOperation(module);
    KILN_TRY(kiln_count_loops(module));
    kiln_walk(root, MlirWalkPreOrder, give_rounding_mode, &nearest);
    KILN_TRY(
        kiln_run_upstream(context, module, mlirCreateTransformsCanonicalizer(), "canonicalizer"));
    kiln_walk(root, MlirWalkPreOrder, take_rounding_mode, &nearest);
    return KILN_OK;
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
