// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines calls by MLIR's inliner, which skips a callee of several blocks unless the call is
// directly in a function's body: Triton's functions with early returns that are called in a loop
// would stay calls. So callees reached from a call in a region get one block first:
//
//   cf.cond_br %c, ^bb1, ^bb2                    %r = scf.if %c -> f32 { scf.yield %a }
//   ^bb1: tt.return %a                  →             else { scf.yield %b }
//   ^bb2: tt.return %b                           tt.return %r
//
// A callee that cannot have one block stays a call. Functions called for each element, in the
// region of a reduction, a scan or tt.map_elementwise, have to be inlined; for those it is an error
// later on.
#include <stdlib.h>

#include <mlir-c/Transforms.h>

#include "analysis/pointer_map.h"
#include "base/array.h"
#include "builder/ir.h"
#include "passes/pass.h"

typedef struct callee {
    MlirOperation function;
    bool for_elements; // inlined even if it is marked noinline
} callee_t;

// Functions called from regions, and all that they call.
typedef struct callees {
    MlirSymbolTable table;
    callee_t *all;
    kiln_pointer_map_t index_of;
    size_t count, capacity;
    const callee_t *caller; // the function that is being walked; NULL: all of the module
    bool is_out_of_memory;
} callees_t;

static bool is_inlined(MlirOperation function)
{
    MlirAttribute attribute = kiln_ir_attr(function, "noinline");
    return mlirAttributeIsNull(attribute) || !mlirAttributeIsABool(attribute) ||
           !mlirBoolAttrGetValue(attribute);
}

// Whether the operation is in the region of a reduction, a scan or tt.map_elementwise, where values
// are elements.
static bool is_for_each_element(MlirOperation op)
{
    for (op = mlirOperationGetParentOperation(op); !mlirOperationIsNull(op);
         op = mlirOperationGetParentOperation(op)) {
        kiln_op_t kind = kiln_op_kind(op);
        if (kind == KILN_OP_TT_REDUCE || kind == KILN_OP_TT_SCAN ||
            kind == KILN_OP_TT_MAP_ELEMENTWISE)
            return true;
    }
    return false;
}

static bool append(callees_t *callees, callee_t callee)
{
    if (!KILN_ARRAY_RESERVE(&callees->all, &callees->capacity, callees->count + 1))
        return false;
    callees->all[callees->count] = callee;
    return kiln_pointer_map_put(&callees->index_of, callee.function.ptr, (int)callees->count++);
}

static MlirWalkResult note_callee(MlirOperation op, void *user)
{
    callees_t *callees = user;
    if (kiln_op_kind(op) != KILN_OP_TT_CALL ||
        (!callees->caller && kiln_op_kind(mlirOperationGetParentOperation(op)) == KILN_OP_TT_FUNC))
        return MlirWalkResultAdvance;
    callee_t callee = {
        mlirSymbolTableLookup(callees->table,
                              mlirFlatSymbolRefAttrGetValue(kiln_ir_attr(op, "callee"))),
        (callees->caller && callees->caller->for_elements) || is_for_each_element(op)};
    if (mlirOperationIsNull(callee.function))
        return MlirWalkResultAdvance;
    int known = kiln_pointer_map_get(&callees->index_of, callee.function.ptr);
    if (known >= 0 && (callees->all[known].for_elements || !callee.for_elements))
        return MlirWalkResultAdvance;
    callees->is_out_of_memory = !append(callees, callee);
    return callees->is_out_of_memory ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// Structures a copy, because a failure leaves it half done.
static void make_one_block(MlirOperation function)
{
    MlirRegion body = mlirOperationGetRegion(function, 0);
    MlirBlock first = mlirRegionGetFirstBlock(body);
    if (mlirBlockIsNull(first) || mlirBlockIsNull(mlirBlockGetNextInRegion(first)))
        return;
    MlirOperation copy = mlirOperationClone(function);
    if (kiln_function_structure(copy))
        mlirRegionTakeBody(body, mlirOperationGetRegion(copy, 0));
    mlirOperationDestroy(copy);
}

static kiln_status_t structure_callees(MlirModule module)
{
    callees_t callees = {.table = mlirSymbolTableCreate(mlirModuleGetOperation(module))};
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, note_callee, &callees);
    for (size_t i = 0; i < callees.count && !callees.is_out_of_memory; i++) {
        const callee_t callee = callees.all[i]; // the list may move
        if (!callee.for_elements && !is_inlined(callee.function))
            continue;
        make_one_block(callee.function);
        callees.caller = &callee;
        kiln_walk(callee.function, MlirWalkPreOrder, note_callee, &callees);
    }
    mlirSymbolTableDestroy(callees.table);
    kiln_pointer_map_free(&callees.index_of);
    free(callees.all);
    return callees.is_out_of_memory ? kiln_status_out_of_memory() : KILN_OK;
}

static MlirWalkResult find_call(MlirOperation op, void *user)
{
    bool *found = user;
    *found = *found || kiln_op_kind(op) == KILN_OP_TT_CALL;
    return *found ? MlirWalkResultInterrupt : MlirWalkResultAdvance;
}

// A function marked noinline stays a function; a private function without callers is dropped. Most
// modules have no calls, so the call graph is built only if needed.
kiln_status_t kiln_inline(const kiln_pass_context_t *context, MlirModule module)
{
    bool has_calls = false;
    kiln_walk(mlirModuleGetOperation(module), MlirWalkPreOrder, find_call, &has_calls);
    if (!has_calls)
        return KILN_OK;
    KILN_TRY(structure_callees(module));
    KILN_TRY(kiln_run_upstream(context, module, mlirCreateTransformsInliner(), "inliner"));
    return kiln_run_upstream(context, module, mlirCreateTransformsSymbolDCE(),
                             "removal of unused functions");
}
