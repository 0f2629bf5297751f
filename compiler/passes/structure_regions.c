// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts switches and multi-block regions to scf.if and scf.while, which later passes support.
// Triton prints none of these; other front ends do.
//
//   %r = scf.index_switch %i -> T                    %c = arith.cmpi eq, %i, %c3
//   case 3 { … scf.yield %a : T }                    %r = scf.if %c -> T { … scf.yield %a : T }
//   default { … scf.yield %b : T }            →      else { … scf.yield %b : T }
//
//   scf.execute_region { … cf.cond_br … }     →      … scf.if …
//   cf.switch %i, [default: ^bb1, 3: ^bb2]    →      cf.cond_br %c, ^bb2, ^bb1
#include "base/limits.h"
#include "builder/ir.h"
#include "passes/pass.h"

// A switch becomes as many nested scf.if as it has cases, and each case may contain another switch.
// Finds a switch that would nest too deeply for recursive walks over regions.
static MlirWalkResult find_deep(MlirOperation op, void *user)
{
    MlirOperation *found = user;
    intptr_t cases = 0;
    if (kiln_op_kind(op) != KILN_OP_SCF_INDEX_SWITCH)
        return MlirWalkResultAdvance;
    for (MlirOperation at = op; !mlirOperationIsNull(at); at = mlirOperationGetParentOperation(at))
        if (kiln_op_kind(at) == KILN_OP_SCF_INDEX_SWITCH)
            cases += mlirOperationGetNumRegions(at) - 1;
    if (cases <= KILN_DEPTH_LIMIT)
        return MlirWalkResultAdvance;
    *found = op;
    return MlirWalkResultInterrupt;
}

static MlirWalkResult find_any(MlirOperation op, void *user)
{
    bool *found = user;
    kiln_op_t kind = kiln_op_kind(op);
    *found = kind == KILN_OP_CF_SWITCH || kind == KILN_OP_SCF_INDEX_SWITCH ||
             kind == KILN_OP_SCF_EXECUTE_REGION;
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

kiln_status_t kiln_structure_regions_pass(const kiln_pass_context_t *context, MlirModule module)
{
    (void)context;
    bool found = false;
    MlirOperation root = mlirModuleGetOperation(module), unsupported = {NULL};
    kiln_walk(root, MlirWalkPreOrder, find_any, &found);
    if (found)
        kiln_walk(root, MlirWalkPreOrder, find_deep, &unsupported);
    if (!mlirOperationIsNull(unsupported))
        return kiln_status_at_op(
            kiln_status_make(KILN_STATUS_UNSUPPORTED,
                             "this switch and those around it have more than %d cases; use "
                             "cf.switch, or a table in memory",
                             KILN_DEPTH_LIMIT),
            unsupported);
    if (!found || kiln_structure_regions(root, &unsupported))
        return KILN_OK;
    return kiln_status_at_op(kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                              "cannot structure the control flow of this region"),
                             unsupported);
}
